"""Commits a turn: applies its events to the newest state and retries on version conflicts."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

from shared.domain.consents import refused
from shared.domain.conversation import Message, Role, S, remember
from shared.domain.errors import ConsentRequired, DocumentExists, LeaseLost, NotFound, StoreUnavailable, VersionConflict
from shared.domain.event import apply_all
from shared.domain.mailbox import QueuedMessage
from shared.domain.records import AuditEntry
from shared.domain.turn import TurnRecord, TurnResult, digest_of
from shared.engine.flow import Outcome, ServicePolicy, Turn
from shared.engine.lease import HeldLease
from shared.engine.overdue import marked_by_turn
from shared.engine.retry import SESSION_WRITES
from shared.engine.user_usage import Adding, UserUsage
from shared.observability.trace_context import stamped
from shared.ports.clock import Clock
from shared.ports.conversation_documents import TurnCommit, Versioned
from shared.ports.conversation_store import ConversationStore

RETRY_DELAYS = (0.05, 0.15, 0.3)
"""Delays between attempts when the store does not answer, seconds."""
RETRIED_SECONDS = 10.0
"""No attempt begins later than this, seconds. The user has read the reply and waits for the stream to end."""


@dataclass(frozen=True)
class Committed(Generic[S]):
    """A turn as stored."""

    state: S
    record: TurnRecord
    result: TurnResult
    audit: Sequence[AuditEntry] = ()


class TurnCommitter(Generic[S]):
    def __init__(self, store: ConversationStore[S], policy: ServicePolicy[S], clock: Clock, usage: UserUsage) -> None:
        self._store = store
        self._policy = policy
        self._clock = clock
        self._usage = usage

    async def commit(
        self, turn: Turn[S], outcome: Outcome[S], received: QueuedMessage, session: Versioned[S], held: HeldLease
    ) -> Committed[S]:
        """Write the turn in one commit; on a conflict reload the state, apply the events again and retry.

        If the store does not answer, the write is retried. If an earlier attempt was written after all, it counts.

        Raises:
            LeaseLost: Another worker took over the turn or answered the message; nothing is written.
            NotFound: The conversation was deleted during the turn.
            ConsentRequired: A consent was withdrawn during the turn; its findings are discarded.
            StoreUnavailable: The store does not answer or every attempt met a conflict.
        """
        cost, tries = turn.scope.ledger.charge(), list[Committed[S]]()
        lean = not outcome.records and not outcome.audit
        with self._usage.adding(turn.state.user_id, cost, now=lean) as adding:
            try:
                return await self._written(turn, outcome, received, session, held, adding, tries)
            except (LeaseLost, asyncio.CancelledError) as ended:
                # A written attempt also released the lease; the heartbeat finds it gone and cancels this task.
                if isinstance(ended, asyncio.CancelledError) and not held.lost:
                    raise
                if (committed := await self._found(turn, tries)) is None:
                    raise
                if isinstance(ended, asyncio.CancelledError) and (task := asyncio.current_task()) is not None:
                    task.uncancel()
                adding.written = True
                return committed

    async def _found(self, turn: Turn[S], tries: Sequence[Committed[S]]) -> Committed[S] | None:
        """Return the attempt that the store wrote without confirming it; None if it wrote none or does not answer."""
        record = None
        with contextlib.suppress(StoreUnavailable):
            record = await self._store.turn(turn.state.conversation_id, turn.message_id) if tries else None
        # No two workers write in the same microsecond.
        written = record and (record.seq, record.committed_at, record.result.reply)
        return next((t for t in tries if written == (t.record.seq, t.record.committed_at, t.record.result.reply)), None)

    async def _written(
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
        for conflicts in range(1, SESSION_WRITES.attempts + 1):
            try:
                # Holding this lock keeps the heartbeat from changing the mailbox between read and write.
                async with held.writing:
                    committed, write = self._prepare(turn, outcome, received, session, held)
                    tries.append(committed)
                    try:
                        adding.told = await self._store.commit_turn(replace(write, usage=adding.entry))
                    except VersionConflict:
                        await SESSION_WRITES.rest(conflicts)
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
            seq=turn.seq,
            role=Role.COUNSELOR,
            text=outcome.reply,
            created_at=now,
            message_id=turn.message_id,
            fixed=outcome.fixed,
        )
        spent = turn.scope.ledger.spent()
        heard = remember(session.state, asked, replied)
        known = {"budget": heard.budget.plus(spent), "answered_by": outcome.flow or session.state.flow}
        after = apply_all(heard.model_copy(update=known), outcome.events, now)
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
            text_digest=digest_of(turn.text, turn.declines, turn.document_id),
            received_at=received.received_at,
            expire_at=state.expire_at,
            seq=turn.seq,
            flow=state.answered_by,
            snapshot_version=turn.state.state_version,
            directive=outcome.directive,
            fixed=outcome.fixed,
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
    """Return the text of a turn to store; empty if the conversation keeps no text before and after the turn.

    The digest is always stored, so that a resent message gets the same reply.
    """
    kept = turn.state.keeps_words or apply_all(state, outcome.events, turn.now).keeps_words
    return turn.text if kept else ""


def _without(outcome: Outcome[S], met: DocumentExists) -> Outcome[S]:
    """Drop the record that another writer created first: records are created once."""
    left = tuple(r for r in outcome.records if not met.path.endswith(f"/{r.collection}/{r.record_id}"))
    if len(left) == len(outcome.records):
        raise met
    return replace(outcome, records=left)
