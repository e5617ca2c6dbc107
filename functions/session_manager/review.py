"""The session review: a model judges goals, Part 2 and the time to close; code decides what follows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from functions.session_manager.review_checks import (
    GoalsRead,
    ReviewAsCounted,
    Spoken,
    read_course,
    read_goals,
    without_feedback,
)
from functions.session_manager.review_schema import AGENT, ReviewedTask, ReviewInput, reviewer_of
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import Message
from shared.domain.counseling.background_events import Reviewed, WrapUpSuggested
from shared.domain.counseling.due import heard_upto, overtaken, still_due
from shared.domain.counseling.lifecycle import Work, replanned_unseen
from shared.domain.counseling.records import (
    FeedbackKind,
    FeedbackSource,
    FeedbackStatus,
    PlannerFeedback,
    Review,
    WrapUpTask,
)
from shared.domain.counseling.replanning import feedback, may_replan
from shared.domain.counseling.review import (
    Recommendation,
    SessionGoal,
    completion_score,
    missing_goals,
    recommend,
    wrap_up_tasks,
)
from shared.domain.counseling.session import Session, SessionType
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.task import Part
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.records import Record
from shared.engine.jobs import JobOutcome, JobResult
from shared.services.counseling.dialogue import lines
from shared.services.counseling.fixed_replies import turns_of, without_digressions
from shared.services.counseling.instruction_filter import InstructionFilter
from shared.services.counseling.job_context import CounselingJobContext, delivery_of
from shared.services.counseling.plan import plan_in_prompt

DIALOGUE_CHARACTERS = 8000
NEWEST_TURNS = 10
"""Maximum turns that are read: five since the last review and five before; the summary holds the rest."""


@dataclass(frozen=True)
class _Reviewed:
    """The findings of a review, before they are applied to a session.

    Attributes:
        goals: The goals of this type of session.
        reason: Why Part 2 is completed or not, in the model's words.
    """

    seq: int
    goals: tuple[SessionGoal, ...]
    reached: GoalsRead
    course: ReviewAsCounted
    reason: str

    @property
    def goals_met(self) -> bool:
        return not missing_goals(self.goals, self.reached.met)


async def review(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Review the session up to `payload.seq`."""
    identifier, seq = ConversationId(payload.conversation_id), payload.seq
    session = await context.state(identifier)
    if session is None or not still_due(session, Work.REVIEW, seq):
        return JobResult.MOOT
    if await context.store.record(identifier, Review.collection, str(seq)) is not None:
        return JobResult.MOOT
    messages = await context.turns(session, seq, NEWEST_TURNS)
    goals = context.content.goals(session.session_type, session.locale)
    before = met_before(session, goals)
    given = await review_input(context, session, goals, before, messages)
    async with context.claimed(session, delivery_of(payload), lambda state: _open(state, seq)) as scope:
        if isinstance(scope, JobResult):
            return scope
        answer = await context.runner.ask(reviewer_of(goals), given, scope)
        if scope.ledger.failed(AGENT):
            return await context.postpone(identifier, scope, AGENT)
        instruction_filter = InstructionFilter(context.content.text_rules, AGENT, identifier)
        answer = answer.model_copy(
            update={
                "reason": instruction_filter.text(answer.reason),
                "feedback_to_task_planner": instruction_filter.text(answer.feedback_to_task_planner),
            }
        )
        instruction_filter.tell(seq)
        shown = await shown_before(context, session, before)
        turns = await turns_of(context.store, identifier, messages)
        spoken = Spoken.of(without_digressions(messages, turns), session, turns, context.content.text_rules)
        found = _Reviewed(
            seq=seq,
            goals=goals,
            reached=read_goals(answer, goals, spoken, shown),
            course=read_course(answer, session),
            reason=answer.reason.strip(),
        )
        return await context.settle(
            identifier,
            scope,
            lambda state: _settled(context, state, found) if _open(state, seq) else None,
        )


def _open(session: Session, seq: int) -> bool:
    return still_due(session, Work.REVIEW, seq) and all(entry.seq != seq for entry in session.session_manager_log)


def _settled(context: CounselingJobContext, session: Session, found: _Reviewed) -> JobOutcome[Session]:
    recommendation = recommend(
        session,
        advised=found.course.wrap_up_advised,
        completed=found.course.part2_completed,
        goals_met=found.goals_met,
    )
    if recommendation is Recommendation.WRAP_UP:
        found = replace(found, course=without_feedback(found.course))
    late = overtaken(session, Work.REVIEW, found.seq)
    follows = JobOutcome[Session](events=()) if late else _following(context, session, found, recommendation)
    record = _record(context, session, found, recommendation)
    reviewed = Reviewed(seq=found.seq, upto=heard_upto(session, found.seq), gist=_gist(record, found))
    return JobOutcome(events=(reviewed, *follows.events), records=(record, *follows.records))


def _record(
    context: CounselingJobContext, session: Session, found: _Reviewed, recommendation: Recommendation
) -> Review:
    first = session.session_type is SessionType.FIRST_SESSION
    templates = context.content.templates(session.session_type.value, session.locale, session.register_)
    closing = wrap_up_tasks(templates) if recommendation is Recommendation.WRAP_UP else ()
    met = found.reached.met
    return Review(
        record_id=str(found.seq),
        created_at=context.clock.now(),
        expire_at=session.expire_at,
        seq=found.seq,
        goals={goal.id: {"met": goal.id in met, "evidence": met.get(goal.id, "")} for goal in found.goals},
        completion_score=completion_score(found.goals, met),
        missing_goals=missing_goals(found.goals, met),
        recommendation=recommendation.value,
        part2_completed=found.course.part2_completed,
        reason=found.reason,
        feedback_to_task_planner=found.course.feedback,
        session_status=session.status.value,
        goals_met=found.goals_met,
        first_session_goals_met=found.goals_met if first else None,
        wrap_up_tasks=tuple(WrapUpTask(id=task.id, title=task.title) for task in closing),
        corrected=tuple(code.value for code in (*found.reached.corrected, *found.course.corrected)),
    )


def _following(
    context: CounselingJobContext, session: Session, found: _Reviewed, recommendation: Recommendation
) -> JobOutcome[Session]:
    """Return the events and records that the newest review leads to; only the user can end a Part."""
    events: list[Event[Session]] = []
    records: list[Record] = []
    if recommendation is Recommendation.WRAP_UP:
        events.append(WrapUpSuggested(reason=_why(found)))
    wanted = found.course.feedback
    if wanted and may_replan(session):
        source, kind, now = FeedbackSource.PART_MANAGER, FeedbackKind.GOAL_OUT_OF_REACH.value, context.clock.now()
        events.append(ReplanAsked())
        records.append(feedback(session, source, kind=kind, reason=wanted, seq=found.seq, at=now))
    return JobOutcome(events=events, records=records)


def _why(found: _Reviewed) -> str:
    if found.course.part2_completed:
        return "goal_reached"
    return "goals_met" if found.goals_met else "session_manager"


def _gist(record: Review, found: _Reviewed) -> dict[str, JsonValue]:
    met: list[JsonValue] = [*found.reached.met]
    return {
        "completion_score": record.completion_score,
        "met": met,
        "missing_goals": list(record.missing_goals),
        "recommendation": record.recommendation,
        "part2_completed": record.part2_completed,
    }


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
    applied = await context.store.records(
        session.conversation_id, PlannerFeedback.collection, FeedbackStatus.APPLIED.value, 1
    )
    return PlannerFeedback.model_validate(applied[-1]).reason if applied else ""
