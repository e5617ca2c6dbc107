"""Asking whether it is a person, in many words; and talking of people, machines and AI without asking."""

import pytest

from shared.content.catalogue import content

ASKING = """
사람이에요?
혹시 사람이세요?
너 봇이지?
AI 맞아?
AI 맞아요?
진짜 상담사예요?
진짜 상담사 맞아요?
실제 상담사세요?
사람 상담사예요?
상담사님 사람 맞으세요?
사람이랑 얘기하는 거 맞아?
사람하고 이야기하고 있는 건가요?
지금 로봇이랑 대화하는 거예요?
너 진짜 사람이야 아니면 AI야?
사람인가요 로봇인가요?
사람이 쓰는 거예요?
사람이 답하는 거예요?
사람이 직접 답장하는 건가요?
누가 답하는 거예요?
AI가 답하는 거예요?
AI가 쓰는 거 아니에요?
이거 AI예요?
이거 봇이야?
이거 자동응답이에요?
자동으로 답하는 거예요?
혹시 챗GPT예요?
너 챗지피티야?
기계랑 말하는 거네요?
선생님은 진짜 사람이에요?
선생님 혹시 AI세요?
상담사님은 AI인가요?
넌 사람이 아니지?
사람 아니죠?
봇 아니에요?
AI 아니야?
진짜 사람 맞아요? 믿기지 않아서요.
당신은 인간입니까?
너 인간 맞니?
정말로 사람이신가요?
뒤에 진짜 사람이 있어요?
거기 사람 있어요?
are you real?
are you a real person?
are you a bot
are you human or AI?
Am I talking to a human?
am i chatting with a bot?
is this a real person?
is this an AI?
is this automated?
are you an actual therapist?
are you a real counselor?
you're a robot, aren't you?
you are an AI right?
you're not a real person, are you?
you're not human are you
so you're just a bot?
is there a human there?
is there a person behind this?
is a real person reading this?
are you ChatGPT?
do you have feelings or are you a machine?
is anyone actually there?
am I speaking to a machine or a person?
"""
NOT_ASKING = """
그 사람이에요
좋은 사람이에요
저는 사람이 무서워요
AI가 제 일을 뺏을까 봐 걱정돼요
저는 AI 개발자예요
나쁜 사람인가요?
제가 이상한 사람인가요?
기계처럼 살아요
로봇 같다는 말을 들어요
사람을 못 믿겠어요
저도 사람이에요
그 사람 맞아요?
우리 팀장도 사람이에요?
남편이 사람이 아니에요
걔는 사람도 아니에요
저는 기계가 아니에요
나도 사람이야
저 사람 맞아요
제가 사람 맞나요?
엄마는 진짜 사람 맞아요?
저는 상담사예요
상담사가 되고 싶어요
진짜 상담사를 만나 봤어요
사람이랑 이야기하는 게 어려워요
사람이랑 얘기하는 거 싫어요
거기 사람이 많았어요
집에 사람 있어요
회사에서 AI를 써요
챗봇 만드는 일을 해요
누가 답하는 걸 못 봤어요
자동으로 답하게 돼요
로봇청소기를 샀어요
AI 면접을 봤어요
친구가 봇처럼 대답해요
사람 구실도 못 해요
are you sure?
are you there?
he is a real person
I feel like a robot
people are strange
my boss is not human
am I a bad person?
am I a real man?
is this normal?
is there a way out?
I work with AI
my therapist is human
you're right
you're kind
are you okay?
is it real?
I talked to a real person yesterday
do people have feelings
I want to be a counselor
she is a bot on twitter
He's a jerk, a robot, a liar
"""


@pytest.mark.parametrize("text", ASKING.strip().splitlines())
def test_asking_whether_it_is_a_person_is_recognised(text):
    assert content().lexicon.asks_if_human(text)


@pytest.mark.parametrize("text", NOT_ASKING.strip().splitlines())
def test_talking_of_people_and_machines_is_no_question_about_cbot(text):
    assert not content().lexicon.asks_if_human(text)
