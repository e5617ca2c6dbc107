"""What reviewers do: list the queue, look at one session, mark it as seen. Each leaves a line in the audit trail.

The line is written before anything is shown: where it cannot be written, nothing is.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from functions.chat.routes.review_shapes import entry_view, judgement_view, message_views, note_view, risk_of
from shared.contracts.review import MarkSeen, ReviewDetail, ReviewEntry, ReviewPage, ReviewQuery
from shared.domain.conversation import Message
from shared.domain.counseling.records import Supervision
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import RiskReviewed
from shared.domain.counseling.staff_review import FlagReason, ReviewerNote, StaffReview
from shared.domain.counseling.staff_review_events import SeenByReviewer
from shared.domain.errors import DocumentExists, NotFound
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.records import AuditEntry
from shared.engine.beside import Beside
from shared.engine.flow import House
from shared.engine.update import update
from shared.ports.clock import Clock, IdSource
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller
from shared.web.faults import DoesNotFit, Fault
from shared.web.text import clean_message

BEFORE, AFTER = 3, 2
"""Turns that are shown before and behind a flagged one. Own figures: enough to see what it answered and what became of
it, and not the whole of somebody's counselling (PIPA art. 3 (1): no more than the purpose needs)."""
NEWEST_FLAGGED = 10
"""Flagged turns that are shown, the newest."""
_JUDGED = (FlagReason.RED_ITEM, FlagReason.LOW_SUPERVISION)


@dataclass(frozen=True)
class ReviewDesk:
    """The reviewers' side of the store."""

    store: ConversationStore[Session]
    house: House[Session]
    clock: Clock
    ids: IdSource

    async def queue(self, reviewer: Caller, query: ReviewQuery) -> ReviewPage:
        """Return a page of the queue.

        Raises:
            DoesNotFit: The page is to begin behind an entry of the other status.
        """
        if query.after is not None and not query.after.startswith(f"{query.status.value}."):
            raise DoesNotFit((Fault("not_understood", "after"),))
        await self.store.add_audit(
            self._line(reviewer, "", rule="review_queue", level=query.status.value, action="review_listed")
        )
        found = await self.store.for_review(query.status.value, query.after, query.limit + 1)
        page = [state for state in found[: query.limit] if state.staff_review is not None]
        more = len(found) > query.limit
        return ReviewPage(
            entries=tuple(entry_view(state, mark) for state in page if (mark := state.staff_review)),
            next=page[-1].review_place if more and page else None,
        )

    async def look(self, reviewer: Caller, conversation_id: ConversationId, purpose: str) -> ReviewDetail:
        """Return a flagged session: the flagged turns and those around them.

        Raises:
            NotFound: There is none, or it was never flagged: only what is in the queue is a reviewer's to see.
        """
        snapshot = await self.store.load(conversation_id)
        state = snapshot.session.state if snapshot else None
        mark = state.staff_review if state else None
        level = mark.priority.value if mark else "none"
        line = self._line(reviewer, conversation_id, rule=purpose, level=level, action="review_looked")
        await self.store.add_audit(line)
        if state is None or mark is None:
            raise NotFound("review")
        messages, judgements, notes = await asyncio.gather(
            self._messages(conversation_id, mark), self._judgements(conversation_id, mark), self._notes(state, mark)
        )
        return ReviewDetail(
            entry=entry_view(state, mark),
            risk=risk_of(state),
            latest_seq=state.seq,
            messages=message_views(messages, mark),
            judgements=tuple(judgement_view(found) for found in judgements),
            notes=tuple(note_view(found) for found in notes),
        )

    async def mark_seen(self, reviewer: Caller, conversation_id: ConversationId, given: MarkSeen) -> ReviewEntry:
        """Mark a flagged session as seen; the same mark again changes nothing.

        Raises:
            NotFound: There is no such session in the queue.
            EmptyText: The note says nothing.
            DoesNotFit: The turn is none of the session's yet.
        """
        note = clean_message(given.note)
        action = "review_seen_risk_cleared" if given.clear_risk else "review_seen"
        line = self._line(reviewer, conversation_id, rule="review_queue", level=f"upto {given.upto_seq}", action=action)
        written = ReviewerNote(
            record_id=_digest(reviewer.user_id, given, note),
            created_at=self.clock.now(),
            expire_at=self.clock.now(),
            by=reviewer.user_id,
            upto_seq=given.upto_seq,
            note=note,
            cleared_risk=given.clear_risk,
        )

        def events_for(state: Session) -> Sequence[Event[Session]]:
            _require_flagged(state, given.upto_seq)
            events: list[Event[Session]] = [SeenByReviewer(upto_seq=given.upto_seq, note_id=written.record_id)]
            if given.clear_risk:
                events.append(RiskReviewed(reviewer=reviewer.user_id, seq=given.upto_seq))
            return events

        def beside_for(state: Session) -> Beside:
            return Beside(records=(written.model_copy(update={"expire_at": state.expire_at}),), audit=(line,))

        try:
            state = await update(
                self.store, self.house, conversation_id, events_for, clock=self.clock, beside_for=beside_for
            )
        except DocumentExists:
            await self.store.add_audit(line)
            snapshot = await self.store.load(conversation_id)
            state = snapshot.session.state if snapshot else None
        if state is None or state.staff_review is None:
            raise NotFound("review")
        return entry_view(state, state.staff_review)

    async def _messages(self, conversation_id: ConversationId, mark: StaffReview) -> list[Message]:
        seqs = sorted({seq for flag in mark.flags for seq in flag.seqs})[-NEWEST_FLAGGED:]
        pieces = await asyncio.gather(
            *(self.store.messages(conversation_id, max(-1, seq - BEFORE - 1), BEFORE + 1 + AFTER) for seq in seqs)
        )
        found = {(message.seq, message.role): message for piece in pieces for message in piece}
        return sorted(found.values(), key=lambda message: (message.seq, message.role.value != "user"))

    async def _judgements(self, conversation_id: ConversationId, mark: StaffReview) -> list[Supervision]:
        seqs = sorted({seq for flag in mark.flags if flag.reason in _JUDGED for seq in flag.seqs})[-NEWEST_FLAGGED:]
        found = await asyncio.gather(
            *(self.store.record(conversation_id, Supervision.collection, str(seq)) for seq in seqs)
        )
        return [Supervision.model_validate(fields) for fields in found if fields is not None]

    async def _notes(self, state: Session, mark: StaffReview) -> list[ReviewerNote]:
        found = await asyncio.gather(
            *(self.store.record(state.conversation_id, ReviewerNote.collection, note_id) for note_id in mark.notes)
        )
        return [ReviewerNote.model_validate(fields) for fields in found if fields is not None]

    def _line(self, reviewer: Caller, conversation_id: str, *, rule: str, level: str, action: str) -> AuditEntry:
        """Return a line of the audit trail: who did what about which session, and why; nothing of what it says."""
        return AuditEntry(
            audit_id=f"review-{self.ids.new_id()}",
            at=self.clock.now(),
            conversation_id=conversation_id,
            rule=rule,
            level=level,
            action=action,
            actor_id=reviewer.user_id,
        )


def _require_flagged(state: Session, upto: int) -> None:
    if state.staff_review is None:
        raise NotFound("review")
    if upto > state.seq:
        raise DoesNotFit((Fault("less_than_equal", "upto_seq", limit=str(state.seq)),))


def _digest(reviewer: str, given: MarkSeen, note: str) -> str:
    """Return an id that the same mark by the same reviewer has again."""
    said = "\n".join((reviewer, str(given.upto_seq), str(given.clear_risk), note))
    return hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()[:32]
