"""A rating as it is kept beside the session: with the comment, which the session itself has no place for."""

from typing import ClassVar

from pydantic import Field

from shared.contracts.chat import Satisfaction
from shared.domain.counseling.session import Session
from shared.domain.records import Record
from shared.web.text import clean


class Rating(Record):
    """One rating. Id: the session's version that it made, since a user may rate again."""

    collection: ClassVar[str] = "ratings"
    rating: int = Field(ge=1, le=5)
    comment: str


def rating_of(state: Session, given: Satisfaction) -> Rating:
    """Return the record of a rating."""
    return Rating(
        record_id=str(state.state_version),
        created_at=state.updated_at,
        expire_at=state.expire_at,
        rating=given.rating,
        comment=clean(given.comment),
    )
