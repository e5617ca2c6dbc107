"""Runs turns: serial in a conversation, once a message id, on to the commit whatever the caller does."""

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from datetime import datetime
from typing import Generic

from shared.contracts.events import Failed
from shared.domain.conversation import S
from shared.domain.errors import (
    CBotError,
    LeaseLost,
    MessageIdConflict,
    NotFound,
    ShuttingDown,
    StoreUnavailable,
    TurnPending,
    VersionConflict,
)
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.domain.mailbox import Mailbox, claim
from shared.engine.admission import Admission, Admitted, Incoming, owned, same_text
from shared.engine.capacity import Phase
from shared.engine.endings import failure, replay, replayed
from shared.engine.event_stream import EventStream
from shared.engine.lease_watch import LeaseWatch
from shared.engine.running import Key, Running, under_way, until_ended
from shared.engine.turn_worker import TurnWorker
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.observability.trace_context import ensure_trace
from shared.ports.clock import Clock
from shared.ports.conversation_documents import Snapshot, VersionedMailbox
from shared.ports.conversation_store import ConversationStore

log = logging.getLogger(__name__)

WAIT_SECONDS = 120.0
"""How long a message waits for those before it and for its own turn."""
KEEP_SECONDS = 30.0
"""How long a finished turn's events stay in memory for a listener that comes back."""
BREAK_OFF_SECONDS = 0.8
"""For turns that were broken off to give their leases back."""
FIRST_POLL, LAST_POLL = 0.05, 0.5
"""Seconds between two looks at a lease that another instance holds; doubling from first to last."""


