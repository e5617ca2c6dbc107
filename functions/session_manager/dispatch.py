"""Routes tasks to the session manager's jobs."""

from functions.session_manager.close import close, close_by_rule, write_provisional_closing
from functions.session_manager.review import review
from functions.session_manager.summarize import leave_out, summarize
from shared.contracts.tasks import JobKind, TaskPayload
from shared.engine.jobs import JobResult
from shared.services.counseling.job_context import CounselingJobContext

KINDS = frozenset({JobKind.REVIEW, JobKind.SUMMARIZE, JobKind.CLOSE})


async def dispatch(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Do the job of a task; tasks of another function are ignored."""
    match payload.kind:
        case JobKind.REVIEW:
            return await review(context, payload)
        case JobKind.SUMMARIZE:
            return await summarize(context, payload)
        case JobKind.CLOSE:
            return await close(context, payload)
        case _:
            return JobResult.MOOT


async def give_up(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Finish work for which no model gave a usable answer; an ended session still gets a closing."""
    match payload.kind:
        case JobKind.CLOSE:
            return await close_by_rule(context, payload)
        case JobKind.SUMMARIZE:
            return await leave_out(context, payload)
        case _:
            return await context.give_up(payload)


async def stand_in(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Write a provisional closing until a model can be reached, so that the user finds one."""
    return await write_provisional_closing(context, payload) if payload.kind is JobKind.CLOSE else JobResult.MOOT
