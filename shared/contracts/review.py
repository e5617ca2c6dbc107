"""The reviewers' API: the queue, one session, and marking it as seen."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from shared.contracts.chat import VISIBLE
from shared.contracts.measures import ReviewedResult
from shared.contracts.retrieval import RetrievalQuery
from shared.contracts.wire import Wire
from shared.domain.conversation import Role
from shared.domain.counseling.staff_review import FlagReason, ReviewStatus

MAX_NOTE = 1000
"""Characters of a reviewer's note."""
PAGE = 20


class ReviewQuery(RetrievalQuery):
    """Which page of the queue."""

    status: ReviewStatus = ReviewStatus.OPEN
    after: str | None = Field(
        default=None,
        max_length=128,
        pattern=r"^(open|seen|set_aside)\.[0-9]{2}\.[0-9]{8}T[0-9]{12}Z\.[A-Za-z0-9_-]{1,64}$",
        description="Behind this entry: `next` of the page before",
    )
    limit: int = Field(default=PAGE, ge=1, le=50)


class LookQuery(RetrievalQuery):
    """Why a reviewer looks; it stands in the audit trail."""

    purpose: Literal["safety_review", "quality_review", "complaint"] = "safety_review"


class FlagView(Wire):
    """What was flagged for one reason."""

    reason: FlagReason
    count: int = Field(description="Turns")
    rules: tuple[str, ...] = Field(description="Ids of rules, categories of the guard; never words")
    seqs: tuple[int, ...] = Field(description="The newest flagged turns")
    first_at: datetime
    last_at: datetime


class ReviewEntry(Wire):
    """A session in the queue: no name, no words."""

    conversation_id: str
    status: ReviewStatus
    priority: FlagReason
    flags: tuple[FlagView, ...] = Field(description="The most pressing first")
    waiting_since: datetime | None = Field(description="Null when nothing waits that may be looked at")
    newest_seq: int = Field(description="The newest flagged turn")
    seen_upto: int | None = Field(description="The newest turn seen; not every turn before it was shown")
    seen_at: datetime | None
    age_group: Literal["under_14", "minor", "adult"] = Field(
        description="By what they chose at the start and what they said of their age since; adult as far as is known"
    )
    ended: bool
    after_end: bool = Field(description="Danger was written, or the follow-through left, behind the last turn")
    follow_through: bool = Field(description="The crisis follow-through is on")


class ReviewPage(Wire):
    """A page of the queue, the most pressing first, then who has waited longest."""

    entries: tuple[ReviewEntry, ...]
    next: str | None


class ReviewedMessage(Wire):
    """A message of a flagged turn, or of those around it."""

    seq: int
    role: Role
    text: str
    created_at: datetime
    flagged: bool


class JudgedReplies(Wire):
    """What the supervisor said of the replies up to a turn."""

    seq: int
    total: float
    scores: dict[str, int]
    improvements: tuple[str, ...]


class NoteView(Wire):
    """What a reviewer wrote."""

    by: str
    at: datetime
    upto_seq: int
    note: str
    cleared_risk: bool


class SpanView(Wire):
    """Turns next to each other, both ends included."""

    first: int
    last: int


class ReviewDetail(Wire):
    """A flagged session as a reviewer sees it: the flagged turns and what stands around them, not all of it."""

    entry: ReviewEntry
    risk: Literal["none", "concern", "crisis", "imminent"]
    latest_seq: int = Field(description="The session's newest turn")
    look: str = Field(description="Names this look; the mark that comes of it bears it")
    shown: tuple[SpanView, ...] = Field(description="The turns of this look; a flag behind the newest is of no turn")
    withdrawn: bool = Field(default=False, description="The person took back a consent: their words are not shown")
    clearable: bool = Field(description="All of the follow-through has been shown: it may be left by a mark")
    messages: tuple[ReviewedMessage, ...]
    judgements: tuple[JudgedReplies, ...]
    notes: tuple[NoteView, ...] = Field(description="The newest last")
    measures: tuple[ReviewedResult, ...] = Field(default=(), description="The session's results, the oldest first")


class MarkSeen(Wire):
    """Marks what a look has shown as seen, and nothing else; where it might show nothing, sets the session aside."""

    note: str = Field(min_length=1, max_length=MAX_NOTE, json_schema_extra={"pattern": VISIBLE})
    look: str = Field(min_length=1, max_length=128, description="`look` of what was shown")
    clear_risk: bool = Field(default=False, description="Leave the crisis follow-through; see `clearable`")
