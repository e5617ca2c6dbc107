"""When no model could read the message, the Counselor says so and asks once, unless another question comes first."""

from itertools import product

import pytest

from local.gemini.counsellor.prompt import Prompt
from shared.content.catalogue import content
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.lifecycle import BOUNDED
from shared.domain.counseling.session import PlanStatus
from shared.domain.errors import ModelBlocked, ModelEmpty, ModelTimeout, ModelUnavailable
from shared.locale import Locale, Register
from tests.builders.answers import task_completion, user_state_reading
from tests.builders.sessions import task
from tests.builders.talk import Talk
from tests.support.tags import element

CHECKER, DETECTOR = "task_completion_checker", "user_state_detector"
PLAIN = "그게 저번에 말한 것처럼 좀 그런 식이었어요"
SHORT = "그게 좀 그런 식이었어요"
BROKEN = "네, 알겠습니다."
MESSAGES = content().messages(Locale.KO, Register.FORMAL)
NOT_UNDERSTOOD = MESSAGES.variants("not_understood")


@pytest.fixture
def talk():
    """A talk in a judged task, with a checker whose answer is invalid."""
    talk = Talk()
    talk.plan(task("a", 2, completion_rule="judged"), task("b", 2))
    talk.work_on("a")
    talk.set(announced_part=2)
    talk.model.scripts[CHECKER] = BROKEN
    return talk


@pytest.fixture
def asked_for_name():
    """A talk in Part 1 whose last reply asked for the name, with the same checker."""
    talk = Talk()
    talk.set(last_asked="name", asked={"name": 1})
    talk.model.scripts[CHECKER] = BROKEN
    return talk


@pytest.mark.parametrize("answer", [BROKEN, "{}", ModelTimeout("late"), ModelUnavailable("503")], ids=repr)
async def test_a_failed_reading_is_passed_to_the_counselor_and_recorded(talk, answer):
    talk.model.scripts[CHECKER] = answer
    said = await talk.say(PLAIN)
    assert said.directive["parse_error"]
    wordings = product(NOT_UNDERSTOOD, MESSAGES.variants("say_again"))
    told = Prompt(talk.model.asked("counselor")[0].system).notice("parse_error")
    assert told in {" ".join(pair) for pair in wordings}
    assert "RepeatAsked" in said.events


async def test_a_message_that_was_read_or_that_the_provider_blocks_is_not_asked_for_again(talk):
    talk.model.scripts[CHECKER] = task_completion()
    assert not (await talk.say(PLAIN)).directive["parse_error"]
    talk.model.scripts[DETECTOR] = BROKEN
    assert not (await talk.say(PLAIN)).directive["parse_error"], "the checker has read it"
    talk.model.scripts[DETECTOR] = user_state_reading()
    for error in (ModelBlocked("prohibited"), ModelEmpty("no text")):
        talk.model.scripts[CHECKER] = error
        assert not (await talk.say(PLAIN)).directive["parse_error"], error


async def test_a_failed_state_reading_counts_when_the_checker_had_nothing_to_read():
    talk = Talk()
    talk.plan(task("a", 2))
    talk.model.scripts[DETECTOR] = BROKEN
    said = await talk.say(PLAIN)
    assert (said.run(CHECKER).reason, said.directive["parse_error"]) == ("gate", True)


async def test_the_user_is_never_asked_to_repeat_in_two_turns_in_a_row(talk):
    told = [(await talk.say(f"{PLAIN} {number}")).directive["parse_error"] for number in range(6)]
    assert told == [True, False, True, False, True, False]


async def test_a_message_repeated_on_request_is_not_circular_talk(talk):
    for _ in range(2):
        await talk.say("회사 일이 마음대로 안 돼서 화가 나고 회사에 가기 싫어요")
        assert not talk.state.user_state.circular


async def test_when_the_counselor_fails_too_the_apology_asks_for_no_repetition(talk):
    talk.model.scripts["counselor"] = ModelUnavailable("gone")
    apology = await talk.say(PLAIN)
    assert "degraded" in apology.outcome.flags
    assert apology.reply in MESSAGES.variants("degraded_reply")
    talk.model.scripts["counselor"] = "그러셨군요."
    assert not (await talk.say(PLAIN)).directive["parse_error"]


