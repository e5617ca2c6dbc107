"""Intake waits while a feeling, a hard fact or the user's safety goes first, also when the model asks for it."""

import pytest

from shared.lexicon.asking import asks_of
from shared.safety.follow_through import INTAKE_RESTS
from tests.builders.answers import user_state_reading
from tests.builders.talk import Talk

DETECTOR = "user_state_detector"
PLAIN, TEARS = "어제는 바다에 다녀왔어요", "그때 눈물이 핑 돌았어요. 너무 슬펐어요"
DARK, SAFE, SAFE_TOO = "죽고 싶어요", "지금은 안전해요. 죽을 생각은 없어요", "네, 저 안전해요. 이제 죽고 싶지 않아요"
NO_MORE = "아니요, 없어요"
REFLECTED = "그 순간이 아직 마음에 깊이 남아 계신 것 같아요."
EXPERIENCE, COPING = "전에 상담을 받아 보신 적이 있으세요?", "힘들 때는 보통 어떻게 지나오세요?"
INTAKE = (
    EXPERIENCE,
    COPING,
    "혹시 예전에도 상담을 받아 보셨어요?",
    "평소 힘들 때는 어떻게 지내세요?",
    "제가 뭐라고 불러 드리면 될까요?",
    "성함이 어떻게 되세요?",
    "마음이 무거운 날에는 누구와 이야기를 나누세요?",
    "이렇게 이야기해 봐도 괜찮으세요?",
    "상담은 이번이 처음이세요?",
    "나이가 어떻게 되세요?",
    "어떤 일을 하고 계세요?",
    "스트레스는 보통 어떻게 푸세요?",
)


@pytest.fixture
def asking(talk):
    """Part 1 in the task that asks for experience, support and coping."""
    talk.work_on("task_persona_1", covered=["task_welcome_1", "task_info_1", "task_rapport_1"])
    return talk


async def answered(talk, text, question, told=REFLECTED):
    """Say this; the model's reply reflects it and asks this."""
    talk.model.scripts["counselor"] = f"{told} {question}"
    return (await talk.say(text)).reply


class TestAnIntakeQuestionOfTheModel:
    @pytest.mark.parametrize("question", INTAKE)
    async def test_is_left_out_at_a_new_feeling_and_the_reflection_stands(self, asking, question):
        assert await answered(asking, TEARS, question) == REFLECTED

    @pytest.mark.parametrize(
        "question", ["그때 어떤 생각이 스치셨어요?", "그 눈물은 어떤 마음이었을까요?", "그때 어떻게 하셨어요?"]
    )
    async def test_is_none_if_it_asks_about_the_feeling(self, asking, question):
        assert asks_of(await answered(asking, TEARS, question)) == (question,)

    async def test_is_none_if_its_slot_is_filled(self, asking):
        asking.state = asking.state.model_copy(update={"user_info": {"reason": "이혼을 할지"}})
        question = "그걸 정하려고 할 때 무엇이 제일 마음에 걸리세요?"
        assert asks_of(await answered(asking, TEARS, question)) == (question,)

    async def test_leaves_room_if_little_else_was_said(self, asking):
        reply = await answered(asking, TEARS, EXPERIENCE, told="네.")
        rooms = asking.content.messages(asking.state.locale).variants("leave_room")
        assert (asks_of(reply), any(reply.endswith(words) for words in rooms)) == ((), True)

    async def test_goes_out_where_nothing_bars_it(self, asking):
        assert asks_of(await answered(asking, PLAIN, EXPERIENCE)) == (EXPERIENCE,)

    @pytest.mark.parametrize("question", [COPING, EXPERIENCE])
    async def test_is_left_out_at_the_end_of_a_danger_and_in_the_turn_after_it(self, asking, question):
        for text in (DARK, SAFE, SAFE_TOO):
            await asking.say(text)
        replies = [
            await answered(asking, text, question)
            for text in (NO_MORE, "오늘은 날이 맑아요", "점심을 먹었어요", "저녁도 먹었어요")
        ]
        assert asking.state.risk.over_seq == 4
        assert [question in reply for reply in replies] == [False, False, False, True]

    async def test_stands_while_a_risk_is_open_since_only_the_model_knows_what_it_is_for(self, asking):
        await asking.say(DARK)
        assert COPING in await answered(asking, "오늘은 날이 맑아요", COPING)

    @pytest.mark.parametrize("question", ["지금 곁에 함께 있는 사람이 있으세요?", "지금은 안전하세요?"])
    async def test_is_no_question_about_safety_in_a_danger(self, asking, question):
        await asking.say("남편이 저를 때려요")
        assert question in await answered(asking, "모르겠어요, 그냥 무서워요", question)

    async def test_is_left_out_in_english(self):
        talk = Talk(locale="en")
        reply = await answered(
            talk, "I feel so sad since then", "Have you had counselling before?", told="It weighs on you."
        )
        assert asks_of(reply) == ()


