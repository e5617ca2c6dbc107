"""Events that put a session into the reviewers' queue or change its entry there."""

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
    """Flag a session, also after its end."""
    return _placed(state, flagged(state.staff_review, reason, seq, at, rules))


class FlaggedForReview(Event[Session]):
    """Something in turn `seq` needs a reviewer."""

    reason: FlagReason
    seq: int
    rules: tuple[str, ...] = ()

    def apply(self, state: Session, at: datetime) -> Session:
        return flag(state, self.reason, self.seq, at, self.rules)


class FlaggedAfterSessionEnd(Event[Session]):
    """Something happened to an ended session after its last turn.

    It gets a number after all turns, so that no look at a turn covers it. After `NEWEST_SEQS` unseen ones, further ones
    share the last number.
    """

    reason: FlagReason
    rules: tuple[str, ...] = ()

    def tells(self, state: Session) -> bool:
        """Whether it changes anything: the session ended, and its reason is not flagged under the shared number."""
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
    mark = state.staff_review
    if mark is None or mark.newest_seq - state.seq < NEWEST_SEQS or covers(mark.seen, mark.newest_seq):
        return None
    return mark.newest_seq


class LookedAt(Event[Session]):
    """A reviewer is about to see some turns."""

    look: Look

    def apply(self, state: Session, at: datetime) -> Session:
        if state.staff_review is None:
            return state
        return _placed(state, looked(state.staff_review, self.look))


class SeenByReviewer(Event[Session]):
    """A reviewer saw the turns that were shown."""

    spans: tuple[Span, ...]
    note_id: str

    def apply(self, state: Session, at: datetime) -> Session:
        if state.staff_review is None:
            return state
        return _placed(state, seen(state.staff_review, self.spans, at, self.note_id))


class SetAsideByReviewer(Event[Session]):
    """A reviewer acknowledged that a consent was withdrawn, so that no reviewer may read the session."""

    note_id: str

    def apply(self, state: Session, at: datetime) -> Session:
        if state.staff_review is None or open_to_staff(state.consents):
            return state
        return _placed(state, set_aside(state.staff_review, at, self.note_id))


class WordsOpened(Event[Session]):
    """The user gave consents again; if none is missing, an entry that was set aside is open again."""

    def apply(self, state: Session, at: datetime) -> Session:
        if state.staff_review is None or not open_to_staff(state.consents):
            return state
        return _placed(state, opened_again(state.staff_review, at))


def _placed(state: Session, mark: StaffReview) -> Session:
    return state.model_copy(update={"staff_review": mark, "review_place": mark.place(state.conversation_id)})
