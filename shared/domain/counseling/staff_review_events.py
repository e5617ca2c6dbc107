"""What puts a session into the queue for reviewers, and what marks it as seen there."""

from datetime import datetime

from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import (
    NEWEST_SEQS,
    FlagReason,
    Look,
    Span,
    StaffReview,
    covers,
    flagged,
    looked,
    seen,
)
from shared.domain.event import Event


def flag(state: Session, reason: FlagReason, seq: int, at: datetime, rules: tuple[str, ...] = ()) -> Session:
    """Return the session flagged for a reason; an ended one too: what happened in it is to be seen all the same."""
    return _placed(state, flagged(state.staff_review, reason, seq, at, rules))


class FlaggedForReview(Event[Session]):
    """Something happened in turn `seq` that a person is to look at."""

    reason: FlagReason
    seq: int
    rules: tuple[str, ...] = ()

    def apply(self, state: Session, at: datetime) -> Session:
        return flag(state, self.reason, self.seq, at, self.rules)


class FlaggedBehindTheTalk(Event[Session]):
    """Something happened to an ended session that is no turn of it, and that nobody can have seen yet.

    It takes a number behind all turns, which none will have any more: so no look at a turn covers it. When many come
    and nobody looks, they share the last number: one is enough to have the session opened.
    """

    reason: FlagReason
    rules: tuple[str, ...] = ()

    def apply(self, state: Session, at: datetime) -> Session:
        if not state.ended:
            return state
        mark = state.staff_review
        newest = max(state.seq, mark.newest_seq) if mark else state.seq
        full = newest - state.seq >= NEWEST_SEQS and mark is not None and not covers(mark.seen, newest)
        return flag(state, self.reason, newest if full else newest + 1, at, self.rules)


class LookedAt(Event[Session]):
    """A reviewer is about to be shown some turns."""

    look: Look

    def apply(self, state: Session, at: datetime) -> Session:
        if state.staff_review is None:
            return state
        return _placed(state, looked(state.staff_review, self.look))


class SeenByReviewer(Event[Session]):
    """A reviewer has seen the turns that they were shown."""

    spans: tuple[Span, ...]
    note_id: str

    def apply(self, state: Session, at: datetime) -> Session:
        if state.staff_review is None:
            return state
        return _placed(state, seen(state.staff_review, self.spans, at, self.note_id))


def _placed(state: Session, mark: StaffReview) -> Session:
    return state.model_copy(update={"staff_review": mark, "review_place": mark.place(state.conversation_id)})
