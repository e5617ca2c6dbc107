"""Use cases of reviewers: list the queue, look at a session, mark it as seen; each is audited.

The audit entry is written first: if that fails, nothing is shown.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from shared.contracts.measures import ReviewedResult
from shared.contracts.review import (
    FlagView,
    JudgedReplies,
    MarkSeen,
    NoteView,
    ReviewDetail,
    ReviewedMessage,
    ReviewEntry,
    ReviewPage,
    ReviewQuery,
    SpanView,
)
from shared.domain.consents import open_to_staff
from shared.domain.conversation import Message
from shared.domain.counseling.measures import MeasureResult
from shared.domain.counseling.records import Supervision
from shared.domain.counseling.risk_events import RiskReviewed
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import (
    FLAGGED_SHOWN,
    Flag,
    FlagReason,
    Look,
    ReviewerNote,
    ReviewStatus,
    Span,
    StaffReview,
    covers,
    shown_of,
    whose,
)
from shared.domain.counseling.staff_review_events import LookedAt, SeenByReviewer, SetAsideByReviewer
from shared.domain.errors import DocumentExists, NotFound
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.records import AuditEntry
from shared.engine.extra_writes import ExtraWrites
from shared.engine.flow import ServicePolicy
from shared.engine.unit_of_work import Decision, change
from shared.ports.clock import Clock, IdSource
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller
from shared.safety.levels import RiskLevel
from shared.services.counseling.policy import result_view
from shared.web.faults import DoesNotFit, FieldFault
from shared.web.text import clean_message

_RISK: dict[RiskLevel, Literal["none", "concern", "crisis", "imminent"]] = {
    RiskLevel.NONE: "none",
    RiskLevel.CONCERN: "concern",
    RiskLevel.CRISIS: "crisis",
    RiskLevel.IMMINENT: "imminent",
}
_JUDGED = (FlagReason.RED_ITEM, FlagReason.LOW_SUPERVISION)


@dataclass(frozen=True)
class StaffReviews:
    store: ConversationStore[Session]
    policy: ServicePolicy[Session]
    clock: Clock
    ids: IdSource

    async def queue(self, reviewer: Caller, query: ReviewQuery) -> ReviewPage:
        """Return a page of the queue without the reviewer's own sessions, so it may be shorter than the limit.

        Raises:
            DoesNotFit: `after` belongs to another status.
        """
        if query.after is not None and not query.after.startswith(f"{query.status.value}."):
            raise DoesNotFit((FieldFault("not_understood", "after"),))
        await self.store.add_audit(
            self._line(reviewer, "", rule="review_queue", level=query.status.value, action="review_listed")
        )
        found = await self.store.for_review(query.status.value, query.after, query.limit + 1)
        page = [state for state in found[: query.limit] if state.staff_review is not None]
        more = len(found) > query.limit
        return ReviewPage(
            entries=tuple(entry_view(state, mark) for state in page if (mark := _mark_for(reviewer, state))),
            next=page[-1].review_place if more and page else None,
        )

    async def look(self, reviewer: Caller, conversation_id: ConversationId, purpose: str) -> ReviewDetail:
        """Return a flagged session: flagged turns and their context; after a withdrawn consent, only the flags.

        Raises:
            NotFound: It does not exist, was never flagged, or is the reviewer's own.
        """
        line = self._line(reviewer, conversation_id, rule=purpose, level="none", action="review_looked")

        def decide(state: Session) -> Decision[Session, Look | None]:
            mark = _mark_for(reviewer, state)
            if mark is None:
                return Decision(None)
            spans: tuple[Span, ...] = ()
            if open_to_staff(state.consents):
                since = state.risk.since_seq if state.risk.follow_through else None
                spans = shown_of(mark, state.seq, since)
            own = whose(line.audit_id, reviewer.user_id)
            look = Look(look_id=line.audit_id, spans=spans, upto=state.seq, whose=own)
            audited = ExtraWrites(audit=(line.model_copy(update={"level": mark.priority.value}),))
            return Decision(look, (LookedAt(look=look),), lambda _: audited)

        looked = await change(self.store, self.policy, self.clock, conversation_id, decide)
        mark = _mark_for(reviewer, looked.state) if looked else None
        if looked is None or looked.value is None or mark is None:
            await self.store.add_audit(line)
            raise NotFound("review")
        state, look = looked.state, looked.value
        return await self._detail(state, mark, look) if look.spans else _without_words(state, mark, look)

    async def _detail(self, state: Session, mark: StaffReview, look: Look) -> ReviewDetail:
        conversation_id = state.conversation_id
        messages, judgements, notes = await asyncio.gather(
            self._messages(conversation_id, look), self._judgements(conversation_id, mark), self._notes(state, mark)
        )
        return ReviewDetail(
            entry=entry_view(state, mark),
            risk=risk_of(state),
            latest_seq=state.seq,
            look=look.look_id,
            shown=tuple(SpanView(first=span.first, last=span.last) for span in look.spans),
            clearable=state.risk.follow_through and _may_clear(state, mark, look),
            messages=message_views(messages, mark),
            judgements=tuple(judgement_view(found) for found in judgements),
            notes=tuple(note_view(found) for found in notes),
            measures=tuple(measure_view(found) for found in state.measures),
        )

    async def mark_seen(self, reviewer: Caller, conversation_id: ConversationId, given: MarkSeen) -> ReviewEntry:
        """Mark the turns of a look as seen; repeating it changes nothing.

        A look without turns, because the user withdrew a consent, sets the session aside until they give it again.

        Raises:
            NotFound: The session is not in the reviewer's queue.
            EmptyText: The note has no content.
            DoesNotFit: The look is not among the reviewer's newest at this session, or the risk is to be cleared
                without having seen all of it.
        """
        note = clean_message(given.note)
        note_id = _digest(reviewer.user_id, given, note)
        look: Look | None = None

        def decide(state: Session) -> Decision[Session, None]:
            nonlocal look
            look = _look_to_mark(reviewer, state, given)
            note_of = partial(self._note, reviewer, look, note_id, note, state.risk.level)
            return Decision(None, _marking(reviewer, look, note_id, given), note_of)

        try:
            marked = await change(self.store, self.policy, self.clock, conversation_id, decide)
            state = marked.state if marked else None
        except DocumentExists:
            if look is not None:
                await self.store.add_audit(self._marked(reviewer, conversation_id, look, cleared=False))
            snapshot = await self.store.load(conversation_id)
            state = snapshot.session.state if snapshot else None
        if state is None or state.staff_review is None:
            raise NotFound("review")
        return entry_view(state, state.staff_review)

    def _note(
        self, reviewer: Caller, look: Look, note_id: str, note: str, before: RiskLevel, after: Session
    ) -> ExtraWrites:
        cleared = after.risk.level < before
        written = ReviewerNote(
            record_id=note_id,
            created_at=self.clock.now(),
            expire_at=after.expire_at,
            by=reviewer.user_id,
            upto_seq=look.spans[-1].last if look.spans else look.upto,
            note=note,
            cleared_risk=cleared,
        )
        line = self._marked(reviewer, after.conversation_id, look, cleared=cleared)
        return ExtraWrites(records=(written,), audit=(line,))

    async def _messages(self, conversation_id: ConversationId, look: Look) -> list[Message]:
        pieces = await asyncio.gather(
            *(self.store.messages(conversation_id, span.first - 1, span.last - span.first + 1) for span in look.spans)
        )
        found = [message for piece in pieces for message in piece if message.seq <= look.upto]
        return sorted(found, key=lambda message: (message.seq, message.role.value != "user"))

    async def _judgements(self, conversation_id: ConversationId, mark: StaffReview) -> list[Supervision]:
        seqs = sorted({seq for flag in mark.flags if flag.reason in _JUDGED for seq in flag.seqs})[-FLAGGED_SHOWN:]
        found = await asyncio.gather(
            *(self.store.record(conversation_id, Supervision.collection, str(seq)) for seq in seqs)
        )
        return [Supervision.model_validate(fields) for fields in found if fields is not None]

    async def _notes(self, state: Session, mark: StaffReview) -> list[ReviewerNote]:
        found = await asyncio.gather(
            *(self.store.record(state.conversation_id, ReviewerNote.collection, note_id) for note_id in mark.notes)
        )
        return [ReviewerNote.model_validate(fields) for fields in found if fields is not None]

    def _marked(self, reviewer: Caller, conversation_id: str, look: Look, *, cleared: bool) -> AuditEntry:
        action = "review_seen_risk_cleared" if cleared else "review_seen" if look.spans else "review_set_aside"
        level = f"turns {', '.join(f'{span.first}-{span.last}' for span in look.spans)}" if look.spans else "none"
        return self._line(reviewer, conversation_id, rule="review_queue", level=level, action=action)

    def _line(self, reviewer: Caller, conversation_id: str, *, rule: str, level: str, action: str) -> AuditEntry:
        """Return an audit entry: who did what with which session, and why; without contents."""
        return AuditEntry(
            audit_id=f"review-{self.ids.new_id()}",
            at=self.clock.now(),
            conversation_id=conversation_id,
            rule=rule,
            level=level,
            action=action,
            actor_id=reviewer.user_id,
        )


def _look_to_mark(reviewer: Caller, state: Session, given: MarkSeen) -> Look:
    """Return the look that a reviewer marks as seen.

    Raises:
        NotFound: The session is not in the reviewer's queue.
        DoesNotFit: See `StaffReviews.mark_seen`.
    """
    mark = _mark_for(reviewer, state)
    if mark is None:
        raise NotFound("review")
    look = _look_of(reviewer, state, mark, given.look)
    if given.clear_risk and not _may_clear(state, mark, look):
        raise DoesNotFit((FieldFault("not_all_shown", "clear_risk"),))
    return look


def _marking(reviewer: Caller, look: Look, note_id: str, given: MarkSeen) -> Sequence[Event[Session]]:
    if not look.spans:
        return (SetAsideByReviewer(note_id=note_id),)
    seen = SeenByReviewer(spans=look.spans, note_id=note_id)
    return (seen, RiskReviewed(reviewer=reviewer.user_id, seq=look.upto)) if given.clear_risk else (seen,)


def _without_words(state: Session, mark: StaffReview, look: Look) -> ReviewDetail:
    """Return a session's flags without its messages; marking this look sets the session aside."""
    return ReviewDetail(
        entry=entry_view(state, mark),
        risk=risk_of(state),
        latest_seq=state.seq,
        look=look.look_id,
        shown=(),
        clearable=False,
        withdrawn=True,
        messages=(),
        judgements=(),
        notes=(),
    )


