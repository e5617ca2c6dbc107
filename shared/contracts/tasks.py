"""What a Cloud Tasks task carries."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class JobKind(StrEnum):
    """The work a task asks for; each kind has one function."""

    SUPERVISE = "supervise"
    """The supervisor judges the newest turns."""
    REVIEW = "review"
    """The session manager reviews the session and Part 2."""
    SUMMARIZE = "summarize"
    """The session manager folds old turns into the summary."""
    PLAN = "plan"
    """The planner makes or changes the plan of Part 2."""
    CLOSE = "close"
    """The session manager does the closing work of an ended session."""
    ANSWER = "answer"
    """The chat function answers messages that a crash left waiting."""
    ERASE = "erase"
    """The chat function goes on with an erasure that a request did not finish."""
    WITHDRAW = "withdraw"
    """The chat function goes on with a withdrawal of consents that a request did not finish."""


class TaskPayload(BaseModel):
    """The body of a task.

    Attributes:
        conversation_id: For an erasure its own id, which most often is a conversation's; for a withdrawal its own.
        seq: The turn at which the work fell due, and up to which it is done; 0 for the closing work. For waiting
            messages the last fencing token: each attempt to answer them has its own.
        state_version: The session's version when the work was found due.
        again: Tells apart tasks for the same work, when an earlier one did not get it done; 0 for the first.
        attempt: Which attempt this delivery is, from 1. The queue counts it in a header; it is no part of the body.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    conversation_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    kind: JobKind
    seq: int = Field(ge=0)
    state_version: int = Field(ge=0)
    again: int = Field(default=0, ge=0)
    attempt: int = Field(default=1, ge=1, exclude=True)

    @property
    def name(self) -> str:
        """Deterministic, so that the same work is queued once."""
        name = f"{self.conversation_id}-{self.kind.value}-{self.seq}"
        return f"{name}-again-{self.again}" if self.again else name


def erasure_task(erasure_id: str) -> TaskPayload:
    """Return the task that goes on with an erasure."""
    return TaskPayload(conversation_id=erasure_id, kind=JobKind.ERASE, seq=0, state_version=0)


def withdrawal_task(withdrawal_id: str) -> TaskPayload:
    """Return the task that goes on with a withdrawal of consents."""
    return TaskPayload(conversation_id=withdrawal_id, kind=JobKind.WITHDRAW, seq=0, state_version=0)
