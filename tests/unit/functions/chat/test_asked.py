"""What is asked, when it waits, in which words, and how often; a message that no model could read."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.lifecycle import BOUNDED
from shared.domain.counseling.session import PlanStatus
from shared.domain.errors import ModelBlocked, ModelEmpty, ModelTimeout, ModelUnavailable
from shared.safety.follow_through import INTAKE_RESTS
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.answers import reads
from tests.builders.sessions import slot, task
from tests.builders.talk import Talk

PLAIN, STORY = "어제는 바다에 다녀왔어요", "요즘 회사에 일이 많아졌어요"
DARK, SAFE, SAFE_TOO = "죽고 싶어요", "지금은 안전해요. 죽을 생각은 없어요", "네, 저 안전해요. 이제 죽고 싶지 않아요"
BEFORE = ("task_welcome_1", "task_info_1", "task_rapport_1")
PROCESS, AGREED = "task_process_1", "process_agreed"
BROKEN = "네, 알겠습니다."


@pytest.fixture
def asking(talk):
    """Part 1 in the task that asks for experience, support and coping."""
    talk.work_on("task_persona_1", covered=BEFORE)
    return talk


async def read(talk, *signs, text=PLAIN, **more):
    """Say something in which the reader finds this."""
    talk.model.scripts["reader"] = reads(*signs, **more)
    return await talk.say(text)


class TestASlot:
    async def test_is_asked_for_in_another_wording_after_a_rest_and_then_no_more(self, talk):
        talk.set(user_info={"name": "지민"})
        asked = []
        for _ in range(12):
            talk.work_on("task_info_1", covered=["task_welcome_1"])
            asked.append((await talk.say("음, 글쎄요 뭐라고 하죠")).ask)
        first, second, _ = talk.state.task("task_info_1").required_slots[1].questions
        worded = [one and one["question"] for one in asked]
        assert worded == [first, None, None, None, second, *[None] * 7], "the slot is not asked for a third time"

    async def test_waits_at_a_new_feeling_and_not_at_one_that_lasts(self, asking):
        feelings = [None, ("sadness", 5), ("sadness", 5), ("sadness", 8)]
        said = [await read(asking, feeling=feeling) for feeling in feelings]
        assert [one.ask is None for one in said] == [False, True, False, True]

    @pytest.mark.parametrize("sign", ["loss", "asks_counsellor", "misread", "dont_know", "good_news", "eating"])
    async def test_waits_for_what_the_message_needs_and_is_asked_in_the_next_turn(self, asking, sign):
        said = [await read(asking, sign), await read(asking)]
        assert [one.ask is None for one in said] == [True, False]

    async def test_that_was_declined_is_left_and_nothing_is_asked_in_its_place(self, asking):
        asking.ask_for("prior_counseling")
        said = await read(asking, "declines", text="건너뛸게요.")
        assert "SlotDeclined" in said.events
        assert (said.ask, said.directive["quiet"], asking.state.declined_slots) == (None, True, ("prior_counseling",))
        assert (await read(asking)).ask["slot"] != "prior_counseling"

    async def test_that_the_client_put_right_is_replaced_and_told_to_the_counselor(self, asking):
        asking.set(user_info={"name": "지훈"})
        said = await read(asking, corrects={"name": "지운"}, text="지훈 아니고 지운이요")
        assert asking.state.user_info["name"] == "지운"
        assert list(said.directive["corrected"].values()) == ["지운"]

    async def test_whose_value_was_invalid_is_asked_for_again_at_once_with_the_reason(self, talk):
        talk.plan(
            task("work", 2, required_slots=(slot("age", kind="integer", minimum=1, maximum=120),)), task("next", 2)
        )
        talk.work_on("work")
        asked = [
            (await read(talk, next_task="work")).ask,
            (await read(talk, told={"age": "300"}, next_task="work")).ask,
        ]
        assert [(one["slot"], bool(one["error"])) for one in asked] == [("age", False), ("age", True)]
        assert "<slot_error>" in talk.model.asked("counselor")[-1].system
        await read(talk, told={"age": "30"}, next_task="work")
        assert (talk.state.user_info["age"], talk.state.slot_errors) == (30, {})

    @pytest.mark.parametrize("told", ["아빠가 어제 저를 때렸어요", "친구가 자꾸 죽고 싶다고 카톡을 보내요"])
    async def test_waits_after_violence_or_anothers_danger_and_comes_back_after(self, asking, told):
        await asking.say(told)
        asks = [(await asking.say(PLAIN)).ask for _ in range(INTAKE_RESTS + 2)]
        assert (asks[:INTAKE_RESTS], any(asks)) == ([None] * INTAKE_RESTS, True)

    async def test_waits_in_the_reply_that_ends_a_crisis_and_the_next(self, asking):
        for text in (DARK, SAFE, SAFE_TOO):
            await asking.say(text)
        texts = ("아니요, 없어요", PLAIN, "오늘은 날이 맑아요", "점심을 먹었어요")
        said = [await asking.say(text) for text in texts]
        assert [one.directive["stance"] for one in said] == ["accompany", "accompany", "accompany", "work"]
        assert [one.ask is None for one in said] == [True, True, True, False]
        assert [one.directive["offers_plan"] for one in said] == [False, False, True, False]

    async def test_may_be_skipped_by_a_client_but_not_a_question_about_danger_or_a_proposal(self, asking):
        policy, shown = CounselingPolicy(asking.content), []
        for text, signs in ((PLAIN, ()), (STORY, ("wants_to_stop",)), ("아니요", ()), (DARK, ())):
            asking.model.scripts["counselor"] = f"그러셨군요. ‘{text}’ 그날은 {len(shown)}월 며칠이었어요?"
            await read(asking, *signs, text=text)
            shown.append(policy.snapshot(asking.state).may_skip)
        assert shown == [True, False, True, False]


def explaining(**opened):
    talk = Talk(**opened)
    talk.work_on(PROCESS, covered=BEFORE)
    return talk


class TestTheExplanation:
    @pytest.mark.parametrize("register", ["존댓말", "반말"])
    async def test_is_given_to_the_reply_in_its_register_as_its_one_question_and_then_rests(self, register):
        talk = explaining(register=register)
        said = await talk.say(STORY)
        (slot,) = talk.state.task(PROCESS).required_slots
        assert said.ask == {"slot": AGREED, "question": slot.questions[0], "error": None}
        assert slot.questions[0] in talk.model.asked("counselor")[0].system
        assert (await talk.say("글쎄요, 그건 그렇고 어제도 야근을 했어요")).ask is None

    @pytest.mark.parametrize(("value", "agreed"), [("true", True), ("false", False)])
    async def test_is_answered_as_the_reader_heard_it(self, value, agreed):
        talk = explaining()
        await talk.say(STORY)
        await read(talk, told={AGREED: value}, text="네")
        assert (talk.state.user_info[AGREED], talk.state.task(PROCESS).covered) == (agreed, True)

    async def test_no_model_finds_an_agreement_to_what_was_not_explained(self):
        talk = Talk()
        await read(talk, told={AGREED: "true"}, text="네")
        assert AGREED not in talk.state.user_info

    async def test_waits_in_strong_emotion_but_not_for_ever(self):
        talk = explaining()
        said = [await read(talk, feeling=("sadness", 9)) for _ in range(9)]
        explained = [one.ask is not None and one.ask["slot"] == AGREED for one in said]
        assert (explained[0], any(explained)) == (False, True)
        await talk.say(STORY)
        assert talk.state.task(PROCESS).covered

    async def test_who_never_answers_is_not_held_by_it(self):
        talk = explaining()
        for _ in range(5):
            await talk.say(STORY)
        assert talk.state.task(PROCESS).covered

    async def test_waits_less_long_after_violence(self):
        talk = explaining()
        await talk.say("아빠가 어제 저를 때렸어요")
        assert any([(await talk.say(PLAIN)).ask for _ in range(INTAKE_RESTS)])


def test_other_sessions_explain_nothing_anew():
    kinds = {task.kind for task in content().templates("follow_up", "ko", "존댓말")}
    assert "orientation" not in kinds


@pytest.fixture
def unread():
    """A talk in a judged task, with a reader whose answer is invalid."""
    talk = Talk()
    talk.plan(task("a", 2, completion_rule="judged"), task("b", 2))
    talk.work_on("a")
    talk.set(announced_part=2)
    talk.model.scripts["reader"] = BROKEN
    return talk


@pytest.fixture
def asked_for_name():
    """A talk in Part 1 whose last reply asked for the name, with the same reader."""
    talk = Talk()
    talk.ask_for("name")
    talk.model.scripts["reader"] = BROKEN
    return talk


class TestAMessageThatNobodyRead:
    @pytest.mark.parametrize("answer", [BROKEN, "{}", ModelTimeout("late"), ModelUnavailable("503")], ids=repr)
    async def test_is_told_to_the_counselor_and_recorded(self, unread, answer):
        unread.model.scripts["reader"] = answer
        said = await unread.say(PLAIN)
        assert said.directive["parse_error"]
        assert "한 번만 더 들려 달라고" in unread.model.asked("counselor")[0].system
        assert "RepeatAsked" in said.events

    async def test_is_not_asked_for_again_twice_in_a_row(self, unread):
        assert [(await unread.say(PLAIN)).directive["parse_error"] for _ in range(4)] == [True, False, True, False]

    async def test_after_an_apology_of_the_counselor_is_not_asked_for_again(self, unread):
        unread.model.scripts |= {"counselor": ModelUnavailable("503")}
        await unread.say(PLAIN)
        unread.model.scripts |= {"counselor": "그러셨군요."}
        assert not (await unread.say(PLAIN)).directive["parse_error"]

    @pytest.mark.parametrize("error", [ModelBlocked("prohibited"), ModelEmpty("no text")], ids=repr)
    async def test_since_the_provider_blocks_it_is_answered_like_any_other(self, unread, error):
        unread.model.scripts["reader"] = error
        assert not (await unread.say(PLAIN)).directive["parse_error"]

    async def test_repeats_the_question_that_it_was_to_answer(self, asked_for_name):
        said = await asked_for_name.say(PLAIN)
        assert (said.directive["parse_error"], said.ask["slot"]) == (True, "name")

    async def test_postpones_another_slot_and_the_announcement_of_a_part(self, asked_for_name, unread):
        asked_for_name.set(last_asked=None, asked={})
        said = await asked_for_name.say(PLAIN)
        assert (said.directive["parse_error"], said.ask) == (True, None)
        unread.set(announced_part=1)
        assert [(await unread.say(PLAIN)).directive["part_changed"] for _ in range(2)] == [False, True]

    async def test_is_asked_for_with_the_slots_error_alone_after_an_invalid_value(self, asked_for_name):
        slot = next(one for each in asked_for_name.state.tasks for one in each.slots if one.name == "name")
        asked_for_name.set(slot_errors={"name": slot.error})
        said = await asked_for_name.say(PLAIN)
        assert (said.ask["error"], said.directive["parse_error"]) == (slot.error, False)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("사는 게 의미가 없는 것 같아요. 그냥 좀 그런 식이에요", ("concern", True)),
            ("어릴 때 아빠한테 많이 맞았어요.", ("heed", "abuse_told")),
        ],
    )
    async def test_is_not_asked_for_again_with_a_concern_or_past_violence(self, unread, text, told):
        directive = (await unread.say(text)).directive
        assert (told in directive.items(), directive["parse_error"]) == (True, False)

    async def test_is_not_asked_for_again_in_a_follow_through_a_proposal_or_while_the_plan_is_made(self, unread):
        before = unread.state
        await unread.say(DARK)
        unread.set(repeat_asked_seq=None)
        followed = (await unread.say(PLAIN)).directive
        unread.state = before
        unread.set(seq=12, message_count=12)
        unread.happen(WrapUpSuggested(reason=BOUNDED))
        proposed = (await unread.say(PLAIN)).directive
        unread.state = before
        unread.set(plan_status=PlanStatus.PLANNING, planning_seq=0)
        planned = (await unread.say(PLAIN)).directive
        told = [(one["stance"], one["parse_error"]) for one in (followed, proposed, planned)]
        assert told == [("care", False), ("propose_wrap_up", False), ("bridge", False)]
