"""Runs turns: one at a time per conversation, once per message id, up to the commit even if the caller leaves."""

import asyncio
import contextlib
import logging
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic

from shared.contracts.chat import reply_of
from shared.contracts.events import Done, Failed, Replace
from shared.domain.conversation import S
from shared.domain.errors import (
    CBotError,
    ErrorKind,
    LeaseLost,
    MessageIdConflict,
    NotFound,
    ShuttingDown,
    StoreUnavailable,
    TurnPending,
    VersionConflict,
)
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.domain.mailbox import Lease, Mailbox, claim
from shared.domain.turn import TurnResult
from shared.engine.admission import Admission, Admitted, Incoming, owned, same_text
from shared.engine.capacity import Phase
from shared.engine.event_stream import EventStream
from shared.engine.lease import TAKEOVER_SECONDS
from shared.engine.turn_worker import TurnWorker
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.observability.trace_context import ensure_trace
from shared.ports.clock import Clock
from shared.ports.conversation_documents import Snapshot, VersionedMailbox
from shared.ports.conversation_store import ConversationStore

COUNTED_SECONDS = 1.0
"""Longest interval between two reads that counts, seconds: if this process or the store paused, the holder may have
paused too and gets time to renew."""


class LeaseWatch:
    """One waiting message's view of another turn's lease, timed on this instance's stopwatch."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lease: Lease | None = None
        self._counted_until = 0.0
        self._unchanged = 0.0

    def silent(self, lease: Lease, asked: float) -> bool:
        """Record a read of the lease and tell whether it was unchanged for `TAKEOVER_SECONDS`.

        Args:
            lease: The lease just read; every renewal changes it.
            asked: Stopwatch time at which the read began.
        """
        if lease == self._lease:
            self._unchanged += min(max(0.0, asked - self._counted_until), COUNTED_SECONDS)
            self._counted_until = asked
        else:
            self._lease, self._unchanged = lease, 0.0
            self._counted_until = self._clock.monotonic()
        return self._unchanged >= TAKEOVER_SECONDS


Key = tuple[UserId, ConversationId, MessageId]


@dataclass
class Running:
    """A message that this instance answers or that waits here."""

    message: Incoming
    admitted: "asyncio.Future[None]"
    stream: EventStream = field(default_factory=EventStream)
    task: "asyncio.Task[None] | None" = None

    def refuse(self, refusal: BaseException) -> None:
        """Raise the refusal for every caller."""
        self.admitted.set_exception(refusal)
        self.admitted.exception()  # retrieved, so that asyncio does not warn if the caller is gone


def under_way(running: Mapping[Key, Running]) -> list["asyncio.Task[None]"]:
    return [one.task for one in running.values() if one.task is not None and not one.task.done()]


async def until_ended(running: Mapping[Key, Running], seconds: float) -> None:
    """Wait until no task runs, including tasks that start during the wait, for at most `seconds`."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while tasks := under_way(running):
                await asyncio.wait(tasks)


def failure(error: CBotError) -> Failed:
    """Convert an error to a stream event; the HTTP layer adds the localised detail."""
    return Failed(code=error.code, detail="", retryable=error.kind is ErrorKind.RETRYABLE)


def replayed(result: TurnResult) -> EventStream:
    """Return a finished stream of an answered turn."""
    stream = EventStream()
    replay(stream, result)
    return stream


def replay(stream: EventStream, result: TurnResult) -> None:
    """Emit the reply and the result of an answered turn."""
    stream.seq = result.seq
    stream.emit(Replace(text=result.reply))
    stream.emit(Done(result=reply_of(result)))


log = logging.getLogger(__name__)

WAIT_SECONDS = 120.0
"""How long a message waits for earlier messages and its own turn, seconds."""
KEEP_SECONDS = 30.0
"""How long a finished turn's events stay in memory for a reconnecting listener, seconds."""
BREAK_OFF_SECONDS = 0.8
"""Time for cancelled turns to free their leases, seconds."""
FIRST_POLL, LAST_POLL = 0.05, 0.5
"""Seconds between reads of a lease that another instance holds; doubled from first to last."""


