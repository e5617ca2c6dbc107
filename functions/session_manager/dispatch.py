"""Which job does which kind of task."""

from typing import assert_never

from functions.session_manager.close import close, close_by_rule, close_for_now
from functions.session_manager.review import review
from functions.session_manager.summarize import leave_out, summarize
from shared.contracts.tasks import TaskKind, TaskPayload
from shared.engine.jobs import JobResult
from shared.services.counseling.job_context import CounselingJobContext

KINDS = frozenset({TaskKind.REVIEW, TaskKind.SUMMARIZE, TaskKind.CLOSE})


async def dispatch(bench: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Do the task's job; another function's kind is none of ours."""
    match payload.kind:
        case TaskKind.REVIEW:
            return await review(bench, payload)
        case TaskKind.SUMMARIZE:
            return await summarize(bench, payload)
        case TaskKind.CLOSE:
            return await close(bench, payload)
        case TaskKind.SUPERVISE | TaskKind.PLAN | TaskKind.ANSWER | TaskKind.ERASE | TaskKind.WITHDRAW:
            return JobResult.MOOT
        case _:
            assert_never(payload.kind)


async def give_up(bench: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Do without a model what none gave an answer of use to: an ended session gets its closing in any case."""
    match payload.kind:
        case TaskKind.CLOSE:
            return await close_by_rule(bench, payload)
        case TaskKind.SUMMARIZE:
            return await leave_out(bench, payload)
        case (
            TaskKind.REVIEW | TaskKind.SUPERVISE | TaskKind.PLAN | TaskKind.ANSWER | TaskKind.ERASE | TaskKind.WITHDRAW
        ):
            return await bench.give_up(payload)
        case _:
            assert_never(payload.kind)


async def stand_in(bench: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Write what stands until a model can be reached: of an ended session its user is to find something."""
    return await close_for_now(bench, payload) if payload.kind is TaskKind.CLOSE else JobResult.MOOT
