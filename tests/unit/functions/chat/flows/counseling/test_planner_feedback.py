"""The user's state as a reason for another plan: what leaves the turn."""

import pytest

from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.state_feedback import STATE_FEEDBACK_REST
from tests.fakes.answers import task_choice, user_state_reading
from tests.fakes.counselling import task
from tests.fakes.talk import Talk

DETECTOR = "user_state_detector"
SELECTOR = "task_selector"
PLAIN = "오늘은 그냥 집에 있었어요"
RESISTING = user_state_reading(resistance="strong")
ELSEWHERE = user_state_reading(topic_changed=True)
KEPT = task_choice(task_id="b")


@pytest.fixture(params=["ko", "en"])
def talk(request):
    """Part 2 with a task in progress and two that wait; one turn has passed."""
    talk = Talk(locale=request.param)
    talk.plan(task("a", 2), task("b", 2), task("c", 2))
    talk.work_on("b")
    talk.model.scripts[SELECTOR] = KEPT
    return talk


def feedback(said):
    return said.records("planner_feedback")


async def read(talk, reading, text=PLAIN):
    talk.model.scripts[DETECTOR] = reading
    return await talk.say(text)


class TestEachCause:
    async def test_of_one_open_refusal_is_told_without_a_count_that_makes_it_small(self, talk):
        (record,) = feedback(await read(talk, RESISTING, "말하기 싫어요"))
        assert record.reason == talk.content.state_words(talk.state.locale).feedback("resistance_strong")
        assert not any(character.isdigit() for character in record.reason)

    async def test_of_persisting_resistance_is_told_with_how_often_it_showed(self, talk):
        for number in range(3):
            said = await read(talk, user_state_reading(resistance="mild"), f"글쎄요, 회사 일 {number}")
        (record,) = feedback(said)
        assert "3" in record.reason

    async def test_of_resistance_is_told_once_and_leads_to_another_module(self, talk):
        await read(talk, user_state_reading(resistance="mild"))
        said = await read(talk, RESISTING, "말하기 싫어요")
        (record,) = feedback(said)
        assert (record.source, record.kind, record.seq) == (FeedbackSource.USER_STATE, "resistance", 2)
        assert record.record_id == "2-user_state"
        assert record.reason == talk.content.state_words(talk.state.locale).feedback("resistance_strong")
        assert talk.state.replans == 1
        assert {"ReplanAsked", "StateFeedbackGiven"} <= set(said.events)
        assert said.directive["module_id"] == "resistance_handling"

    async def test_of_a_change_of_emotion_is_told_with_what_it_was_and_is(self, talk):
        await read(talk, user_state_reading(emotion="sadness", intensity=3))
        (record,) = feedback(await read(talk, user_state_reading(emotion="anger", intensity=8)))
        words = talk.content.state_words(talk.state.locale)
        assert record.kind == "emotion_change"
        assert f"{words.emotion('anger')} 8/10" in record.reason
        assert f"{words.emotion('sadness')} 3/10" in record.reason

    async def test_of_a_new_topic_is_told_when_no_task_was_found_in_two_turns(self, talk):
        talk.model.scripts.pop(SELECTOR)
        assert feedback(await read(talk, ELSEWHERE)) == []
        (record,) = feedback(await read(talk, ELSEWHERE, "엄마가 전화를 하셨어요"))
        assert record.kind == "topic_change"

    async def test_of_a_circle_is_told(self, talk):
        await talk.say(PLAIN)
        (record,) = feedback(await read(talk, user_state_reading(circular=True)))
        assert record.kind == "circular"
        assert record.reason == talk.content.state_words(talk.state.locale).feedback("circular")

    async def test_holds_no_word_of_the_user(self, talk):
        text = "비밀인데 민수가 저를 미워했어요, 그래도 말하기 싫어요"
        (record,) = feedback(
            await read(talk, user_state_reading(resistance="strong", evidence="민수가 저를 미워했어요"), text)
        )
        assert "민수" not in record.reason
        assert "미워" not in record.reason


class TestNoise:
    @pytest.mark.parametrize(
        "reading",
        [
            user_state_reading(),
            user_state_reading(resistance="mild"),
            user_state_reading(emotion="anger", intensity=9),
            user_state_reading(emotion="joy", intensity=9),
            ELSEWHERE,
        ],
    )
    async def test_is_not_told(self, talk, reading):
        said = await read(talk, reading)
        assert feedback(said) == []
        assert talk.state.replans == 0

    async def test_is_a_new_topic_that_a_task_takes_up(self, talk):
        talk.model.scripts[SELECTOR] = task_choice(task_id="c")
        for text in (PLAIN, "엄마가 전화를 하셨어요"):
            assert feedback(await read(talk, ELSEWHERE, text)) == []
        assert talk.state.task_in_progress.id == "c"


class TestRestraint:
    async def test_the_task_selectors_own_word_goes_first_and_alone(self, talk):
        await talk.say(PLAIN)
        talk.model.scripts[SELECTOR] = task_choice(task_id="none", feedback_to_task_planner="다른 이야기")
        said = await read(talk, user_state_reading(resistance="strong", circular=True, topic_changed=True))
        assert [one.source for one in feedback(said)] == [FeedbackSource.TASK_SELECTOR]
        assert (talk.state.replans, talk.state.state_feedback) == (1, {})

    async def test_a_kind_is_told_once_and_rests(self, talk):
        told = [len(feedback(await read(talk, RESISTING))) for _ in range(STATE_FEEDBACK_REST + 2)]
        assert told == [1, *[0] * STATE_FEEDBACK_REST, 1]

    async def test_nothing_is_told_in_part_1_while_the_plan_is_made_or_in_a_crisis(self, talk):
        before = talk.state
        opening = Talk()
        assert feedback(await read(opening, RESISTING)) == []
        talk.set(plan_status=PlanStatus.PLANNING)
        assert feedback(await read(talk, RESISTING)) == []
        talk.state = before
        talk.happen(RiskRaised(outcome="crisis", rule_ids=("r",), seq=1))
        assert feedback(await read(talk, RESISTING)) == []

    async def test_nor_by_the_task_selector_in_a_crisis(self, talk):
        talk.happen(RiskRaised(outcome="crisis", rule_ids=("r",), seq=1))
        talk.model.scripts[SELECTOR] = task_choice(task_id="none", feedback_to_task_planner="다른 이야기")
        assert feedback(await read(talk, ELSEWHERE)) == []

    async def test_a_turn_leaves_one_document_whatever_comes_together(self, talk):
        everything = user_state_reading(
            resistance="strong", emotion="anger", intensity=9, topic_changed=True, circular=True
        )
        for _ in range(6):
            assert len((await read(talk, everything)).outcome.records) <= 1
