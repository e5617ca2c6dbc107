"""Claims of background work, so that concurrent deliveries of one task ask the model only once.

A claim is stored in the session, so writing it needs the session's version and fails after an erasure. A claim only
saves model calls; watermarks and records ensure that a result is written once.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Generic

from shared.domain.claims import Claim, with_claim
from shared.domain.conversation import S
from shared.domain.errors import StoreError
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.engine.flow import ServicePolicy
from shared.engine.unit_of_work import Decision, change, update
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore

RELEASE_SECONDS = 2.0
"""Timeout for releasing the claim of a failed job, seconds. The claim also expires by itself."""


class Taken(Enum):
    """Result of claiming work."""

    OURS = auto()
    ANOTHERS = auto()
    """Another delivery does this work."""
    GONE = auto()
    """The work or the conversation no longer exists."""


@dataclass(frozen=True)
class Delivery:
    """One delivery of a task or event.

    Attributes:
        work: The claimed work; only one delivery at a time does it.
        holder: Name of the task or event.
        attempt: Number of the attempt, from 1. The queue starts the next attempt only after the previous one ended.
    """

    work: str
    holder: str
    attempt: int = 1


class WorkClaimed(Event[S]):
    """A delivery claimed work or renewed its claim."""

    work: str
    claim: Claim

    def apply(self, state: S, at: datetime) -> S:
        return state.model_copy(update={"claims": with_claim(state.claims, self.work, self.claim, at)})


class ClaimReleased(Event[S]):
    """A delivery ended. A claim that a newer delivery holds by now stays."""

    work: str
    holder: str
    attempt: int

    def apply(self, state: S, at: datetime) -> S:
        left = {
            work: claim
            for work, claim in state.claims.items()
            if (work, claim.holder, claim.attempt) != (self.work, self.holder, self.attempt)
        }
        return state.model_copy(update={"claims": left})


@dataclass(frozen=True)
class Claims(Generic[S]):
    """Takes and renews claims.

    Attributes:
        last: Lifetime of a claim that is not renewed.
    """

    store: ConversationStore[S]
    policy: ServicePolicy[S]
    clock: Clock
    last: timedelta

    @asynccontextmanager
    async def held(
        self, conversation_id: ConversationId, delivery: Delivery, due: Callable[[S], bool]
    ) -> AsyncIterator[Taken]:
        """Hold a claim inside the block.

        The block writes the release with its result; on an exception it is released here.

        Args:
            conversation_id: The conversation.
            delivery: Holder of the claim.
            due: Tells from the newest state whether the work is still due.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        taken = await self._take(conversation_id, delivery, due)
        if taken is not Taken.OURS:
            yield taken
            return
        renewing = asyncio.create_task(self._renew(conversation_id, delivery))
        try:
            yield taken
        except Exception:
            await _stopped(renewing)
            await self._release(conversation_id, delivery)
            raise
        finally:
            await _stopped(renewing)

    async def _release(self, conversation_id: ConversationId, delivery: Delivery) -> None:
        """Release a claim for the next delivery; if that fails, the claim expires."""
        released: ClaimReleased[S] = ClaimReleased(work=delivery.work, holder=delivery.holder, attempt=delivery.attempt)
        with contextlib.suppress(StoreError, TimeoutError):
            async with asyncio.timeout(RELEASE_SECONDS):
                await update(self.store, self.policy, self.clock, conversation_id, released)

    async def _renew(self, conversation_id: ConversationId, delivery: Delivery) -> None:
        """Renew a claim until it is released, taken over or cannot be renewed."""
        held = True
        while held:
            await asyncio.sleep(self.last.total_seconds() / 2)
            try:
                held = await self._renewed(conversation_id, delivery)
            except StoreError:
                return

    async def _take(self, conversation_id: ConversationId, delivery: Delivery, due: Callable[[S], bool]) -> Taken:
        def decide(state: S) -> Decision[S, Taken]:
            now, found = self.clock.now(), state.claims.get(delivery.work)
            if not due(state):
                return Decision(Taken.GONE)
            if found is not None and found.held_against(delivery.holder, delivery.attempt, now):
                return Decision(Taken.ANOTHERS)
            return Decision(Taken.OURS, (self._claimed(delivery, now),))

        claimed = await change(self.store, self.policy, self.clock, conversation_id, decide)
        return claimed.value if claimed else Taken.GONE

    async def _renewed(self, conversation_id: ConversationId, delivery: Delivery) -> bool:
        def decide(state: S) -> Decision[S, bool]:
            found = state.claims.get(delivery.work)
            still = found is not None and (found.holder, found.attempt) == (delivery.holder, delivery.attempt)
            return Decision(still, (self._claimed(delivery, self.clock.now()),) if still else ())

        renewed = await change(self.store, self.policy, self.clock, conversation_id, decide)
        return renewed is not None and renewed.value

    def _claimed(self, delivery: Delivery, now: datetime) -> WorkClaimed[S]:
        claim = Claim(holder=delivery.holder, attempt=delivery.attempt, until=now + self.last)
        return WorkClaimed(work=delivery.work, claim=claim)


async def _stopped(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
