"""The feedback that waits for the planner, as one reading of the session found it."""

from dataclasses import dataclass

from shared.domain.counseling.records import MODEL_UNREACHABLE, FeedbackStatus, PlannerFeedback
from shared.domain.counseling.replanning import ReplansAnswered
from shared.domain.counseling.session import Session
from shared.domain.records import Rewritten
from shared.services.counseling.job_context import CounselingJobContext

MOST_WAITING = 10
"""Feedback that one plan answers at most, the newest; what is left goes in with the next."""


@dataclass(frozen=True)
class PendingFeedback:
    """What waits.

    Attributes:
        session: As read before the feedback was: none that the session counts is missing.
        feedback: The oldest first.
    """

    session: Session
    feedback: tuple[PlannerFeedback, ...]

    def __bool__(self) -> bool:
        """Whether there is anything to answer: also a count without a document."""
        return bool(self.feedback) or self.session.replans > 0

    @property
    def number(self) -> int:
        """How much the session counts of it."""
        if len(self.feedback) < MOST_WAITING:
            return max(self.session.replans, len(self.feedback))
        return len(self.feedback)

    def led_by_another(self, own: PlannerFeedback) -> bool:
        """Return whether feedback of the same turn has its own event to answer both: a turn is planned for once."""
        return any(each.seq == own.seq and each.record_id < own.record_id for each in self.feedback)

    @property
    def makes_good(self) -> bool:
        """Whether the plan is to be made again because no model could be reached when it was made."""
        return any(each.kind == MODEL_UNREACHABLE for each in self.feedback)

    def holds(self, state: Session) -> bool:
        """Return whether no re-plan was applied since this read; feedback that came later waits."""
        return state.replan_rounds == self.session.replan_rounds

    def answered(self) -> ReplansAnswered:
        """Return the event that takes it off what the session counts, with no plan."""
        return ReplansAnswered(answered=self.number)

    def became(self, status: FeedbackStatus) -> tuple[Rewritten, ...]:
        """Return its documents with another status."""
        return tuple(Rewritten(each.became(status)) for each in self.feedback)


async def pending(context: CounselingJobContext, session: Session) -> PendingFeedback:
    """Return what waits.

    Raises:
        StoreUnavailable: The store does not answer.
    """
    stored = await context.store.records(
        session.conversation_id, PlannerFeedback.collection, FeedbackStatus.PENDING.value, MOST_WAITING
    )
    return PendingFeedback(session, tuple(PlannerFeedback.model_validate(fields) for fields in stored))
