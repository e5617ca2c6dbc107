"""Carries out Part transitions: their documents are created once, their events come several times and in any order."""

import logging

from functions.planner.plan_part2 import awaits_plan, plan_part2
from functions.planner.replan import answer_feedback
from functions.planner.waiting import pending
from shared.contracts.tasks import TaskPayload
from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.records import FeedbackStatus, PartTransition
from shared.domain.counseling.review import closing_tasks
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part
from shared.domain.ids import ConversationId
from shared.engine.jobs import CreatedDocument, Found, JobResult
from shared.observability.events import Event
from shared.observability.log_event import log_event
from shared.services.counseling.workbench import CounselingBench

log = logging.getLogger(__name__)

TO_PLANNED = "1-2"
TO_CLOSING = ("1-3", "2-3")


async def carry_out(bench: CounselingBench, document: CreatedDocument) -> JobResult:
    """Carry out the transition that a document asks for, if the store really has it and the session is not past it."""
    identifier, transition = document.conversation_id, document.document_id
    if transition != TO_PLANNED and transition not in TO_CLOSING:
        log_event(log, Event.TRANSITION_UNKNOWN, document=transition, conversation=identifier)
        return JobResult.MOOT
    if await bench.created(document) is None:
        return JobResult.MOOT
    return await (plan_part2 if transition == TO_PLANNED else start_closing)(bench, identifier)


async def recover(bench: CounselingBench, payload: TaskPayload) -> JobResult:
    """Carry out what a lost event left undone."""
    identifier = ConversationId(payload.conversation_id)
    session = await bench.state(identifier)
    if session is None:
        return JobResult.MOOT
    if not session.ended and await _closing_asked(bench, session):
        return await start_closing(bench, identifier)
    if awaits_plan(session):
        return await plan_part2(bench, identifier)
    return await answer_feedback(bench, identifier) if session.replans else JobResult.MOOT


async def _closing_asked(bench: CounselingBench, session: Session) -> bool:
    closing = f"{session.current_part.value}-{Part.CLOSING.value}"
    if not _before_closing(session):
        return False
    return await bench.store.record(session.conversation_id, PartTransition.collection, closing) is not None


async def start_closing(bench: CounselingBench, conversation_id: ConversationId) -> JobResult:
    """Close the Parts before and bring in Part 3's tasks; feedback on the plan that waits still will have no answer."""
    session = await bench.state(conversation_id)
    if session is None or not _before_closing(session):
        return JobResult.MOOT
    now = bench.clock.now()
    templates = bench.content.templates(session.session_type.value, session.locale, session.register_)
    tasks = tuple(task.model_copy(update={"created_at": now}) for task in closing_tasks(templates))
    waiting = await pending(bench, session)
    dropped = waiting.became(FeedbackStatus.SUPERSEDED)

    def found(state: Session) -> Found[Session] | None:
        if not _before_closing(state):
            return None
        started = ClosingStarted(tasks=tasks)
        if not (waiting and waiting.holds(state)):
            return Found(events=(started,))
        return Found(events=(started, waiting.answered()), records=dropped)

    return await bench.settle(conversation_id, bench.scope(session), found)


def _before_closing(session: Session) -> bool:
    return not session.ended and session.current_part is not Part.CLOSING
