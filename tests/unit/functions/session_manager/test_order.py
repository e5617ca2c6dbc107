"""All background work of one turn, in any order and several times: the same session in the end."""

from collections.abc import Awaitable, Callable, Sequence
from itertools import permutations

import pytest

from functions.session_manager.dispatch import dispatch
from functions.session_manager.summarize import Summary
from functions.supervisor.supervise import supervise
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.counseling.completions import completions_due
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import Part, SufficientReason
from shared.domain.counseling.task_events import TaskCovered
from shared.engine.jobs import JobResult
from shared.services.counseling.job_context import CounselingJobContext
from tests.fakes.answers import judgement, session_review
from tests.fakes.background_room import Room, payload
from tests.fakes.counselling import NOW, session, task

Job = Callable[[CounselingJobContext, TaskPayload], Awaitable[JobResult]]

SCRIPTS = {
    "supervisor": judgement(6, strategy_change=True, strategy="더 천천히", improvements=("되비춰 주세요.",)),
    "session_manager": session_review(feedback_to_task_planner="너무 넓다"),
    "summarizer": Summary(summary="요약."),
}
KINDS: tuple[tuple[Job, JobKind], ...] = (
    (supervise, JobKind.SUPERVISE),
    (dispatch, JobKind.REVIEW),
    (dispatch, JobKind.SUMMARIZE),
)


async def outcome(order: Sequence[tuple[Job, JobKind]]) -> tuple[dict[str, object], set[str]]:
    room = Room(SCRIPTS)
    state = session(task("task_part2_1", Part.EXPLORATION), current_part=Part.EXPLORATION, plan_status=PlanStatus.READY)
    covered = TaskCovered(task_id="task_part2_1", reason=SufficientReason.JUDGED, seq=5).apply(state, NOW)
    await room.open(covered, tuple(f"이야기 {number}" for number in range(6)))
    for job, kind in order:
        for _ in range(3):
            await job(room.context, payload(kind, 6))
    assert completions_due(await room.session()) == ()
    return await room.essence(), set(await room.documents())


async def test_the_order_of_deliveries_does_not_matter(subtests: pytest.Subtests) -> None:
    for order in list(permutations(KINDS)):
        with subtests.test(order=order):
            expected, documents = await outcome(KINDS)
            assert await outcome(order) == (expected, documents)
            assert expected["replans"] == 2
            assert "sessions/c1/completions/5-task_part2_1" in documents
            assert await outcome([*order, *reversed(order)]) == (expected, documents)


@pytest.mark.parametrize("kind", [JobKind.SUPERVISE, JobKind.PLAN])
async def test_another_functions_work_is_moot(kind: JobKind) -> None:
    assert await dispatch(Room().context, payload(kind, 6)) is JobResult.MOOT
