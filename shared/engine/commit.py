"""One commit a turn: the events are applied to the newest state, and nobody's work is overwritten."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

from shared.domain.consents import refused
from shared.domain.conversation import Message, Role, S, remember
from shared.domain.errors import (
    ConsentRequired,
    DocumentExists,
    LeaseLost,
    NotFound,
    StoreUnavailable,
    VersionConflict,
)
from shared.domain.event import apply_all
from shared.domain.mailbox import QueuedMessage
from shared.domain.records import AuditEntry
from shared.domain.turn import TurnRecord, TurnResult, digest_of
from shared.engine.flow import Outcome, ServicePolicy, Turn
from shared.engine.lease import HeldLease
from shared.engine.overdue import marked_by_turn
from shared.engine.retry import SESSION
from shared.engine.user_usage import Adding, UserUsage
from shared.observability.trace_context import stamped
from shared.ports.clock import Clock
from shared.ports.conversation_documents import TurnCommit, Versioned
from shared.ports.conversation_store import ConversationStore

RETRY_DELAYS = (0.05, 0.15, 0.3)
"""Seconds before each further try at a store that does not answer: it has had its seconds in the try itself."""
RETRIED_SECONDS = 10.0
"""After so long no further try begins. The person has read the reply and waits for its end."""


@dataclass(frozen=True)
class Committed(Generic[S]):
    """A turn as it stands in the store."""

    state: S
    record: TurnRecord
    result: TurnResult
    audit: Sequence[AuditEntry] = ()


class TurnCommitter(Generic[S]):
    """Writes turns."""

    def __init__(self, store: ConversationStore[S], policy: ServicePolicy[S], clock: Clock, usage: UserUsage) -> None:
        """Take the store, the policy that draws the client's view, the clock, and who counts what users use up."""
        self._store = store
        self._policy = policy
        self._clock = clock
        self._usage = usage

    async def commit(
        self, turn: Turn[S], outcome: Outcome[S], received: QueuedMessage, session: Versioned[S], held: HeldLease
    ) -> Committed[S]:
        """Write the whole turn at once; on a conflict read again, apply again, write again.

        A store that does not answer is asked again. If it wrote the turn all the same, the turn counts as committed.

        Raises:
            LeaseLost: Another worker took the turn over, or answered the message; this one writes nothing.
            NotFound: The conversation was deleted meanwhile.
            ConsentRequired: A consent was withdrawn meanwhile: what was found without it is not kept.
            StoreUnavailable: The store does not answer, or there was no end of conflicts.
        """
        cost, tries = turn.scope.ledger.charge(), list[Committed[S]]()
        lean = not outcome.records and not outcome.audit
        with self._usage.adding(turn.state.user_id, cost, now=lean) as adding:
            try:
                return await self._written(turn, outcome, received, session, held, adding, tries)
            except (LeaseLost, asyncio.CancelledError) as ended:
                # A try that was written took the lease with it; the heartbeat that finds it gone cancels this task.
                if isinstance(ended, asyncio.CancelledError) and not held.lost:
                    raise
                if (committed := await self._found(turn, tries)) is None:
                    raise
                if isinstance(ended, asyncio.CancelledError) and (task := asyncio.current_task()) is not None:
                    task.uncancel()
                adding.written = True
                return committed

    async def _found(self, turn: Turn[S], tries: Sequence[Committed[S]]) -> Committed[S] | None:
        """Return the try that the store wrote without telling; None where it wrote none, or does not answer now."""
        record = None
        with contextlib.suppress(StoreUnavailable):
            record = await self._store.turn(turn.state.conversation_id, turn.message_id) if tries else None
        return next((one for one in tries if record is not None and _same_commit(one.record, record)), None)

    async def _written(  # noqa: PLR0913, PLR0917 - what one commit needs
        self,
        turn: Turn[S],
        outcome: Outcome[S],
        received: QueuedMessage,
        session: Versioned[S],
        held: HeldLease,
        adding: Adding,
        tries: list[Committed[S]],
    ) -> Committed[S]:
        ends, delays = self._clock.monotonic() + RETRIED_SECONDS, iter(RETRY_DELAYS)
        for conflicts in range(1, SESSION.attempts + 1):
            try:
                # What was read of the mailbox stays true until it is written: the heartbeat renews before or after.
                async with held.writing:
                    committed, write = self._prepare(turn, outcome, received, session, held)
                    tries.append(committed)
                    try:
                        adding.told = await self._store.commit_turn(replace(write, usage=adding.entry))
                    except VersionConflict:
                        await SESSION.rest(conflicts)
                        session = await self._newest(held)
                    else:
                        return committed
            except DocumentExists as met:
                if met.path.endswith(f"/turns/{turn.message_id}"):
                    await held.drop()
                    raise LeaseLost(turn.state.conversation_id, held.token) from None
                outcome = _without(outcome, met)
            except StoreUnavailable:
                delay = next(delays, None)
                if delay is None or self._clock.monotonic() >= ends:
                    raise
                await asyncio.sleep(delay)
        raise StoreUnavailable("the turn met a conflict at every try")

    async def _newest(self, held: HeldLease) -> Versioned[S]:
        snapshot = await self._store.load(held.conversation_id)
        if snapshot is None:
            raise NotFound("conversation")
        held.refreshed(snapshot)
        if missing := refused(snapshot.session.state.consents):
            raise ConsentRequired(missing)
        return snapshot.session

    def _prepare(
        self, turn: Turn[S], outcome: Outcome[S], received: QueuedMessage, session: Versioned[S], held: HeldLease
    ) -> tuple[Committed[S], TurnCommit[S]]:
        now = self._clock.now()
        text = kept_text(turn, outcome, session.state)
        asked = Message(seq=turn.seq, role=Role.USER, text=text, created_at=turn.now, message_id=turn.message_id)
        replied = Message(
            seq=turn.seq, role=Role.COUNSELOR, text=outcome.reply, created_at=now, message_id=turn.message_id
        )
        spent = turn.scope.ledger.spent()
        heard = remember(session.state, asked, replied)
        after = apply_all(heard.model_copy(update={"budget": heard.budget.plus(spent)}), outcome.events, now)
        state = marked_by_turn(self._policy, after, now)
        view = self._policy.view(state)
        result = TurnResult(
            message_id=turn.message_id,
            seq=turn.seq,
            reply=outcome.reply,
            state_snapshot=view.state_snapshot,
            hooks=tuple(outcome.hooks),
            flags=tuple(outcome.flags),
        )
        total = (now - turn.now).total_seconds() * 1000
        record = TurnRecord(
            conversation_id=turn.state.conversation_id,
            message_id=turn.message_id,
            text=text,
            text_digest=digest_of(turn.text, turn.declines),
            received_at=received.received_at,
            expire_at=state.expire_at,
            seq=turn.seq,
            flow=outcome.flow or state.flow,
            snapshot_version=turn.state.state_version,
            directive=outcome.directive,
            agents=tuple(turn.scope.ledger.runs),
            events=tuple(event.name for event in outcome.events),
            spent=spent,
            total_ms=round(total, 1),
            overhead_ms=round(max(0.0, total - turn.scope.ledger.waiting_seconds() * 1000), 1),
            committed_at=now,
            result=result,
        )
        write = TurnCommit(
            session=Versioned(state=state, version=session.version),
            mailbox=held.settled(),
            turn=record,
            messages=(asked, replied),
            view=view,
            records=stamped(outcome.records),
            audit=tuple(outcome.audit),
        )
        return Committed(state=state, record=record, result=result, audit=write.audit), write


def kept_text(turn: Turn[S], outcome: Outcome[S], state: S) -> str:
    """Return a turn's message as it is kept; empty where the conversation kept no words before the turn nor does after.

    Its digest is kept in any case: by it a copy of the message gets the same reply.
    """
    kept = turn.state.keeps_words or apply_all(state, outcome.events, turn.now).keeps_words
    return turn.text if kept else ""


def _same_commit(one: TurnRecord, other: TurnRecord) -> bool:
    """Tell whether two records of a message are of one commit: no two workers write in the same microsecond."""
    return (one.seq, one.committed_at, one.result.reply) == (other.seq, other.committed_at, other.result.reply)


def _without(outcome: Outcome[S], met: DocumentExists) -> Outcome[S]:
    """Leave out the record that somebody else created first: its second creation is a no-op (domain.md)."""
    left = tuple(r for r in outcome.records if not met.path.endswith(f"/{r.collection}/{r.record_id}"))
    if len(left) == len(outcome.records):
        raise met
    return replace(outcome, records=left)
