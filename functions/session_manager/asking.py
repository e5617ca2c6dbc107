"""Builds the input of the session review."""

from collections.abc import Sequence

from pydantic import JsonValue

from functions.session_manager.findings import ReviewedTask, ReviewInput
from shared.domain.conversation import Message
from shared.domain.counseling.lifecycle import replanned_unseen
from shared.domain.counseling.records import FeedbackStatus, PlannerFeedback, Review
from shared.domain.counseling.review import SessionGoal
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part
from shared.services.counseling.dialogue import lines
from shared.services.counseling.job_context import CounselingJobContext
from shared.services.counseling.plan import plan_in_prompt

DIALOGUE_CHARACTERS = 8000


def met_before(session: Session, goals: Sequence[SessionGoal]) -> tuple[str, ...]:
    """Return the ids of the goals that the newest review found met."""
    met = session.session_manager_log[-1].data.get("met") if session.session_manager_log else None
    return tuple(goal.id for goal in goals if isinstance(met, list) and goal.id in met)


async def shown_before(context: CounselingJobContext, session: Session, met: Sequence[str]) -> dict[str, str]:
    """Return the evidence of these goals from the newest review."""
    if not met:
        return {}
    newest = str(session.session_manager_log[-1].seq)
    stored = await context.store.record(session.conversation_id, Review.collection, newest)
    review = Review.model_validate(stored) if stored else None
    found = {goal: review.goals.get(goal) for goal in met} if review else {}
    return {goal: _words(found.get(goal)) for goal in met}


def _words(finding: JsonValue) -> str:
    evidence = finding.get("evidence") if isinstance(finding, dict) else None
    return evidence if isinstance(evidence, str) else ""


async def review_input(
    context: CounselingJobContext,
    session: Session,
    goals: tuple[SessionGoal, ...],
    before: tuple[str, ...],
    messages: Sequence[Message],
) -> ReviewInput:
    """Return the prompt variables; Part 2's goal and a changed plan are shown in Part 2 only."""
    changed = replanned_unseen(session)
    return ReviewInput(
        session_type=session.session_type.value,
        part=session.current_part.value,
        part2_goal=(session.part2_goal or "") if session.current_part is Part.EXPLORATION else "",
        goals=goals,
        tasks=tuple(
            ReviewedTask(title=task.title, target=task.target, status=task.status.value)
            for task in plan_in_prompt(session, session.current_part)
        ),
        met_before=before,
        declined=session.wrap_up.declined if session.wrap_up else 0,
        summary=session.summary_text,
        lines=lines(messages, DIALOGUE_CHARACTERS),
        replanned=changed,
        replan_reason=await _replan_reason(context, session) if changed else "",
    )


async def _replan_reason(context: CounselingJobContext, session: Session) -> str:
    """Return the reason of the newest applied re-plan, or an empty text."""
    applied = await context.store.records(
        session.conversation_id, PlannerFeedback.collection, FeedbackStatus.APPLIED.value, 1
    )
    return PlannerFeedback.model_validate(applied[-1]).reason if applied else ""
