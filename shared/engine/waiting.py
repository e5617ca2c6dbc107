"""Answers messages that were left waiting by an instance that is gone, when a sweep has found them."""

import logging

from shared.contracts.events import Done
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import S
from shared.domain.errors import NotFound
from shared.domain.ids import ConversationId
from shared.engine.jobs import JobResult
from shared.engine.turns import Turns

log = logging.getLogger(__name__)


async def answer_waiting(turns: Turns[S], payload: TaskPayload) -> JobResult:
    """Run the turns of a conversation's inbox; their replies are found by `message_id` when the person comes back.

    Raises:
        StoreUnavailable: The store does not answer.
    """
    try:
        stream = await turns.resume(ConversationId(payload.conversation_id))
    except NotFound:
        return JobResult.MOOT
    if stream is None:
        return JobResult.MOOT
    ending = await stream.end()
    return JobResult.DONE if isinstance(ending, Done) or not ending.retryable else JobResult.RETRY
