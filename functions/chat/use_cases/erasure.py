"""Erases a conversation, an upload, or everything of a user: hides it in one commit, then deletes and audits it.

A task finishes what the request does not, and the sweep what a dead instance left. Every step may be repeated.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from functions.chat.use_cases.erasure_propagation import ErasurePropagation
from shared.contracts.tasks import TaskPayload, erasure_task
from shared.domain.counseling.session import Session
from shared.domain.erasure import Erasure
from shared.domain.errors import CBotError, DocumentExists, NotFound, VersionConflict
from shared.domain.ids import ConversationId, UserId
from shared.engine.enqueue import enqueue_due
from shared.engine.jobs import JobResult
from shared.engine.retry import SESSION_WRITES, retry_conflicts
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.ports.clock import Clock, IdSource
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller
from shared.ports.task_queue import TaskQueue

log = logging.getLogger(__name__)

REQUEST_SECONDS = 8.0
"""How long a request deletes before it leaves the rest to a task, seconds: the longest time that an answer may take."""
AT_ONCE = 10
"""Conversations deleted in parallel."""


@dataclass(frozen=True)
class ErasureRequests:
    """Erases on request, and continues unfinished erasures.

    Attributes:
        stop: Cancels the turn that this instance runs in a conversation.
        seconds: How long a request deletes.
    """

    store: ConversationStore[Session]
    propagation: ErasurePropagation
    queue: TaskQueue
    clock: Clock
    ids: IdSource
    stop: Callable[[ConversationId], None]
    seconds: float = REQUEST_SECONDS

    async def conversation(self, caller: Caller, conversation_id: ConversationId) -> bool:
        """Erase a conversation of the caller's, or continue its erasure.

        Returns:
            Whether it is gone. Else it is hidden, and a task continues.

        Raises:
            NotFound: It does not exist or belongs to another user.
            StoreUnavailable: It may be hidden or not; if it is, it will be erased.
        """
        return await self._finished([await self._hidden(caller, conversation_id)])

    async def everything(self, caller: Caller) -> bool:
        """Erase everything of the caller's, and continue earlier erasures.

        Returns:
            Whether all is gone. Else it is hidden, and tasks continue.

        Raises:
            StoreUnavailable: It may be hidden or not; if it is, it will be erased.
        """
        await self._hide_everything(caller.user_id, self.clock.now())
        return await self._finished(await self.store.erasures_of(caller.user_id))

    async def document(self, caller: Caller, document_id: str) -> bool:
        """Erase a document that the caller uploaded.

        Returns:
            Whether it is gone. Else it is hidden, and a task continues.

        Raises:
            NotFound: It does not exist or belongs to another user.
            StoreUnavailable: It may be hidden or not; if it is, it will be erased.
        """

        async def attempt() -> Erasure:
            kept = await self.store.upload(document_id)
            if kept is None or kept.user_id != caller.user_id:
                raise NotFound("document")
            erasure = Erasure(
                erasure_id=document_id,
                user_id=caller.user_id,
                everything=False,
                conversations=(),
                documents=(document_id,),
                requested_at=self.clock.now(),
            )
            await self.store.hide_upload(erasure, kept)
            return erasure

        return await self._finished([await retry_conflicts(SESSION_WRITES, attempt, "upload", (DocumentExists,))])

    async def carry_out(self, payload: TaskPayload) -> JobResult:
        """Continue an unfinished erasure.

        Raises:
            StoreError: Something is left; the task may be repeated.
        """
        erasure = await self.store.erasure(payload.conversation_id)
        if erasure is None:
            return JobResult.MOOT
        await self._carry_out(erasure)
        return JobResult.DONE

    async def _hidden(self, caller: Caller, conversation_id: ConversationId) -> Erasure:

        async def attempt() -> Erasure:
            view = await self.store.view(conversation_id)
            if view is None:
                return await self._unfinished(caller, conversation_id)
            if view.user_id != caller.user_id:
                raise NotFound("conversation")
            erasure = Erasure(
                erasure_id=conversation_id,
                user_id=caller.user_id,
                everything=False,
                conversations=(conversation_id,),
                opened_at=view.created_at,
                requested_at=self.clock.now(),
            )
            read_without = partial(self.propagation.profile_without, caller.user_id, conversation_id)
            await self.store.hide_conversation(erasure, read_without)
            self.stop(conversation_id)
            return erasure

        return await retry_conflicts(SESSION_WRITES, attempt, "session or profile", (VersionConflict, DocumentExists))

    async def _unfinished(self, caller: Caller, conversation_id: ConversationId) -> Erasure:
        erasure = await self.store.erasure(conversation_id)
        if erasure is None or erasure.user_id != caller.user_id:
            raise NotFound("conversation")
        return erasure

    async def _hide_everything(self, user_id: UserId, at: datetime) -> None:
        """Hide everything, repeated until a pass finds nothing.

        The second pass finds a profile that a job created in between; no job is left after it.
        """
        while hidden := await self._hide_some(user_id, at):
            await self._hide_older(user_id, at, hidden.older_than)

    async def _hide_older(self, user_id: UserId, at: datetime, older_than: datetime | None) -> None:
        """Hide the conversations before a time in several commits, since a commit has limited writes."""
        while older_than is not None:
            hidden = await self._hide_some(user_id, at, older_than)
            older_than = hidden.older_than if hidden else None

    async def _hide_some(self, user_id: UserId, at: datetime, older_than: datetime | None = None) -> Erasure | None:
        hidden = await self.store.hide_everything(user_id, at, self.ids.new_id(), older_than)
        for conversation_id in hidden.conversations if hidden else ():
            self.stop(conversation_id)
        return hidden

    async def _finished(self, erasures: Sequence[Erasure]) -> bool:
        try:
            async with asyncio.timeout(self.seconds):
                for erasure in erasures:
                    await self._carry_out(erasure)
        except (TimeoutError, CBotError) as error:
            log_event(log, LogEvent.ERASURE_LEFT, error=error if isinstance(error, CBotError) else "timeout")
            await enqueue_due(self.queue, [erasure_task(erasure.erasure_id) for erasure in erasures])
            return False
        return True

    async def _carry_out(self, erasure: Erasure) -> None:
        if erasure.everything:  # where no conversation is left, bookings that did not fit into a commit may be
            await self._hide_older(erasure.user_id, erasure.requested_at, erasure.older_than or erasure.requested_at)
        for first in range(0, len(erasure.conversations), AT_ONCE):
            await asyncio.gather(*map(self.store.erase, erasure.conversations[first : first + AT_ONCE]))
        await asyncio.gather(*map(self.store.erase_upload, erasure.documents))
        if erasure.opened_at is not None:
            for conversation_id in erasure.conversations:
                await self.propagation.in_later_ones(erasure.user_id, conversation_id, erasure.opened_at)
        await self.store.end_erasure(erasure, self.clock.now())
