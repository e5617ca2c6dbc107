"""The review: goals, Part 2 and the time to close; what follows from it is code's to decide."""

from dataclasses import dataclass, replace

from pydantic import JsonValue

from functions.session_manager.asking import met_before, review_input, shown_before
from functions.session_manager.findings import AGENT, reviewer_of
from functions.session_manager.reading import GoalsRead, Reading, read_course, read_goals, without_feedback
from shared.contracts.tasks import TaskPayload
from shared.domain.counseling.background_events import Reviewed, WrapUpSuggested
from shared.domain.counseling.due import heard_upto, overtaken, still_due
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.records import (
    FeedbackKind,
    FeedbackSource,
    PartTransition,
    Review,
    WrapUpTask,
)
from shared.domain.counseling.replanning import feedback, may_replan
from shared.domain.counseling.review import (
    Recommendation,
    SessionGoal,
    completion_score,
    may_leave_part2,
    missing_goals,
    recommend,
    wrap_up_tasks,
)
from shared.domain.counseling.session import Session, SessionType
from shared.domain.counseling.session_events import ClosingAsked, ReplanAsked
from shared.domain.counseling.task import Part
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.records import Record
from shared.engine.jobs import Found, JobResult
from shared.services.counseling.rule_made import by_rule, turns_of
from shared.services.counseling.sieve import Sieve
from shared.services.counseling.workbench import CounselingBench

NEWEST_TURNS = 10
"""Turns that are read at most: the five since the last review, and as many before; the summary holds the rest."""
TO_CLOSING = f"{Part.EXPLORATION.value}-{Part.CLOSING.value}"


@dataclass(frozen=True)
class _Reviewed:
    """What was found, before it meets the state that it is written over.

    Attributes:
        goals: What this type of session is to reach.
        reason: Why Part 2 is completed or not, in the model's words.
        leaving: The transition to the closing was asked for before and is under way: nothing more is asked for.
    """

    seq: int
    goals: tuple[SessionGoal, ...]
    reached: GoalsRead
    course: Reading
    reason: str
    leaving: bool

    @property
    def goals_met(self) -> bool:
        """Whether every goal is met."""
        return not missing_goals(self.goals, self.reached.met)


async def review(bench: CounselingBench, payload: TaskPayload) -> JobResult:
    """Review the session up to `payload.seq`."""
    identifier, seq = ConversationId(payload.conversation_id), payload.seq
    session = await bench.state(identifier)
    if session is None or not still_due(session, Work.REVIEW, seq):
        return JobResult.MOOT
    if await bench.store.record(identifier, Review.collection, str(seq)) is not None:
        return JobResult.MOOT
    messages = await bench.turns(session, seq, NEWEST_TURNS)
    goals = bench.content.goals(session.session_type, session.locale)
    before = met_before(session, goals)
    scope = bench.scope(session)
    answer = await bench.runner.ask(
        reviewer_of(goals), await review_input(bench, session, goals, before, messages), scope
    )
    if scope.ledger.failed(AGENT):
        return await bench.postpone(identifier, scope)
    sieve = Sieve(AGENT, identifier)
    answer = answer.model_copy(
        update={
            "reason": sieve.text(answer.reason),
            "feedback_to_task_planner": sieve.text(answer.feedback_to_task_planner),
        }
    )
    sieve.tell(seq)
    shown = await shown_before(bench, session, before)
    turns = await turns_of(bench.store, identifier, messages)
    found = _Reviewed(
        seq=seq,
        goals=goals,
        reached=read_goals(answer, goals, messages, shown, [turn for turn, one in turns.items() if by_rule(one)]),
        course=read_course(answer, session),
        reason=answer.reason.strip(),
        leaving=await bench.store.record(identifier, PartTransition.collection, TO_CLOSING) is not None,
    )
    return await bench.settle(
        identifier,
        scope,
        lambda state: _settled(bench, state, found) if still_due(state, Work.REVIEW, seq) else None,
    )


def _settled(bench: CounselingBench, session: Session, found: _Reviewed) -> Found[Session]:
    advised = found.course.wrap_up_advised and not found.leaving
    recommendation = recommend(session, advised=advised, goals_met=found.goals_met and not found.leaving)
    if recommendation is Recommendation.WRAP_UP:
        found = replace(found, course=without_feedback(found.course))
    late = overtaken(session, Work.REVIEW, found.seq)
    leads = found.course.part2_completed and may_leave_part2(session) and not late
    follows = Found[Session](events=())
    if not late:
        follows = _following(bench, session, found, recommendation, leads=leads)
    record = _record(bench, session, found, recommendation, leads=leads)
    reviewed = Reviewed(seq=found.seq, upto=heard_upto(session, found.seq), gist=_gist(record, found))
    return Found(events=(reviewed, *follows.events), records=(record, *follows.records))


def _record(
    bench: CounselingBench, session: Session, found: _Reviewed, recommendation: Recommendation, *, leads: bool
) -> Review:
    first = session.session_type is SessionType.FIRST_SESSION
    closes = leads or recommendation is Recommendation.WRAP_UP
    templates = bench.content.templates(session.session_type.value, session.locale, session.register_)
    closing = wrap_up_tasks(templates) if closes else ()
    met = found.reached.met
    return Review(
        record_id=str(found.seq),
        created_at=bench.clock.now(),
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
    bench: CounselingBench, session: Session, found: _Reviewed, recommendation: Recommendation, *, leads: bool
) -> Found[Session]:
    """Return what the newest review leads to."""
    events: list[Event[Session]] = []
    records: list[Record] = []
    if leads:
        if not found.leaving:
            events.append(ClosingAsked())
            records.append(_to_closing(bench, session, found))
    elif recommendation is Recommendation.WRAP_UP:
        events.append(WrapUpSuggested(reason="goals_met" if found.goals_met else "session_manager"))
    wanted = found.course.feedback
    if wanted and may_replan(session):
        source, kind, now = FeedbackSource.PART_MANAGER, FeedbackKind.GOAL_OUT_OF_REACH.value, bench.clock.now()
        events.append(ReplanAsked())
        records.append(feedback(session, source, kind=kind, reason=wanted, seq=found.seq, at=now))
    return Found(events=events, records=records)


def _gist(record: Review, found: _Reviewed) -> dict[str, JsonValue]:
    met: list[JsonValue] = [*found.reached.met]
    return {
        "completion_score": record.completion_score,
        "met": met,
        "missing_goals": list(record.missing_goals),
        "recommendation": record.recommendation,
        "part2_completed": record.part2_completed,
    }


def _to_closing(bench: CounselingBench, session: Session, found: _Reviewed) -> PartTransition:
    return PartTransition(
        record_id=TO_CLOSING,
        created_at=bench.clock.now(),
        expire_at=session.expire_at,
        from_part=Part.EXPLORATION,
        to_part=Part.CLOSING,
        seq=found.seq,
        reason=found.reason or "the goal of Part 2 is reached",
    )
