"""The body of a Cloud Tasks task."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class JobKind(StrEnum):
    """The work of a task; each kind belongs to one function."""

    SUPERVISE = "supervise"
    """The supervisor judges the newest turns."""
    REVIEW = "review"
    """The session manager reviews the session and Part 2."""
    SUMMARIZE = "summarize"
    """The session manager merges old turns into the summary."""
    PLAN = "plan"
    """The planner makes or changes the plan of Part 2."""
    CLOSE = "close"
    """The session manager creates the closing of an ended session."""
    ANSWER = "answer"
    """The chat function answers messages left waiting by a crash."""
    ERASE = "erase"
    """The chat function continues an unfinished erasure."""
    WITHDRAW = "withdraw"
    """The chat function continues an unfinished withdrawal of consents."""
    REMIND = "remind"
    """The chat function reminds a user of a booked session."""


class TaskPayload(BaseModel):
    """The body of a task.

    Attributes:
        conversation_id: For an erasure, a withdrawal or a booking, its own id.
        seq: The turn at which the work fell due, and up to which it is done; 0 for the closing work. For waiting
            messages the last fencing token, so that each attempt has its own task; for a booking its `sequence`.
        state_version: The session's version when the work was found due.
        again: Distinguishes repeated tasks for the same work; 0 for the first.
        attempt: Number of this delivery, from 1; from the queue's header, not in the body.
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
        """Deterministic, so that the same work is enqueued once."""
        name = f"{self.conversation_id}-{self.kind.value}-{self.seq}"
        return f"{name}-again-{self.again}" if self.again else name


def erasure_task(erasure_id: str) -> TaskPayload:
    return TaskPayload(conversation_id=erasure_id, kind=JobKind.ERASE, seq=0, state_version=0)


def withdrawal_task(withdrawal_id: str) -> TaskPayload:
    """Return the task that continues a withdrawal of consents."""
    return TaskPayload(conversation_id=withdrawal_id, kind=JobKind.WITHDRAW, seq=0, state_version=0)


def reminder_task(booking_id: str, sequence: int) -> TaskPayload:
    """Return the task that reminds of a booking as it stands; a changed one has another `sequence`."""
    return TaskPayload(conversation_id=booking_id, kind=JobKind.REMIND, seq=sequence, state_version=0)
