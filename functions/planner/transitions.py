"""Carries out Part transitions: documents are created once, events may repeat and come in any order."""

import logging
import re

from functions.planner.material import planning_on
from functions.planner.plan_part2 import awaits_plan, plan_part2
from functions.planner.replan import answer_feedback
from functions.planner.waiting import pending
from shared.contracts.tasks import TaskPayload
from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.lifecycle import leaving_for_closing
from shared.domain.counseling.records import FeedbackStatus, PartTransition
from shared.domain.counseling.review import closing_tasks
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part
from shared.domain.ids import ConversationId
from shared.engine.jobs import CreatedDocument, JobOutcome, JobResult
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.services.counseling.job_context import CounselingJobContext, delivery_of

log = logging.getLogger(__name__)

KNOWN = re.compile("(1-2|[12]-3|3-[12])(-[0-9]{1,4})?")
"""Ids of transitions: from Part, to Part and, once the session has gone back, the round."""


async def carry_out(context: CounselingJobContext, document: CreatedDocument) -> JobResult:
    """Carry out a transition, if the store has its document and the session has not passed it."""
    identifier, transition = document.conversation_id, document.document_id
    if not KNOWN.fullmatch(transition):
        log_event(log, LogEvent.TRANSITION_UNKNOWN, document=transition, conversation=identifier)
        return JobResult.MOOT
    stored = await context.created(document)
    if stored is None:
        return JobResult.MOOT
    match PartTransition.model_validate(stored).to_part:
        case Part.EXPLORATION:
            return await plan_part2(context, identifier, planning_on(document))
        case Part.CLOSING:
            return await start_closing(context, identifier)
        case Part.OPENING:
            return JobResult.MOOT


async def recover(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Do the work of a lost event."""
    identifier = ConversationId(payload.conversation_id)
    session = await context.state(identifier)
    if session is None:
        return JobResult.MOOT
    if leaving_for_closing(session):
        return await start_closing(context, identifier)
    if awaits_plan(session):
        return await plan_part2(context, identifier, delivery_of(payload))
    return await answer_feedback(context, identifier, delivery_of(payload)) if session.replans else JobResult.MOOT


async def start_closing(context: CounselingJobContext, conversation_id: ConversationId) -> JobResult:
    """Complete the earlier Parts and add Part 3's tasks; pending feedback is superseded.

    Does nothing if the user has taken the closing back.
    """
    session = await context.state(conversation_id)
    if session is None or not leaving_for_closing(session):
        return JobResult.MOOT
    now = context.clock.now()
    templates = context.content.templates(session.session_type.value, session.locale, session.register_)
    tasks = tuple(task.model_copy(update={"created_at": now}) for task in closing_tasks(templates))
    waiting = await pending(context, session)
    dropped = waiting.became(FeedbackStatus.SUPERSEDED)

    def found(state: Session) -> JobOutcome[Session] | None:
        if not leaving_for_closing(state):
            return None
        started = ClosingStarted(tasks=tasks)
        if not (waiting and waiting.holds(state)):
            return JobOutcome(events=(started,))
        return JobOutcome(events=(started, waiting.answered()), records=dropped)

    return await context.settle(conversation_id, context.scope(session), found)
