"""What puts a session into the queue for reviewers, and what marks it as seen there."""

from datetime import datetime

from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import FlagReason, StaffReview, flagged, seen
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


class SeenByReviewer(Event[Session]):
    """A reviewer has seen the session up to turn `upto_seq`."""

    upto_seq: int
    note_id: str

    def apply(self, state: Session, at: datetime) -> Session:
        if state.staff_review is None:
            return state
        return _placed(state, seen(state.staff_review, min(self.upto_seq, state.seq), at, self.note_id))


def _placed(state: Session, mark: StaffReview) -> Session:
    return state.model_copy(update={"staff_review": mark, "review_place": mark.place(state.conversation_id)})
