"""Answers messages that a stopped instance left waiting, once a sweep has found them."""

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
    """Run the turns of a conversation's inbox; the client gets the replies by `message_id` later.

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
