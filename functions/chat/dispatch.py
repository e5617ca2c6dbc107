"""Routes tasks to the jobs of the chat function."""

from functions.chat.use_cases.consents import ConsentChanges
from functions.chat.use_cases.erasure import ErasureRequests
from functions.chat.use_cases.reminders import Reminders
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.counseling.session import Session
from shared.engine.jobs import JobResult
from shared.engine.turns import Turns
from shared.engine.waiting import answer_waiting

KINDS = frozenset({JobKind.ANSWER, JobKind.ERASE, JobKind.WITHDRAW, JobKind.REMIND})


async def dispatch(
    turns: Turns[Session],
    erasure_requests: ErasureRequests,
    consents: ConsentChanges,
    reminders: Reminders,
    payload: TaskPayload,
) -> JobResult:
    """Do the task's job; other functions' kinds are moot.

    Raises:
        StoreError: The store does not answer; the task is retried.
    """
    match payload.kind:
        case JobKind.ANSWER:
            return await answer_waiting(turns, payload)
        case JobKind.ERASE:
            return await erasure_requests.carry_out(payload)
        case JobKind.WITHDRAW:
            return await consents.carry_out(payload)
        case JobKind.REMIND:
            return await reminders.carry_out(payload)
        case _:
            return JobResult.MOOT
