"""Runs of answers that say little ("네", "몰라요"): the counsellor stops asking, and after some more offers to end."""

from datetime import datetime

from pydantic import Field

from shared.domain.counseling.session import Session
from shared.domain.event import Event

QUIET_AFTER = 3
"""Answers in a row that say little, from which the reply asks nothing."""
QUIET_AFTER_UNSURE = 2
"""The same if the newest of them says that the user has no answer."""
OFFER_AFTER = 6
"""Answers in a row that say little, from which the reply offers to rest or to end."""


class ShortAnswersCounted(Event[Session]):
    """The number of the newest messages in a row that say little."""

    run: int = Field(ge=0)

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"short_answers": self.run})
