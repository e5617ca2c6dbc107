"""What puts a session into the queue for reviewers, and what marks it as seen there."""

from datetime import datetime

from shared.domain.consents import open_to_staff
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
    opened_again,
    seen,
    set_aside,
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


class FlaggedAfterSessionEnd(Event[Session]):
    """Something happened to an ended session that is no turn of it, and that nobody can have seen yet.

    It takes a number behind all turns, which none will have any more: so no look at a turn covers it. When many come
    and nobody looks, they share the last number: one is enough to have the session opened.
    """

    reason: FlagReason
    rules: tuple[str, ...] = ()

    def tells(self, state: Session) -> bool:
        """Whether it is news: not in a talk that goes on, nor where as much as is counted waits, of its reason too."""
        last, mark = _last_number(state), state.staff_review
        known = mark is not None and any(each.reason is self.reason and last in each.seqs for each in mark.flags)
        return state.ended and not known

    def apply(self, state: Session, at: datetime) -> Session:
        if not state.ended:
            return state
        last, mark = _last_number(state), state.staff_review
        newest = max(state.seq, mark.newest_seq) if mark else state.seq
        return flag(state, self.reason, newest + 1 if last is None else last, at, self.rules)


def _last_number(state: Session) -> int | None:
    """Return the number that all share which come now, when many have come behind the talk and nobody has looked."""
    mark = state.staff_review
    if mark is None or mark.newest_seq - state.seq < NEWEST_SEQS or covers(mark.seen, mark.newest_seq):
        return None
    return mark.newest_seq


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


class SetAsideByReviewer(Event[Session]):
    """A reviewer took note that a person took back a consent: their words are read by nobody."""

    note_id: str

    def apply(self, state: Session, at: datetime) -> Session:
        if state.staff_review is None or open_to_staff(state.consents):
            return state
        return _placed(state, set_aside(state.staff_review, at, self.note_id))


class WordsOpened(Event[Session]):
    """A person gave consents again; what was set aside waits for somebody to look as soon as none lacks any more."""

    def apply(self, state: Session, at: datetime) -> Session:
        if state.staff_review is None or not open_to_staff(state.consents):
            return state
        return _placed(state, opened_again(state.staff_review, at))


def _placed(state: Session, mark: StaffReview) -> Session:
    return state.model_copy(update={"staff_review": mark, "review_place": mark.place(state.conversation_id)})
