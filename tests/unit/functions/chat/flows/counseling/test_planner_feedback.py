"""The feedback to the planner that a turn records when the user's state asks for another plan."""

import pytest

from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.state_feedback import STATE_FEEDBACK_REST
from tests.builders.answers import task_choice, user_state_reading
from tests.builders.sessions import task
from tests.builders.talk import Talk

DETECTOR, SELECTOR = "user_state_detector", "task_selector"
PLAIN, CALLED, REFUSES = "오늘은 그냥 집에 있었어요", "엄마가 전화를 하셨어요", "말하기 싫어요"
RESISTING, MILD = {"resistance": "strong"}, {"resistance": "mild"}
ELSEWHERE = {"topic_changed": True}
ANOTHER = task_choice(task_id="none", feedback_to_task_planner="다른 이야기")


@pytest.fixture(params=["ko", "en"])
def talk(request):
    """Part 2 with a task in progress and two that wait."""
    talk = Talk(locale=request.param)
    talk.plan(task("a", 2), task("b", 2), task("c", 2))
    talk.work_on("b")
    talk.model.scripts[SELECTOR] = task_choice(task_id="b")
    return talk


def feedback(said):
    return said.records("planner_feedback")


async def read(talk, reading, text=PLAIN):
    talk.model.scripts[DETECTOR] = user_state_reading(**reading)
    return await talk.say(text)


def words(talk):
    return talk.content.state_words(talk.state.locale)


class TestFeedback:
    async def test_of_strong_resistance_holds_no_words_and_no_count_and_changes_the_module(self, talk):
        await read(talk, MILD)
        said = await read(
            talk, RESISTING | {"evidence": "민수가 저를 미워했어요"}, f"민수가 저를 미워했어요, {REFUSES}"
        )
        (record,) = feedback(said)
        assert (record.source, record.kind, record.seq) == (FeedbackSource.USER_STATE, "resistance", 2)
        assert record.record_id == "2-user_state"
        assert record.reason == words(talk).feedback("resistance_strong"), "no words of the user"
        assert not any(character.isdigit() for character in record.reason), "no count, which would play it down"
        assert talk.state.replans == 1
        assert {"ReplanAsked", "StateFeedbackGiven"} <= set(said.events)
        assert said.directive["module_id"] == "resistance_handling"

    async def test_of_persisting_resistance_holds_the_number_of_its_turns(self, talk):
        *_, last = [await read(talk, MILD, f"글쎄요, 회사 일 {number}") for number in range(3)]
        (record,) = feedback(last)
        assert "3" in record.reason

    async def test_of_a_change_of_emotion_holds_the_emotions_before_and_after(self, talk):
        await read(talk, {"emotion": "sadness", "intensity": 3})
        (record,) = feedback(await read(talk, {"emotion": "anger", "intensity": 8}))
        assert record.kind == "emotion_change"
        assert f"{words(talk).emotion('anger')} 8/10" in record.reason
        assert f"{words(talk).emotion('sadness')} 3/10" in record.reason

    async def test_of_a_new_topic_is_recorded_when_no_task_took_it_up_in_two_turns(self, talk):
        talk.model.scripts.pop(SELECTOR)
        assert feedback(await read(talk, ELSEWHERE)) == []
        (record,) = feedback(await read(talk, ELSEWHERE, CALLED))
        assert record.kind == "topic_change"

    async def test_of_circular_talk_is_recorded(self, talk):
        await talk.say(PLAIN)
        (record,) = feedback(await read(talk, {"circular": True}))
        assert (record.kind, record.reason) == ("circular", words(talk).feedback("circular"))


@pytest.mark.parametrize(
    "reading", [{}, MILD, {"emotion": "anger", "intensity": 9}, {"emotion": "joy", "intensity": 9}, ELSEWHERE]
)
async def test_mild_or_single_readings_record_no_feedback(talk, reading):
    assert (feedback(await read(talk, reading)), talk.state.replans) == ([], 0)


async def test_a_new_topic_that_a_task_takes_up_records_no_feedback(talk):
    talk.model.scripts[SELECTOR] = task_choice(task_id="c")
    for text in (PLAIN, CALLED):
        assert feedback(await read(talk, ELSEWHERE, text)) == []
    assert talk.state.task_in_progress.id == "c"


class TestOneFeedbackAtATime:
    async def test_the_task_selectors_feedback_is_recorded_alone(self, talk):
        await talk.say(PLAIN)
        talk.model.scripts[SELECTOR] = ANOTHER
        said = await read(talk, RESISTING | ELSEWHERE | {"circular": True})
        assert [one.source for one in feedback(said)] == [FeedbackSource.TASK_SELECTOR]
        assert (talk.state.replans, talk.state.state_feedback) == (1, {})

    async def test_a_kind_is_recorded_again_only_after_a_rest(self, talk):
        told = [len(feedback(await read(talk, RESISTING))) for _ in range(STATE_FEEDBACK_REST + 2)]
        assert told == [1, *[0] * STATE_FEEDBACK_REST, 1]

    async def test_none_is_recorded_in_part_1_while_the_plan_is_made_or_in_a_crisis(self, talk):
        before = talk.state
        assert feedback(await read(Talk(), RESISTING)) == []
        talk.set(plan_status=PlanStatus.PLANNING)
        assert feedback(await read(talk, RESISTING)) == []
        for reading, choice in ((RESISTING, task_choice(task_id="b")), (ELSEWHERE, ANOTHER)):
            talk.state = before
            talk.happen(RiskRaised(outcome="crisis", rule_ids=("r",), seq=1))
            talk.model.scripts[SELECTOR] = choice
            assert feedback(await read(talk, reading)) == []

    async def test_a_turn_with_several_causes_records_one_at_most(self, talk):
        everything = RESISTING | ELSEWHERE | {"emotion": "anger", "intensity": 9, "circular": True}
        for _ in range(6):
            assert len((await read(talk, everything)).outcome.records) <= 1
