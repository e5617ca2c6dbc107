"""The record of a rating with its comment, stored below the session."""

from typing import ClassVar

from pydantic import Field

from shared.contracts.rating import Satisfaction
from shared.domain.counseling.session import Session
from shared.domain.records import Record
from shared.web.text import clean


class Rating(Record):
    """One rating. Id: the session's version after it, since a user may rate again."""

    collection: ClassVar[str] = "ratings"
    rating: int | None = Field(default=None, ge=1, le=5)
    comment: str


def comment_of(given: Satisfaction) -> Satisfaction:
    """Return a rating with a cleaned comment."""
    return given.model_copy(update={"comment": clean(given.comment)})


def rating_id(state: Session) -> str:
    """Return the id of the rating that made this version of the session."""
    return f"{Rating.collection}-{state.state_version}"


def rating_of(state: Session, given: Satisfaction) -> Rating:
    """Return the record of a rating, without the comment if no text is stored."""
    return Rating(
        record_id=str(state.state_version),
        created_at=state.updated_at,
        expire_at=state.expire_at,
        rating=given.rating,
        comment=given.comment if state.keeps_words else "",
    )
