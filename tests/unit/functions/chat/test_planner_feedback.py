"""The feedback to the planner that a turn records when the client's state asks for another plan."""

import pytest

from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.state_feedback import STATE_FEEDBACK_REST
from tests.builders.answers import reads
from tests.builders.sessions import task
from tests.builders.talk import Talk

PLAIN = "오늘은 그냥 집에 있었어요"
ANGRY = {"feeling": ("anger", 8)}
NOTHING_FITS = {"next_task": "none", "task_reason": "다른 이야기"}


@pytest.fixture(params=["ko", "en"])
def talk(request):
    """Part 2 with a task in progress and two that wait."""
    talk = Talk(locale=request.param)
    talk.plan(task("a", 2), task("b", 2), task("c", 2))
    talk.work_on("b")
    return talk


def feedback(said):
    return said.records("planner_feedback")


async def read(talk, *signs, text=PLAIN, **more):
    """Say something in which the reader finds this; by itself the task under way fits."""
    talk.model.scripts["reader"] = reads(*signs, **{"next_task": talk.state.current_task or "none"} | more)
    return await talk.say(text)


def words(talk):
    return talk.content.state_words(talk.state.locale)


class TestFeedback:
    async def test_of_strong_resistance_holds_no_words_and_no_count_and_changes_the_module(self, talk):
        await read(talk, "mild_resistance")
        said = await read(talk, "strong_resistance", text="민수가 저를 미워했어요, 말하기 싫어요")
        (record,) = feedback(said)
        assert (record.source, record.kind, record.seq) == (FeedbackSource.USER_STATE, "resistance", 2)
        assert record.record_id == "2-user_state"
        assert record.reason == words(talk).feedback("resistance_strong"), "no words of the user"
        assert not any(character.isdigit() for character in record.reason), "no count, which would play it down"
        assert talk.state.replans == 1
        assert {"ReplanAsked", "StateFeedbackGiven"} <= set(said.events)
        assert said.directive["module_id"] == "resistance_handling"

    async def test_of_persisting_resistance_holds_the_number_of_its_turns(self, talk):
        *_, last = [await read(talk, "mild_resistance") for _ in range(3)]
        (record,) = feedback(last)
        assert "3" in record.reason

    async def test_of_a_change_of_emotion_holds_the_emotions_before_and_after(self, talk):
        await read(talk, feeling=("sadness", 3))
        (record,) = feedback(await read(talk, **ANGRY))
        assert record.kind == "emotion_change"
        assert f"{words(talk).emotion('anger')} 8/10" in record.reason
        assert f"{words(talk).emotion('sadness')} 3/10" in record.reason

    async def test_of_a_new_topic_is_recorded_when_no_task_took_it_up_in_two_turns(self, talk):
        nowhere = {"next_task": "no_such_task"}
        assert feedback(await read(talk, "new_topic", **nowhere)) == []
        (record,) = feedback(await read(talk, "new_topic", **nowhere))
        assert record.kind == "topic_change"

    async def test_of_circular_talk_is_recorded(self, talk):
        await read(talk)
        (record,) = feedback(await read(talk, "circular"))
        assert (record.kind, record.reason) == ("circular", words(talk).feedback("circular"))

    async def test_that_no_task_fits_holds_the_readers_reason_and_is_recorded_alone(self, talk):
        said = await read(talk, "strong_resistance", "new_topic", **NOTHING_FITS)
        (record,) = feedback(said)
        assert (record.source, record.kind) == (FeedbackSource.TASK_SELECTOR, "no_fitting_task")
        assert record.reason == NOTHING_FITS["task_reason"]
        assert (talk.state.replans, talk.state.state_feedback) == (1, {})


@pytest.mark.parametrize(
    ("signs", "more"),
    [
        ((), {}),
        (("mild_resistance",), {}),
        ((), {"feeling": ("anger", 9)}),
        ((), {"feeling": ("joy", 9)}),
        (("new_topic",), {}),
    ],
)
async def test_mild_or_single_readings_record_no_feedback(talk, signs, more):
    assert (feedback(await read(talk, *signs, **more)), talk.state.replans) == ([], 0)


async def test_a_new_topic_that_a_task_takes_up_records_no_feedback(talk):
    for _ in range(2):
        assert feedback(await read(talk, "new_topic", next_task="c")) == []
    assert talk.state.task_in_progress.id == "c"


async def test_a_kind_is_recorded_again_only_after_a_rest(talk):
    told = [len(feedback(await read(talk, "strong_resistance"))) for _ in range(STATE_FEEDBACK_REST + 2)]
    assert told == [1, *[0] * STATE_FEEDBACK_REST, 1]


async def test_none_is_recorded_in_part_1_while_the_plan_is_made_or_in_a_crisis(talk):
    before = talk.state
    assert feedback(await read(Talk(), "strong_resistance")) == []
    talk.set(plan_status=PlanStatus.PLANNING)
    assert feedback(await read(talk, "strong_resistance")) == []
    for more in ({}, NOTHING_FITS):
        talk.state = before
        talk.happen(RiskRaised(outcome="crisis", rule_ids=("r",), seq=1))
        assert feedback(await read(talk, "strong_resistance", "new_topic", **more)) == []


async def test_a_turn_with_several_causes_records_one_at_most(talk):
    for _ in range(6):
        assert len((await read(talk, "strong_resistance", "new_topic", "circular", **ANGRY)).outcome.records) <= 1