class Turns(Generic[S]):
    """The turns of this instance.

    Attributes:
        capacity: How many it runs at a time, and whether it begins any.
    """

    def __init__(
        self,
        store: ConversationStore[S],
        admission: Admission[S],
        worker: TurnWorker[S],
        clock: Clock,
        owner: str,
    ) -> None:
        """Take the parts; `owner` names this instance in leases."""
        self._store = store
        self._admission = admission
        self.capacity = admission.capacity
        self._worker = worker
        self._clock = clock
        self._owner = owner
        self._running: dict[Key, Running] = {}
        self._freed: dict[ConversationId, asyncio.Event] = {}

    async def submit(self, message: Incoming) -> EventStream:
        """Take a message; its turn runs on by itself whatever becomes of the caller.

        Copies of one message share one turn and one stream.

        Raises:
            Refused: As `Admission.admit` says; nothing was stored then.
        """
        key = message.key
        present = self._running.get(key)
        if present is None or isinstance(present.stream.ending, Failed):
            present = Running(message=message, admitted=asyncio.get_running_loop().create_future())
            self._running[key] = present
            present.task = asyncio.create_task(self._serve(present))
        else:
            # A copy of a message costs a read: its conversation may have been deleted since.
            await self._admission.snapshot_for(message)
        await asyncio.shield(present.admitted)
        if present.message.digest != message.digest:
            raise MessageIdConflict(message.message_id)
        return present.stream

    async def attach(
        self, user_id: UserId, conversation_id: ConversationId, message_id: MessageId, *, wait: bool
    ) -> EventStream | None:
        """Return the stream of a message that was sent before.

        Args:
            user_id: The caller.
            conversation_id: The conversation.
            message_id: The message.
            wait: Run or await an unanswered turn; otherwise an unanswered one gives None.

        Raises:
            NotFound: No such conversation or message, or not the caller's.
        """
        snapshot = await owned(self._store, conversation_id, user_id)
        present = self._running.get((user_id, conversation_id, message_id))
        if present is not None and (wait or present.stream.closed):
            return present.stream
        waiting = snapshot.mailbox.box.waiting(message_id)
        if waiting is None:
            turn = await self._store.turn(conversation_id, message_id)
            if turn is None:
                raise NotFound("message")
            return replayed(turn.result)
        if not wait:
            return None
        again = Incoming(user_id, conversation_id, message_id, waiting.text, declines=waiting.declines)
        return await self.submit(again)

    async def resume(self, conversation_id: ConversationId) -> EventStream | None:
        """Answer what an instance that is gone left waiting, the last message included.

        Returns:
            The stream of the last message that waits, or None when none does.
        """
        snapshot = await self._store.load(conversation_id)
        if snapshot is None or not snapshot.mailbox.box.inbox:
            return None
        last = snapshot.mailbox.box.inbox[-1].message_id
        return await self.attach(snapshot.session.state.user_id, conversation_id, last, wait=True)

    def stop(self, conversation_id: ConversationId) -> None:
        """Break off the turn that this instance runs in a conversation: it has no right to go on."""
        self._worker.stop(conversation_id)

    async def drain(self, seconds: float) -> None:
        """Begin no turn any more, and let those under way come to their commit, for at most so long.

        Those that do not are broken off: their leases are given back, so that another instance answers the message at
        once, and their listeners are told so. The crisis protocol answers new messages to the last.
        """
        self.capacity.phase = max(self.capacity.phase, Phase.DRAINING)
        await until_ended(self._running, seconds)
        self.capacity.phase = Phase.CLOSED
        for task in under_way(self._running):
            task.cancel()
        await until_ended(self._running, BREAK_OFF_SECONDS)

    async def _serve(self, running: Running) -> None:
        """Admit and answer one message; every way out of here answers its callers."""
        ensure_trace()
        try:
            await self._admit_and_answer(running)
        finally:
            self.capacity.release(running.message.key)

    async def _admit_and_answer(self, running: Running) -> None:
        key = running.message.key
        try:
            admitted = await self._admission.admit(running.message)
        except asyncio.CancelledError as cancelled:
            running.refuse(self._reason(cancelled))
            raise
        except Exception as refusal:  # noqa: BLE001 - nothing is hidden: every caller of `submit` gets it
            self._running.pop(key, None)
            running.refuse(refusal)
            return
        running.admitted.set_result(None)
        failed = await self._failure_of(self._answer(running, admitted), running.message.conversation_id)
        if failed is not None:
            running.stream.emit(failed)
        asyncio.get_running_loop().call_later(0 if failed else KEEP_SECONDS, self._forget, key, running)

    def _reason(self, cancelled: asyncio.CancelledError) -> BaseException:
        """Return why a turn was cancelled."""
        return ShuttingDown() if self.capacity.phase is Phase.CLOSED else cancelled

    async def _failure_of(self, answering: Coroutine[None, None, None], conversation: ConversationId) -> Failed | None:
        """Let a message be answered; returns what its listeners are to be told when that fails."""
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await answering
        except TimeoutError:
            log_event(log, LogEvent.TURN_FAILED, error=TurnPending.code, conversation=conversation)
            return failure(TurnPending(retry_after=5))
        except asyncio.CancelledError as cancelled:
            reason = self._reason(cancelled)
            if not isinstance(reason, ShuttingDown):
                raise
            log_event(log, LogEvent.TURN_FAILED, error=reason, conversation=conversation)
            return failure(reason)
        except CBotError as error:
            log_event(log, LogEvent.TURN_FAILED, error=error, conversation=conversation)
            return failure(error)
        except Exception as error:  # noqa: BLE001 - the outermost edge of a turn: no listener is left hanging
            log_event(log, LogEvent.TURN_BROKE, error=error, conversation=conversation)
            return failure(CBotError("unexpected"))
        return None

    def _forget(self, key: Key, running: Running) -> None:
        if self._running.get(key) is running:
            del self._running[key]

    async def _answer(self, running: Running, admitted: Admitted[S]) -> None:
        if admitted.answered is not None:
            replay(running.stream, admitted.answered.result)
            return
        claimed, poll, watch = admitted.claimed, FIRST_POLL, LeaseWatch(self._clock)
        while not running.stream.closed:
            if claimed is None:
                claimed = await self._look(running, watch)
                if claimed is None and not running.stream.closed:
                    await self._until_freed(running.message.conversation_id, poll)
                    poll = min(poll * 2, LAST_POLL)
                continue
            await self._work(claimed, running)
            claimed = None

    async def _look(self, running: Running, watch: LeaseWatch) -> Snapshot[S] | None:
        """See how the message stands: answered (the stream is closed then), or its conversation free to claim."""
        message, asked = running.message, self._clock.monotonic()
        snapshot = await owned(self._store, message.conversation_id, message.user_id)
        box, now = snapshot.mailbox.box, self._clock.now()
        if box.waiting(message.message_id) is None:
            turn = await self._store.turn(message.conversation_id, message.message_id)
            if turn is None:
                raise StoreUnavailable("the message was stored, and is neither queued nor answered")
            replay(running.stream, same_text(turn, message).result)
            return None
        if (refusal := self._admission.without_consent(snapshot.session.state)) is not None:
            raise refusal  # it stays queued, and is answered once the person has consented
        if not self._claimable(box, now, watch, asked):
            return None
        if self.capacity.phase is not Phase.SERVING and not message.pressing_in(snapshot.session.state):
            raise ShuttingDown  # it stays queued, and is answered by the instance that its listener goes to
        mailbox = VersionedMailbox(box=claim(box, self._owner, now), version=snapshot.mailbox.version)
        try:
            claimed = Snapshot(session=snapshot.session, mailbox=await self._store.save_mailbox(mailbox))
        except VersionConflict:
            return None
        if box.lease is not None:
            log_event(log, LogEvent.LEASE_TAKEN_OVER, conversation=message.conversation_id)
        return claimed

    def _claimable(self, box: Mailbox, now: datetime, watch: LeaseWatch, asked: float) -> bool:
        """Tell whether nobody works under the mailbox's lease, as far as can be known."""
        if box.lease is None:
            return True
        if self._worker.runs(box.conversation_id, box.lease):
            return False
        ended = box.free(now) or self._worker.stale_lease(box.conversation_id, box.lease)
        return watch.silent(box.lease, asked) or ended

    async def _work(self, claimed: Snapshot[S], running: Running) -> None:
        """Run the turn at the head of the inbox: this message's own, or one left behind by a crash."""
        conversation_id, head = claimed.mailbox.box.conversation_id, claimed.mailbox.box.inbox[0]
        here: Running | None = running
        if head.message_id != running.message.message_id:
            here = self._running.get((claimed.session.state.user_id, conversation_id, head.message_id))
        try:
            # Another text under the head's id is not admitted yet, and will not be.
            if here is None or here.message.text != head.text:
                await self._worker.run(claimed, EventStream())
            else:
                await self._worker.run(claimed, here.stream, here.message.screened)
        except LeaseLost:
            log_event(log, LogEvent.LEASE_LOST, conversation=conversation_id)
        finally:
            freed = self._freed.pop(conversation_id, None)
            if freed is not None:
                freed.set()

    async def _until_freed(self, conversation_id: ConversationId, seconds: float) -> None:
        freed = self._freed.setdefault(conversation_id, asyncio.Event())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await freed.wait()
