"""The result of the closing work, for the user and the next session."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from shared.domain.counseling.sources import SourcedText
from shared.domain.records import Record

CLOSING_ID = "final"


class ClosingOrigin(StrEnum):
    MODEL = "model"
    """The session manager's model, from the whole conversation."""
    RULE = "rule"
    """Code built it from the user's answers, because no model could be reached."""


class Closing(Record):
    """The closing of an ended session; created once. Id: `final`.

    Attributes:
        origin: Shown to the user, so that a list by rule is not taken for a model's summary.
        summary_sources: The sentences of the summary with the user's words that they rest on.
        goal_sources: The same for the goals; those of older documents have none.
        next_session: Proposed topics of the next session.
        suggested_level: Counselling level for the next session, at most one step from the current one.
    """

    collection: ClassVar[str] = "closings"
    origin: ClosingOrigin = ClosingOrigin.MODEL
    summary: str
    goals: tuple[str, ...]
    summary_sources: tuple[SourcedText, ...] = ()
    goal_sources: tuple[SourcedText, ...] = ()
    next_session: str = ""
    suggested_level: int = Field(ge=1, le=5)
