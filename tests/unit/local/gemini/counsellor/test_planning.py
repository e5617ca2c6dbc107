"""The simulator's plans hold against the product's own checks, and its re-plans answer the feedback they were given."""

from dataclasses import replace

import pytest

from functions.planner.plan_checks import FEWEST_REPLANNED, FEWEST_TASKS, MOST_REPLANNED, MOST_TASKS
from shared.config.agents import agent_settings
from shared.domain.counseling.plans import PlanOrigin, PlanRecord
from shared.domain.counseling.records import FeedbackKind, FeedbackSource
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.task import TaskStatus
from shared.engine.jobs import JobResult
from shared.engine.runner import AgentRunner
from shared.locale import Locale
from tests.builders.job_room import Room
from tests.builders.planning import carried_out, covered_room, replanned
from tests.builders.sessions import NOW
from tests.unit.local.gemini.counsellor.conversation import BrainModel

SAID = {
    Locale.KO: (
        *("회사 일이 너무 힘들어서 왔어요", "발표에서 실수한 뒤로 제가 한심하게 느껴져요"),
        *("완벽주의라는 말도 자주 들어요", "팀장님 눈치를 보느라 할 말을 못 해요"),
    ),
    Locale.EN: (
        *("Work has been so hard that I came here", "Since I failed in a presentation I feel worthless"),
        *("I worry all night and cannot sleep", "My boss ignored me and I did not argue"),
    ),
}


async def planned(locale: Locale) -> Room:
    room = await covered_room(said=SAID[locale], locale=locale)
    room.context = replace(room.context, runner=AgentRunner(BrainModel(), agent_settings(), room.clock))
    assert await carried_out(room) is JobResult.DONE
    return room


async def record(room: Room, number: int) -> PlanRecord:
    return PlanRecord.model_validate(await room.record("plans", str(number)))


async def answered(kind: FeedbackKind, locale: Locale) -> tuple[Room, PlanRecord]:
    """Plan Part 2, begin its first task, and answer feedback of a kind."""
    room = await planned(locale)
    state = await room.session()
    begun = state.tasks[1].model_copy(update={"status": TaskStatus.IN_PROGRESS})
    why = feedback(state, FeedbackSource.USER_STATE, kind=kind.value, reason="이대로는 어렵다", seq=5, at=NOW)
    await room.change(tasks=(state.tasks[0], begun, *state.tasks[2:]), current_task=begun.id, replans=1)
    await room.add(why)
    assert await replanned(room, why.record_id) is JobResult.DONE
    return room, await record(room, 1)


@pytest.mark.parametrize("locale", Locale)
async def test_a_plan_needs_no_correction_and_quotes_the_user(locale):
    found = await record(await planned(locale), 0)
    assert (found.origin, found.counted, len(found.keywords)) == (PlanOrigin.MODEL, {}, 8)
    assert FEWEST_TASKS <= len(found.tasks) <= MOST_TASKS
    chosen = [one for one in found.keywords if one.chosen]
    assert chosen
    assert all(any(one.quote in said for said in SAID[locale]) and one.relevance >= 5 for one in chosen)
    if locale is Locale.KO:
        # a keyword that the user did not mention is rated low
        assert {one.relevance for one in found.keywords if not one.quote} == {2}
        (given,) = [one for one in found.keywords if one.keyword == "완벽주의"]
        assert (given.relevance, given.quote) == (9, "완벽주의라는 말도 자주 들어요")


MODULES = {
    FeedbackKind.RESISTANCE: "trust_building",
    FeedbackKind.EMOTION_CHANGE: "emotion_regulation",
    FeedbackKind.CIRCULAR: "reframing",
    FeedbackKind.STRATEGY_CHANGE: "empathy_expression",
}


@pytest.mark.parametrize("kind", FeedbackKind)
@pytest.mark.parametrize("locale", Locale)
async def test_a_replan_answers_each_kind_of_feedback_with_a_new_first_task(kind, locale):
    room, found = await answered(kind, locale)
    before = await record(room, 0)
    assert found.counted == {}
    assert FEWEST_REPLANNED <= len(found.tasks) <= MOST_REPLANNED
    assert found.tasks[0].title not in {one.title for one in before.tasks}
    assert kind not in MODULES or found.tasks[0].module_id == MODULES[kind]
    kept = [each for each in (await room.session()).tasks if each.id in found.kept]
    assert TaskStatus.IN_PROGRESS in {each.status for each in kept} <= {TaskStatus.IN_PROGRESS, TaskStatus.PENDING}
    titles = [each.title for each in (*kept, *found.tasks)]
    assert len(set(titles)) == len(titles), "no current task is planned again"
    if kind is FeedbackKind.RESISTANCE:
        assert found.goal == before.goal
    if (kind, locale) == (FeedbackKind.GOAL_OUT_OF_REACH, Locale.KO):
        assert "한 가지만" in found.goal
