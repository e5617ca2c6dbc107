"""A wish to stop that had to wait: a later turn asks whether to end."""

from datetime import datetime

from shared.domain.counseling.session import Session
from shared.domain.event import Event


class StopWished(Event[Session]):
    """The user wished to stop while something else went first; a later turn asks whether to end."""

    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state if state.ended else state.model_copy(update={"stop_wished_seq": self.seq})


class StopWishForgotten(Event[Session]):
    """The user went on after a wish to stop."""

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"stop_wished_seq": None})