def _mark_for(reviewer: Caller, state: Session) -> StaffReview | None:
    return None if state.user_id == reviewer.user_id else state.staff_review


def _look_of(reviewer: Caller, state: Session, mark: StaffReview, look_id: str) -> Look:
    own = whose(look_id, reviewer.user_id)
    found = next((look for look in mark.looks if (look.look_id, look.whose) == (look_id, own)), None)
    if found is None or (not found.spans and open_to_staff(state.consents)):
        raise DoesNotFit((FieldFault("unknown_look", "look"),))
    return found


def _may_clear(state: Session, mark: StaffReview, look: Look) -> bool:
    """Whether the look allows clearing the risk: its newest finding and the whole follow-up were shown."""
    if not look.spans or (state.risk.last_seq or 0) > look.upto:
        return False
    if not state.risk.follow_through:
        return True
    since = state.risk.since_seq or 0
    return all(covers((*mark.seen, *look.spans), seq) for seq in range(since, look.upto + 1))


def _digest(reviewer: str, given: MarkSeen, note: str) -> str:
    """Return an id that is the same for a repeated mark by the same reviewer."""
    said = "\n".join((reviewer, given.look, str(given.clear_risk), note))
    return hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()[:32]


def entry_view(state: Session, mark: StaffReview) -> ReviewEntry:
    return ReviewEntry(
        conversation_id=state.conversation_id,
        status=mark.status,
        priority=mark.priority,
        flags=tuple(_flag_view(flag) for flag in mark.flags),
        waiting_since=mark.opened_at if mark.status is ReviewStatus.OPEN else None,
        newest_seq=mark.newest_seq,
        seen_upto=mark.seen_upto,
        seen_at=mark.seen_at,
        age_group="under_14" if state.under_14 else "minor" if state.minor else "adult",
        ended=state.ended,
        after_end=state.ended and mark.newest_seq > state.seq,
        follow_through=state.risk.follow_through,
    )


