"""The user's state as a reason for another plan: what leaves the turn."""

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


class TestEachCause:
    async def test_of_resistance_is_told_without_a_count_and_leads_to_another_module(self, talk):
        await read(talk, MILD)
        said = await read(
            talk, RESISTING | {"evidence": "민수가 저를 미워했어요"}, f"민수가 저를 미워했어요, {REFUSES}"
        )
        (record,) = feedback(said)
        assert (record.source, record.kind, record.seq) == (FeedbackSource.USER_STATE, "resistance", 2)
        assert record.record_id == "2-user_state"
        assert record.reason == words(talk).feedback("resistance_strong"), "no word of the user's"
        assert not any(character.isdigit() for character in record.reason), "no count makes it small"
        assert talk.state.replans == 1
        assert {"ReplanAsked", "StateFeedbackGiven"} <= set(said.events)
        assert said.directive["module_id"] == "resistance_handling"

    async def test_of_persisting_resistance_is_told_with_how_often_it_showed(self, talk):
        *_, last = [await read(talk, MILD, f"글쎄요, 회사 일 {number}") for number in range(3)]
        (record,) = feedback(last)
        assert "3" in record.reason

    async def test_of_a_change_of_emotion_is_told_with_what_it_was_and_is(self, talk):
        await read(talk, {"emotion": "sadness", "intensity": 3})
        (record,) = feedback(await read(talk, {"emotion": "anger", "intensity": 8}))
        assert record.kind == "emotion_change"
        assert f"{words(talk).emotion('anger')} 8/10" in record.reason
        assert f"{words(talk).emotion('sadness')} 3/10" in record.reason

    async def test_of_a_new_topic_is_told_when_no_task_was_found_in_two_turns(self, talk):
        talk.model.scripts.pop(SELECTOR)
        assert feedback(await read(talk, ELSEWHERE)) == []
        (record,) = feedback(await read(talk, ELSEWHERE, CALLED))
        assert record.kind == "topic_change"

    async def test_of_a_circle_is_told(self, talk):
        await talk.say(PLAIN)
        (record,) = feedback(await read(talk, {"circular": True}))
        assert (record.kind, record.reason) == ("circular", words(talk).feedback("circular"))


@pytest.mark.parametrize(
    "reading",
    [{}, MILD, {"emotion": "anger", "intensity": 9}, {"emotion": "joy", "intensity": 9}, ELSEWHERE],
)
async def test_noise_is_not_told(talk, reading):
    assert (feedback(await read(talk, reading)), talk.state.replans) == ([], 0)


async def test_a_new_topic_that_a_task_takes_up_is_not_told(talk):
    talk.model.scripts[SELECTOR] = task_choice(task_id="c")
    for text in (PLAIN, CALLED):
        assert feedback(await read(talk, ELSEWHERE, text)) == []
    assert talk.state.task_in_progress.id == "c"


class TestRestraint:
    async def test_the_task_selectors_own_word_goes_first_and_alone(self, talk):
        await talk.say(PLAIN)
        talk.model.scripts[SELECTOR] = ANOTHER
        said = await read(talk, RESISTING | ELSEWHERE | {"circular": True})
        assert [one.source for one in feedback(said)] == [FeedbackSource.TASK_SELECTOR]
        assert (talk.state.replans, talk.state.state_feedback) == (1, {})

    async def test_a_kind_is_told_once_and_rests(self, talk):
        told = [len(feedback(await read(talk, RESISTING))) for _ in range(STATE_FEEDBACK_REST + 2)]
        assert told == [1, *[0] * STATE_FEEDBACK_REST, 1]

    async def test_nothing_is_told_in_part_1_while_the_plan_is_made_or_in_a_crisis(self, talk):
        before = talk.state
        assert feedback(await read(Talk(), RESISTING)) == []
        talk.set(plan_status=PlanStatus.PLANNING)
        assert feedback(await read(talk, RESISTING)) == []
        for reading, choice in ((RESISTING, task_choice(task_id="b")), (ELSEWHERE, ANOTHER)):
            talk.state = before
            talk.happen(RiskRaised(outcome="crisis", rule_ids=("r",), seq=1))
            talk.model.scripts[SELECTOR] = choice
            assert feedback(await read(talk, reading)) == []

    async def test_a_turn_leaves_one_document_whatever_comes_together(self, talk):
        everything = RESISTING | ELSEWHERE | {"emotion": "anger", "intensity": 9, "circular": True}
        for _ in range(6):
            assert len((await read(talk, everything)).outcome.records) <= 1