class TestTheOnlyQuestion:
    async def test_repeats_the_question_that_the_message_was_to_answer(self, asked_for_name):
        said = await asked_for_name.say(PLAIN)
        assert (said.directive["parse_error"], said.ask["slot"]) == (True, "name")
        system = asked_for_name.model.asked("counselor")[0].system
        assert element(system, "parse_error") in NOT_UNDERSTOOD
        assert 'kind="parse_error"' not in system
        assert "?" not in element(system, "parse_error")
        assert asked_for_name.state.asked["name"] == 2

    async def test_postpones_another_slot_and_the_announcement_of_a_part(self, asked_for_name, talk):
        asked_for_name.set(last_asked=None, asked={})
        said = await asked_for_name.say(PLAIN)
        assert (said.directive["parse_error"], said.ask) == (True, None)
        assert "<ask" not in asked_for_name.model.asked("counselor")[0].system
        talk.set(announced_part=1)
        assert [(await talk.say(PLAIN)).directive["part_changed"] for _ in range(2)] == [False, True]

    async def test_is_not_asked_for_a_value_that_a_rule_read(self, asked_for_name):
        said = await asked_for_name.say(f"제 이름은 지훈이에요. {SHORT}")
        assert (asked_for_name.state.user_info["name"], said.directive["parse_error"]) == ("지훈", False)

    async def test_is_asked_with_the_slots_error_for_an_invalid_value(self, asked_for_name):
        slot = next(one for each in asked_for_name.state.tasks for one in each.slots if one.name == "name")
        asked_for_name.set(slot_errors={"name": slot.error})
        said = await asked_for_name.say(PLAIN)
        assert (said.ask["error"], said.directive["parse_error"]) == (slot.error, False)


class TestNoRequestToRepeat:
    """The reading fails in each case, as in the first test of this file; about a danger the checker is not asked."""

    async def quiet(self, talk, text=PLAIN, read_by="safe_default"):
        said = await talk.say(text)
        assert said.run(CHECKER).decided_by.value == read_by
        assert not said.directive["parse_error"]
        assert talk.state.repeat_asked_seq is None
        return said.directive

    async def test_is_made_in_a_follow_through(self, talk):
        await talk.say("죽고 싶어요")
        talk.set(repeat_asked_seq=None)
        assert (await self.quiet(talk, SHORT, "rule"))["stance"] == "care"

    @pytest.mark.parametrize(
        ("text", "told", "read_by"),
        [
            ("사는 게 의미가 없는 것 같아요. 그냥 좀 그런 식이에요", ("concern", True), "rule"),
            ("어릴 때 아빠한테 많이 맞았어요.", ("heed", "abuse_told"), "safe_default"),
            (f"이제 그만할래요. {SHORT}", ("stance", "confirm_end"), "safe_default"),
        ],
    )
    async def test_is_made_with_a_concern_past_violence_or_a_wish_to_end(self, talk, text, told, read_by):
        assert told in (await self.quiet(talk, text, read_by)).items()

    async def test_is_made_after_danger_of_another_person(self, talk):
        await talk.say("친구가 죽고 싶대요")
        await self.quiet(talk, read_by="rule")

    async def test_is_made_with_a_proposal_to_wrap_up(self, talk):
        talk.set(seq=12, message_count=12)
        talk.happen(WrapUpSuggested(reason=BOUNDED))
        assert (await self.quiet(talk))["stance"] == "propose_wrap_up"

    @pytest.mark.parametrize("reading", [{"emotion": "sadness", "intensity": 9}, {"resistance": "strong"}])
    async def test_is_made_during_a_strong_emotion_or_resistance(self, talk, reading):
        talk.model.scripts[DETECTOR] = user_state_reading(**reading)
        await self.quiet(talk)


async def test_there_is_no_request_to_repeat_while_the_plan_is_made():
    talk = Talk()
    talk.set(plan_status=PlanStatus.PLANNING, planning_seq=0)
    talk.model.scripts[DETECTOR] = BROKEN
    directive = (await talk.say(PLAIN)).directive
    assert (directive["stance"], directive["parse_error"]) == ("bridge", False)
