"""The pending feedback of a session, as read at one time."""

from dataclasses import dataclass

from shared.domain.counseling.records import MODEL_UNREACHABLE, FeedbackStatus, PlannerFeedback
from shared.domain.counseling.replanning import ReplansAnswered
from shared.domain.counseling.session import Session
from shared.domain.records import Rewritten
from shared.services.counseling.job_context import CounselingJobContext

MOST_WAITING = 10
"""Maximum feedback that one plan answers, the newest; the next plan answers the rest."""


@dataclass(frozen=True)
class PendingFeedback:
    """Pending feedback.

    Attributes:
        session: Read before the feedback, so that no feedback it counts is missing.
        feedback: Oldest first.
    """

    session: Session
    feedback: tuple[PlannerFeedback, ...]

    def __bool__(self) -> bool:
        """Whether anything is pending; also a count without a document."""
        return bool(self.feedback) or self.session.replans > 0

    @property
    def number(self) -> int:
        """Number of requests that an answer takes off the session's count."""
        if len(self.feedback) < MOST_WAITING:
            return max(self.session.replans, len(self.feedback))
        return len(self.feedback)

    def led_by_another(self, own: PlannerFeedback) -> bool:
        """Return whether the event of other feedback from the same turn answers both: a turn gets one plan."""
        return any(each.seq == own.seq and each.record_id < own.record_id for each in self.feedback)

    @property
    def makes_good(self) -> bool:
        """Whether the plan is made again because no model was reachable the first time."""
        return any(each.kind == MODEL_UNREACHABLE for each in self.feedback)

    def holds(self, state: Session) -> bool:
        """Return whether no re-plan was applied since this read."""
        return state.replan_rounds == self.session.replan_rounds

    def answered(self) -> ReplansAnswered:
        """Return the event that takes the feedback off the session's count without a plan."""
        return ReplansAnswered(answered=self.number)

    def became(self, status: FeedbackStatus) -> tuple[Rewritten, ...]:
        """Return the documents with another status."""
        return tuple(Rewritten(each.became(status)) for each in self.feedback)


async def pending(context: CounselingJobContext, session: Session) -> PendingFeedback:
    """Return the pending feedback.

    Raises:
        StoreUnavailable: The store does not answer.
    """
    stored = await context.store.records(
        session.conversation_id, PlannerFeedback.collection, FeedbackStatus.PENDING.value, MOST_WAITING
    )
    return PendingFeedback(session, tuple(PlannerFeedback.model_validate(fields) for fields in stored))
