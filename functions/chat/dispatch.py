"""Which job of the chat function does which kind of task."""

from typing import assert_never

from functions.chat.use_cases.consents import ConsentChanges
from functions.chat.use_cases.erasure import ErasureRequests
from shared.contracts.tasks import TaskKind, TaskPayload
from shared.domain.counseling.session import Session
from shared.engine.jobs import JobResult
from shared.engine.turns import Turns
from shared.engine.waiting import answer_waiting

KINDS = frozenset({TaskKind.ANSWER, TaskKind.ERASE, TaskKind.WITHDRAW})


async def dispatch(
    turns: Turns[Session], erasing: ErasureRequests, consents: ConsentChanges, payload: TaskPayload
) -> JobResult:
    """Do the task's job; another function's kind is none of ours.

    Raises:
        StoreError: The store does not answer; the task comes again.
    """
    match payload.kind:
        case TaskKind.ANSWER:
            return await answer_waiting(turns, payload)
        case TaskKind.ERASE:
            return await erasing.carry_out(payload)
        case TaskKind.WITHDRAW:
            return await consents.carry_out(payload)
        case TaskKind.SUPERVISE | TaskKind.REVIEW | TaskKind.SUMMARIZE | TaskKind.PLAN | TaskKind.CLOSE:
            return JobResult.MOOT
        case _:
            assert_never(payload.kind)
