"""A held turn lease: renewed while the turn runs; the mailbox is written only while the lease is held."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from shared.domain.conversation import ConversationState
from shared.domain.errors import LeaseLost, NotFound, StoreUnavailable, VersionConflict
from shared.domain.mailbox import LEASE_TTL, Mailbox, abandon, renew, settle
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.ports.clock import Clock
from shared.ports.conversation_documents import S, Snapshot, VersionedMailbox
from shared.ports.conversation_store import ConversationStore

log = logging.getLogger(__name__)

RENEW_SECONDS = 3.0
"""Seconds between renewals, and from the claim to the first: most turns end earlier and never renew."""
TAKEOVER_SECONDS = 5.5
"""A lease that a waiting message saw unchanged for so many seconds is free: a renewal may be 2.5 s late."""
CONFIRMED_SECONDS = TAKEOVER_SECONDS
"""Without a confirmation from the store for so many seconds no model is asked: the lease may be lost."""
GIVE_UP_SECONDS = 2.0
"""Timeout for freeing a failed turn's lease, seconds, while its listener waits. Else the lease expires."""


class HeldLease:
    """The lease of one turn and the mailbox as last read or written."""

    def __init__(
        self,
        store: ConversationStore[S],
        mailbox: VersionedMailbox,
        clock: Clock,
        *,
        renew_seconds: float = RENEW_SECONDS,
    ) -> None:
        """Create it from a mailbox whose lease was just claimed."""
        lease = mailbox.box.lease
        if lease is None:
            raise ValueError("the mailbox holds no lease")
        self.token = lease.token
        self.message_id = lease.message_id
        self.conversation_id = mailbox.box.conversation_id
        self._store: ConversationStore[ConversationState] = store  # type: ignore[assignment]
        self._mailbox = mailbox
        self._clock = clock
        self._renew_seconds = renew_seconds
        self._writing = asyncio.Lock()
        self._turn: asyncio.Task[object] | None = None
        self._lost = False
        claimed = lease.expires_at - LEASE_TTL
        self._age = max(0.0, (clock.now() - claimed).total_seconds())
        self._confirmed = clock.monotonic() - self._age

    @asynccontextmanager
    async def renewed(self) -> AsyncIterator[None]:
        """Renew the lease inside the block; the block is cancelled if the lease is lost."""
        self._turn = asyncio.current_task()
        beat = asyncio.create_task(self._beat())
        try:
            yield
        except asyncio.CancelledError:
            if self._lost:
                if (turn := asyncio.current_task()) is not None:
                    turn.uncancel()
                raise LeaseLost(self.conversation_id, self.token) from None
            raise
        finally:
            self._turn = None
            beat.cancel()

    @property
    def lost(self) -> bool:
        """Whether the lease is known to be lost."""
        return self._lost

    def lose(self) -> None:
        """Mark the lease as lost and cancel the block, including a running model call."""
        if self._lost:
            return
        self._lost = True
        if self._turn is not None:
            self._turn.cancel()

    async def confirmed(self) -> None:
        """Check that a model may be asked: the lease is held and was confirmed recently.

        The store is asked only if the heartbeat has not confirmed the lease for `CONFIRMED_SECONDS`.

        Raises:
            LeaseLost: The lease was lost.
            StoreUnavailable: The store does not answer.
        """
        if self._lost:
            raise LeaseLost(self.conversation_id, self.token)
        if self._clock.monotonic() - self._confirmed < CONFIRMED_SECONDS:
            return
        try:
            await self._renew()
        except VersionConflict:
            raise StoreUnavailable("the mailbox changed at every try") from None

    async def _beat(self) -> None:
        """Renew at even intervals, however long each renewal takes: watchers time the writes."""
        time = asyncio.get_running_loop().time
        due = time() - self._age
        while True:
            due = max(due + self._renew_seconds, time())
            await asyncio.sleep(due - time())
            try:
                await self._renew()
            except (LeaseLost, NotFound):
                self.lose()
                return
            except (VersionConflict, StoreUnavailable):
                log_event(log, LogEvent.LEASE_NOT_RENEWED, conversation=self.conversation_id)

    async def _renew(self) -> None:
        asked = self._clock.monotonic()
        await self._change(lambda box: renew(box, self.token, self._clock.now()))
        self._confirmed = asked

    async def _change(self, step: Callable[[Mailbox], Mailbox | None]) -> None:
        """Write a change of the mailbox; retried once after a conflict, since new messages must not cost the lease."""
        for last_try in (False, True):
            try:
                async with self._writing:
                    await self._write(step(self._mailbox.box))
            except VersionConflict:
                if last_try:
                    raise
            else:
                return

    def settled(self) -> VersionedMailbox:
        """Return the mailbox with this turn's message removed and the lease free, for the commit."""
        return VersionedMailbox(box=self._ours(settle(self._mailbox.box, self.token)), version=self._mailbox.version)

    def refreshed(self, snapshot: Snapshot[S]) -> None:
        """Take the mailbox that was read after a conflict."""
        self._mailbox = snapshot.mailbox

    @property
    def writing(self) -> asyncio.Lock:
        """Lock for writes of the mailbox, so that commit and heartbeat do not race."""
        return self._writing

    async def drop(self) -> None:
        """Remove the message without a commit, because its answer is stored already.

        Raises:
            LeaseLost: Another worker removed it.
        """
        await self._change(lambda box: settle(box, self.token))

    async def give_up(self) -> None:
        """Free the lease and leave the message queued; on failure the lease expires."""
        try:
            async with asyncio.timeout(GIVE_UP_SECONDS):
                await self._change(lambda box: abandon(box, self.token))
        except (LeaseLost, NotFound, VersionConflict, StoreUnavailable, TimeoutError):
            log_event(log, LogEvent.LEASE_LEFT, conversation=self.conversation_id)

    async def _write(self, box: Mailbox | None) -> None:
        mailbox = VersionedMailbox(box=self._ours(box), version=self._mailbox.version)
        try:
            self._mailbox = await self._store.save_mailbox(mailbox)
        except VersionConflict:
            snapshot = await self._store.load(self.conversation_id)
            if snapshot is None:
                raise NotFound("conversation") from None
            self._mailbox = snapshot.mailbox
            self._ours(settle(self._mailbox.box, self.token))
            raise

    def _ours(self, box: Mailbox | None) -> Mailbox:
        if box is None:
            raise LeaseLost(self.conversation_id, self.token)
        return box