class Turns(Generic[S]):
    """The turns of this instance.

    Attributes:
        capacity: Limits concurrent turns.
    """

    def __init__(
        self, store: ConversationStore[S], admission: Admission[S], worker: TurnWorker[S], clock: Clock, owner: str
    ) -> None:
        self._store = store
        self._admission = admission
        self.capacity = admission.capacity
        self._worker = worker
        self._clock = clock
        self._owner = owner
        self._running: dict[Key, Running] = {}
        self._freed: dict[ConversationId, asyncio.Event] = {}

    async def submit(self, message: Incoming) -> EventStream:
        """Accept a message; its turn runs on even if the caller leaves.

        Copies of one message share one turn and one stream.

        Raises:
            Refused: See `Admission.admit`; nothing was stored.
        """
        key = message.key
        present = self._running.get(key)
        if present is None or isinstance(present.stream.ending, Failed):
            present = Running(message=message, admitted=asyncio.get_running_loop().create_future())
            self._running[key] = present
            present.task = asyncio.create_task(self._serve(present))
        else:
            # A copy of a message costs one read, since its conversation may have been deleted.
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
            wait: Run or await an unanswered turn; else return None for it.

        Raises:
            NotFound: The conversation or message does not exist or belongs to another user.
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
        text, declines, document_id = waiting.asked
        again = Incoming(user_id, conversation_id, message_id, text, declines=declines, document_id=document_id)
        return await self.submit(again)

    async def resume(self, conversation_id: ConversationId) -> EventStream | None:
        """Answer the messages that a stopped instance left in the inbox.

        Returns:
            The stream of the last waiting message, or None if none waits.
        """
        snapshot = await self._store.load(conversation_id)
        if snapshot is None or not snapshot.mailbox.box.inbox:
            return None
        last = snapshot.mailbox.box.inbox[-1].message_id
        return await self.attach(snapshot.session.state.user_id, conversation_id, last, wait=True)

    def stop(self, conversation_id: ConversationId) -> None:
        """Cancel the turn that this instance runs in a conversation."""
        self._worker.stop(conversation_id)

    async def drain(self, seconds: float) -> None:
        """Start no further turns and let running ones reach their commit for at most `seconds`.

        Turns still running then are cancelled: their leases are freed, so that another instance can answer at once, and
        their listeners get an error. Messages for the crisis protocol are accepted until the end.
        """
        self.capacity.phase = max(self.capacity.phase, Phase.DRAINING)
        await until_ended(self._running, seconds)
        self.capacity.phase = Phase.CLOSED
        for task in under_way(self._running):
            task.cancel()
        await until_ended(self._running, BREAK_OFF_SECONDS)

    async def _serve(self, running: Running) -> None:
        """Admit and answer one message; every path answers its callers."""
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
        return ShuttingDown() if self.capacity.phase is Phase.CLOSED else cancelled

    async def _failure_of(self, answering: Coroutine[None, None, None], conversation: ConversationId) -> Failed | None:
        """Answer a message; return the failure event for its listeners, or None."""
        try:
            async with asyncio.timeout(WAIT_SECONDS * self._worker.patience):
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
        """Check the message: answered (then the stream is closed), or the conversation can be claimed."""
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
            raise refusal  # The message stays queued and is answered once the user has consented.
        if not self._claimable(box, now, watch, asked):
            return None
        if self.capacity.phase is not Phase.SERVING and not message.pressing_in(snapshot.session.state):
            raise ShuttingDown  # The message stays queued; the instance that the client reconnects to answers it.
        mailbox = VersionedMailbox(box=claim(box, self._owner, now), version=snapshot.mailbox.version)
        try:
            claimed = Snapshot(session=snapshot.session, mailbox=await self._store.save_mailbox(mailbox))
        except VersionConflict:
            return None
        if box.lease is not None:
            log_event(log, LogEvent.LEASE_TAKEN_OVER, conversation=message.conversation_id)
        return claimed

    def _claimable(self, box: Mailbox, now: datetime, watch: LeaseWatch, asked: float) -> bool:
        """Tell whether no worker holds the mailbox's lease, as far as this instance can know."""
        if box.lease is None:
            return True
        if self._worker.runs(box.conversation_id, box.lease):
            return False
        ended = box.free(now) or self._worker.stale_lease(box.conversation_id, box.lease)
        return watch.silent(box.lease, asked) or ended

    async def _work(self, claimed: Snapshot[S], running: Running) -> None:
        """Run the turn at the head of the inbox: this message's own, or one left by a crash."""
        conversation_id, head = claimed.mailbox.box.conversation_id, claimed.mailbox.box.inbox[0]
        here: Running | None = running
        if head.message_id != running.message.message_id:
            here = self._running.get((claimed.session.state.user_id, conversation_id, head.message_id))
        try:
            # A message with another text under the head's id will be refused.
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
