"""The review: goals, Part 2 and the time to close; what follows from it is code's to decide."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from functions.session_manager.findings import (
    AGENT,
    REVIEWER,
    ReviewInput,
    SessionReview,
    TaskShown,
    met_goals,
)
from shared.contracts.tasks import TaskPayload
from shared.domain.counseling.background_events import Reviewed, WrapUpSuggested
from shared.domain.counseling.due import heard_upto, overtaken, still_due
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.records import FeedbackSource, PartTransition, Review
from shared.domain.counseling.replanning import feedback, may_replan
from shared.domain.counseling.review import (
    Recommendation,
    SessionGoal,
    completion_score,
    may_leave_part2,
    missing_goals,
    recommend,
)
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.task import Part
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.records import Record
from shared.engine.jobs import Found, JobResult
from shared.services.counseling.dialogue import lines
from shared.services.counseling.workbench import CounselingBench

NEWEST_TURNS = 10
"""Turns that are read at most: the five since the last review, and as many before; the summary holds the rest."""
DIALOGUE_CHARACTERS = 8000
TO_CLOSING = f"{Part.EXPLORATION.value}-{Part.CLOSING.value}"


@dataclass(frozen=True)
class _Reviewed:
    """What was found, before it meets the state that it is written over.

    Attributes:
        leaving: The transition to the closing was asked for before and is under way: nothing more is asked for.
    """

    seq: int
    answer: SessionReview
    met: dict[SessionGoal, str]
    leaving: bool


async def review(bench: CounselingBench, payload: TaskPayload) -> JobResult:
    """Review the session up to `payload.seq`."""
    identifier, seq = ConversationId(payload.conversation_id), payload.seq
    session = await bench.state(identifier)
    if session is None or not still_due(session, Work.REVIEW, seq):
        return JobResult.MOOT
    if await bench.store.record(identifier, Review.collection, str(seq)) is not None:
        return JobResult.MOOT
    messages = await bench.turns(session, seq, NEWEST_TURNS)
    scope = bench.scope(session)
    before = _met_before(session)
    given = _input(session, before).model_copy(update={"lines": lines(messages, DIALOGUE_CHARACTERS)})
    answer = await bench.runner.ask(REVIEWER, given, scope)
    if scope.ledger.failed(AGENT):
        return await bench.postpone(identifier, scope)
    leaving = await bench.store.record(identifier, PartTransition.collection, TO_CLOSING) is not None
    found = _Reviewed(seq=seq, answer=answer, met=met_goals(answer, messages, before), leaving=leaving)
    return await bench.settle(
        identifier,
        scope,
        lambda state: _settled(bench, state, found) if still_due(state, Work.REVIEW, seq) else None,
    )


def _met_before(session: Session) -> tuple[SessionGoal, ...]:
    met = session.session_manager_log[-1].data.get("met") if session.session_manager_log else None
    return tuple(goal for goal in SessionGoal if isinstance(met, list) and goal.value in met)


def _input(session: Session, before: Sequence[SessionGoal]) -> ReviewInput:
    return ReviewInput(
        session_type=session.session_type.value,
        part=session.current_part.value,
        part2_goal=session.part2_goal or "",
        tasks=tuple(
            TaskShown(title=task.title, target=task.target, status=task.status.value)
            for task in session.tasks
            if task.part is session.current_part
        ),
        met_before=tuple(goal.value for goal in before),
        declined=session.wrap_up.declined if session.wrap_up else 0,
        summary=session.summary_text,
        lines=(),
    )


def _settled(bench: CounselingBench, session: Session, found: _Reviewed) -> Found[Session]:
    answer, now = found.answer, bench.clock.now()
    completed = answer.part2_completed and session.current_part is Part.EXPLORATION
    recommendation = recommend(session, advised=answer.wrap_up_advised and not found.leaving)
    wanted = answer.feedback_to_task_planner.strip()
    record = Review(
        record_id=str(found.seq),
        created_at=now,
        expire_at=session.expire_at,
        seq=found.seq,
        goals={goal.value: {"met": goal in found.met, "evidence": found.met.get(goal, "")} for goal in SessionGoal},
        completion_score=completion_score(found.met),
        missing_goals=tuple(goal.value for goal in missing_goals(found.met)),
        recommendation=recommendation.value,
        part2_completed=completed,
        reason=answer.reason.strip(),
        feedback_to_task_planner=wanted,
    )
    reviewed = Reviewed(seq=found.seq, upto=heard_upto(session, found.seq), gist=_gist(record, found))
    if overtaken(session, Work.REVIEW, found.seq):
        return Found(events=(reviewed,), records=(record,))
    follows = _following(bench, session, found, record)
    return Found(events=(reviewed, *follows.events), records=(record, *follows.records))


def _following(bench: CounselingBench, session: Session, found: _Reviewed, record: Review) -> Found[Session]:
    """Return what the newest review leads to."""
    events: list[Event[Session]] = []
    records: list[Record] = []
    if record.part2_completed and may_leave_part2(session):
        if not found.leaving:
            records.append(_to_closing(bench, session, found))
    elif record.recommendation == Recommendation.WRAP_UP.value:
        events.append(WrapUpSuggested(reason="session_manager"))
    wanted = record.feedback_to_task_planner
    if wanted and not record.part2_completed and may_replan(session):
        source, now = FeedbackSource.PART_MANAGER, bench.clock.now()
        events.append(ReplanAsked())
        records.append(feedback(session, source, kind="goal_out_of_reach", reason=wanted, seq=found.seq, at=now))
    return Found(events=events, records=records)


def _gist(record: Review, found: _Reviewed) -> dict[str, JsonValue]:
    return {
        "completion_score": record.completion_score,
        "met": [goal.value for goal in found.met],
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
        reason=found.answer.reason.strip() or "the goal of Part 2 is reached",
    )
