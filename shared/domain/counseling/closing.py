"""What the closing work leaves behind for the user and for the next session."""

from typing import ClassVar

from pydantic import Field

from shared.domain.records import Record

CLOSING_ID = "final"


class Closing(Record):
    """The closing work of an ended session; made once. Id: `final`.

    Attributes:
        next_session: What the next session could take up.
        suggested_level: Counselling level for the next session, at most one step from the present one.
    """

    collection: ClassVar[str] = "closings"
    summary: str
    goals: tuple[str, ...]
    next_session: str = ""
    suggested_level: int = Field(ge=1, le=5)