def risk_of(state: Session) -> Literal["none", "concern", "crisis", "imminent"]:
    """Return the session's risk level."""
    return _RISK[state.risk.level]


def message_views(messages: Sequence[Message], mark: StaffReview) -> tuple[ReviewedMessage, ...]:
    """Return messages, marking those of flagged turns."""
    flagged = {seq for flag in mark.flags for seq in flag.seqs}
    return tuple(
        ReviewedMessage(
            seq=message.seq,
            role=message.role,
            text=message.text,
            created_at=message.created_at,
            flagged=message.seq in flagged,
        )
        for message in messages
    )


def judgement_view(found: Supervision) -> JudgedReplies:
    return JudgedReplies(seq=found.seq, total=found.total, scores=found.scores, improvements=found.improvements)


def note_view(found: ReviewerNote) -> NoteView:
    return NoteView(
        by=found.by, at=found.created_at, upto_seq=found.upto_seq, note=found.note, cleared_risk=found.cleared_risk
    )


def measure_view(found: MeasureResult) -> ReviewedResult:
    return ReviewedResult(**result_view(found).model_dump(), self_harm=found.highest_self_harm)


def _flag_view(flag: Flag) -> FlagView:
    return FlagView(
        reason=flag.reason,
        count=flag.count,
        rules=flag.rules,
        seqs=flag.seqs,
        first_at=flag.first_at,
        last_at=flag.last_at,
    )