class TestTheRulesQuestion:
    async def test_waits_at_a_feeling_that_rises(self, asking):
        asking.model.scripts[DETECTOR] = user_state_reading(emotion="anxiety", intensity=4)
        await asking.say("메일 하나 보내는 데도 열 번은 읽어요")
        asking.model.scripts[DETECTOR] = user_state_reading(emotion="anxiety", intensity=6, emotion_change="rise")
        assert (await asking.say("그래도 자꾸 불안해요")).ask is None
        asking.model.scripts[DETECTOR] = user_state_reading(emotion="anxiety", intensity=6)
        assert (await asking.say("지금도 그래요, 메일만 보면요")).ask is not None

    @pytest.mark.parametrize("text", ["아이를 유산했어요", "집사람이 작년에 갔어요", "어릴 때 아빠한테 맞았어요"])
    async def test_waits_at_a_hard_fact_told_calmly(self, asking, text):
        assert (await asking.say(text)).ask is None
        assert (await answered(asking, f"그리고 {text}", EXPERIENCE)) == REFLECTED

    @pytest.mark.parametrize(
        "text",
        ["그런데 저도 아내한테 그 말을 안 했네요", "남편이 있어요. 근데 앞에서는 안 울어요", "저 엄마 자격 없죠"],
    )
    async def test_waits_when_the_user_tells_what_they_hold_back(self, asking, text):
        assert (await asking.say(text)).ask is None

    async def test_waits_two_more_turns_after_a_wish_for_no_more_questions(self, asking):
        told = ("똑같은 말 좀 그만하세요", PLAIN, "점심에 국수를 먹었어요")
        replies = [await answered(asking, text, EXPERIENCE) for text in told]
        assert [asks_of(reply) for reply in replies] == [()] * 3
        assert (await asking.say("오늘은 도서관에 들렀어요")).ask is not None

    async def test_does_not_wait_at_a_plain_fact(self, asking):
        assert (await asking.say("할머니께 유산을 조금 물려받았어요")).ask is not None


@pytest.mark.parametrize("told", ["아빠가 어제 저를 때렸어요", "친구가 자꾸 죽고 싶다고 카톡을 보내요"])
async def test_waits_after_violence_or_anothers_danger_and_comes_back_after(asking, told):
    await asking.say(told)
    asks = [(await asking.say(PLAIN)).ask for _ in range(INTAKE_RESTS + 2)]
    assert (asks[:INTAKE_RESTS], any(asks)) == ([None] * INTAKE_RESTS, True)


async def test_the_explanation_of_the_talk_waits_less_long(talk):
    talk.work_on("task_process_1", covered=["task_welcome_1", "task_info_1", "task_rapport_1"])
    await talk.say("아빠가 어제 저를 때렸어요")
    assert any([(await talk.say(PLAIN)).ask for _ in range(INTAKE_RESTS)])
