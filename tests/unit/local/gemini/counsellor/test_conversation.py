"""Whole conversations: they move through the session, ask nothing twice, and sound like one person."""

import asyncio
import re

import pytest

from tests.unit.local.gemini.counsellor.conversation import Conversation

TALK = (
    "안녕하세요",
    "지훈이요",
    "요즘 회사 일이 너무 힘들어서요. 팀장님이 매일 야근을 시켜요.",
    "주말에도 일 생각이 나서 쉬어도 쉬는 것 같지 않아요",
    "아니요 처음이에요",
    "친구 한 명 있는데 바빠서 자주는 못 만나요",
    "그냥 집에서 누워서 영상 봐요",
    "네 맞아요",
    "지난주 회의 시간에 팀장님이 사람들 앞에서 제 보고서를 지적했어요. 너무 창피했어요.",
    "그날 밤에 잠을 한숨도 못 잤어요",
    "화가 나기도 하고 제가 한심하게 느껴졌어요",
    "잘 모르겠어요",
    "사실은 수고했다는 말 한마디 듣고 싶었던 것 같아요",
    "이야기하니까 조금 후련해졌어요",
)
CASUAL = (
    "안녕 나는 민지야",
    "남자친구랑 헤어졌어. 아직도 매일 눈물이 나",
    "밥도 잘 못 먹고 있어",
    "응 예전에 한 번 받아봤어",
    "엄마한테 가끔 얘기해",
    "혼자 걷거나 음악 들어",
    "응 맞아",
    "3년 만났는데 갑자기 연락을 끊더라",
    "나만 힘든 것 같아서 억울해",
    "왜 그랬는지 물어보고 싶어",
)
ENGLISH = (
    "Hi, I'm Sam",
    "I can't sleep because of work. My boss yells at me every day.",
    "I feel so tired all the time.",
    "No, never",
    "My sister, sometimes",
    "I go running",
    "Yes",
    "I felt so ashamed in front of everyone",
    "I don't know",
    "I want to feel calm again",
)
QUESTION = re.compile(r"[^.!?\n]+\?")
POLITE = re.compile(r"(?:요|니다|까요|죠)[.?!]")


def questions(replies: list[str]) -> list[str]:
    return [question.strip() for reply in replies for question in QUESTION.findall(reply)]


@pytest.mark.parametrize("seed", range(4))
def test_a_korean_session_moves_on_and_asks_nothing_twice(seed: int) -> None:
    conversation = Conversation(seed)
    for text in TALK:
        conversation.say(text)
    state = conversation.state
    assert state.user_info["name"] == "지훈"
    assert state.user_info["prior_counseling"] is False
    assert state.user_info.keys() >= {"reason", "support_people", "coping_style"}
    assert state.current_part == 2
    asked = questions(conversation.replies)
    assert len(asked) == len(set(asked))
    assert conversation.messages[0].text not in conversation.replies


@pytest.mark.parametrize(("talk", "opening"), [(TALK, {}), (CASUAL, {"register": "반말"}), (ENGLISH, {"locale": "en"})])
def test_each_reply_is_short_with_one_question_at_most(talk: tuple[str, ...], opening: dict[str, str]) -> None:
    conversation = Conversation(1, **opening)
    for text in talk:
        reply = conversation.say(text)
        assert reply.count("?") <= 1, reply
        assert len(re.findall(r"[.?!](?=\s|$)", reply)) <= 5, reply
        assert len(reply) <= (330 if opening.get("locale") else 200), reply
        assert not re.search(r"당신|\{|\}|과제|모듈|파트", reply)


def test_the_register_is_kept() -> None:
    casual, formal = Conversation(2, register="반말"), Conversation(2)
    for text in CASUAL:
        assert not POLITE.search(casual.say(text)), casual.replies[-1]
    for text in TALK:
        for sentence in re.findall(r"[^.?!]+[.?!]", formal.say(text)):
            assert POLITE.search(sentence), sentence


def test_the_same_seed_gives_the_same_conversation_and_another_seed_another() -> None:
    def talk(seed: int) -> list[str]:
        conversation = Conversation(seed)
        return [conversation.say(text) for text in TALK[:6]]

    assert talk(1) == talk(1)
    assert talk(1) != talk(2)


def test_a_refusal_is_met_without_a_question() -> None:
    conversation = Conversation()
    for text in TALK[:4]:
        conversation.say(text)
    assert "?" not in conversation.say("더 이상 말하기 싫어요")


def test_asking_to_end_is_confirmed_and_the_user_decides() -> None:
    conversation = Conversation()
    for text in TALK[:9]:
        conversation.say(text)
    conversation.say("오늘은 여기까지 할게요")
    conversation.say("아니요 조금 더 얘기하고 싶어요")
    assert not conversation.state.ended
    conversation.say("오늘은 여기까지 할게요")
    conversation.say("네")
    assert conversation.state.ended


def test_the_background_agents_work_from_the_persons_words() -> None:
    conversation = Conversation()
    for text in TALK:
        conversation.say(text)
    assert "회사" in (conversation.state.part2_goal or "")
    closing = asyncio.run(conversation.closing())
    assert closing.suggested_level == 2
    assert "회사 일이 너무 힘들다’는" in closing.summary
    review = asyncio.run(conversation.review())
    shown = [found.evidence for found in review.goals if found.met and found.goal != "trust"]
    assert shown
    assert all(evidence in " ".join(TALK) for evidence in shown)


CORRECTING = (
    "안녕하세요",
    "저는 지훈이 아니라 지은이에요",
    "그냥 요즘 사람들이랑 있는 게 너무 외로워요",
    "그냥 친구 한 명만 있었으면 좋겠어요",
    "네 그래도 이렇게 말하니까 조금 나아요",
    "아 이름 잘못 말했어요. 저는 지혜예요",
    "상담은 처음이에요",
    "동생한테 가끔 얘기해요",
)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_put_right_is_remembered_and_a_denied_name_never_said(seed: int) -> None:
    conversation = Conversation(seed)
    for text in CORRECTING:
        reply = conversation.say(text)
        assert "지훈" not in reply
        assert "받아 보신 적이 있으시군요" not in reply
    assert "지은" not in " ".join(conversation.replies[5:])
    info = conversation.state.user_info
    assert info["name"] == "지혜"
    assert info["prior_counseling"] is False
    assert info["support_people"] == "동생한테 가끔 얘기해요"


def test_a_name_denied_without_another_is_no_longer_said() -> None:
    conversation = Conversation()
    for text in (
        "저는 지훈이에요",
        "요즘 너무 외로워요",
        "제 이름은 지훈이 아닌데요",
        "친구가 없어요",
        "밤에 자꾸 울어요",
    ):
        conversation.say(text)
    assert "지훈" not in " ".join(conversation.replies[2:])
    assert "미안해요" in conversation.replies[2]
