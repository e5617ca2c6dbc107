"""What the closing work leaves behind for the user and for the next session."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from shared.domain.records import Record

CLOSING_ID = "final"


class ClosingOrigin(StrEnum):
    """Who made a closing."""

    MODEL = "model"
    """The session manager's model, from the whole conversation."""
    RULE = "rule"
    """Code, without a model: what the user gave, put together. No model could be reached."""


class Closing(Record):
    """The closing work of an ended session; made once. Id: `final`.

    Attributes:
        origin: Who made it; shown beside it, so that nobody takes a list for an understanding.
        next_session: What the next session could take up.
        suggested_level: Counselling level for the next session, at most one step from the present one.
    """

    collection: ClassVar[str] = "closings"
    origin: ClosingOrigin = ClosingOrigin.MODEL
    summary: str
    goals: tuple[str, ...]
    next_session: str = ""
    suggested_level: int = Field(ge=1, le=5)
