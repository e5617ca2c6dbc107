"""What the counsellor asked, or said in fixed words, in a session: a wording is chosen that it has not used."""

from datetime import datetime
from hashlib import sha256

from shared.domain.counseling.session import Session
from shared.domain.event import Event

MOST_SAID = 120
"""Digests kept; the least recent leaves first."""
_DIGITS = 10


def digest(question: str) -> str:
    """Return a short digest of a question; a question may repeat the user's words, which are not kept twice."""
    return sha256(" ".join(question.split()).encode()).hexdigest()[:_DIGITS]


class QuestionsSaid(Event[Session]):
    """The digests of what a reply asked, and of the fixed sentences in it."""

    digests: tuple[str, ...]

    def apply(self, state: Session, at: datetime) -> Session:
        newest = tuple(dict.fromkeys(self.digests))
        earlier = tuple(one for one in state.questions_said if one not in newest)
        return state.model_copy(update={"questions_said": (*earlier, *newest)[-MOST_SAID:]})
