"""Supervision: the newest turns are judged once, and what is to be done better reaches the next reply."""

import logging

from functions.supervisor.judgement import (
    AGENT,
    SUPERVISOR,
    Anchors,
    Judgement,
    SupervisionInput,
    Technique,
    remarks,
)
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import Message, Role
from shared.domain.counseling.background_events import Supervised
from shared.domain.counseling.directive import Directive
from shared.domain.counseling.due import heard_upto, overtaken, still_due
from shared.domain.counseling.lifecycle import SUPERVISE_EVERY, Work
from shared.domain.counseling.records import FeedbackSource, Supervision
from shared.domain.counseling.replanning import feedback, may_replan
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.supervision import HardFail
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.records import Record
from shared.engine.jobs import Found, JobResult
from shared.observability.events import Event as LogEvent
from shared.observability.log_event import log_event
from shared.services.counseling.dialogue import lines
from shared.services.counseling.workbench import CounselingBench

log = logging.getLogger(__name__)

NEWEST_TURNS = 4
"""Turns that are judged at most: the three that make supervision due, and one that came meanwhile."""
DIALOGUE_CHARACTERS = 8000


async def supervise(bench: CounselingBench, payload: TaskPayload) -> JobResult:
    """Judge the turns up to `payload.seq` that were not judged yet; after a later job, those that made it due."""
    conversation_id = ConversationId(payload.conversation_id)
    session = await bench.state(conversation_id)
    if session is None or not still_due(session, Work.SUPERVISE, payload.seq):
        return JobResult.MOOT
    if await bench.store.record(conversation_id, Supervision.collection, str(payload.seq)) is not None:
        return JobResult.MOOT
    fresh = heard_upto(session, payload.seq) - session.watermarks.supervised
    messages = await bench.turns(session, payload.seq, min(fresh, NEWEST_TURNS) if fresh > 0 else SUPERVISE_EVERY)
    if not messages:
        return JobResult.MOOT
    scope = bench.scope(session)
    directive = await _directive(bench, conversation_id, messages)
    judgement = await bench.runner.ask(SUPERVISOR, _input(bench, session, directive, messages), scope)
    if scope.ledger.failed(AGENT):
        return await bench.postpone(conversation_id, scope)

    def found(state: Session) -> Found[Session] | None:
        if not still_due(state, Work.SUPERVISE, payload.seq):
            return None
        return _found(bench, state, payload.seq, judgement)

    return await bench.settle(conversation_id, scope, found)


async def _directive(
    bench: CounselingBench, conversation_id: ConversationId, messages: list[Message]
) -> Directive | None:
    """Return what the newest judged reply was directed to do; the session may have moved on since."""
    message_id = messages[-1].message_id
    record = await bench.store.turn(conversation_id, message_id) if message_id else None
    return Directive.model_validate(record.directive) if record and record.directive else None


def _input(
    bench: CounselingBench, session: Session, directive: Directive | None, messages: list[Message]
) -> SupervisionInput:
    rubric = bench.content.rubric
    task = session.task(directive.task_id if directive else session.current_task)
    spoken = [message for message in messages if message.seq > 0 or message.role is Role.USER]
    return SupervisionInput(
        register_name=session.register_.value,
        part=(directive.part if directive else session.current_part).value,
        level=session.user_persona.counseling_level,
        stance=directive.stance.value if directive else "work",
        task_title=task.title if task else "",
        task_target=task.target if task else "",
        restrictions=(task.restrictions if task else None) or "",
        part2_goal=session.part2_goal or "",
        anchors=tuple(Anchors(criterion=name, bands=dict(bands)) for name, bands in rubric.criteria.items()),
        red_items=rubric.caps[0].cause,
        techniques=tuple(Technique(id=m.id, name=m.name) for m in bench.content.modules(session.locale)),
        may_change_strategy=may_replan(session),
        lines=lines(spoken, DIALOGUE_CHARACTERS),
    )


def _found(bench: CounselingBench, session: Session, seq: int, judgement: Judgement) -> Found[Session]:
    now = bench.clock.now()
    verdict = judgement.verdict()
    improvements = remarks(judgement.improvements)
    known = {module.id for module in bench.content.modules(session.locale)}
    module = judgement.suggested_module if judgement.suggested_module in known else None
    if HardFail.RED_ITEM in verdict.hard_fails:
        log_event(log, LogEvent.RED_ITEM, conversation=session.conversation_id, seq=seq)
    events: list[Event[Session]] = [
        Supervised(
            seq=seq,
            upto=heard_upto(session, seq),
            gist={
                "total": verdict.total,
                "needs_improvement": verdict.needs_improvement,
                "improvements": list(improvements),
                "suggested_module": module,
                "hard_fails": [fail.value for fail in verdict.hard_fails],
            },
        )
    ]
    records: list[Record] = [
        Supervision(
            record_id=str(seq),
            created_at=now,
            expire_at=session.expire_at,
            seq=seq,
            scores={criterion.value: score for criterion, score in verdict.scores.items()},
            total=verdict.total,
            improvements=improvements,
            strengths=remarks(judgement.strengths),
            needs_improvement=verdict.needs_improvement,
            suggested_module=module,
            strategy=judgement.strategy.strip() if judgement.strategy_change else "",
        )
    ]
    outdated = overtaken(session, Work.SUPERVISE, seq)
    if judgement.strategy_change and judgement.strategy.strip() and may_replan(session) and not outdated:
        source, reason = FeedbackSource.SUPERVISOR, judgement.strategy.strip()
        events.append(ReplanAsked())
        records.append(feedback(session, source, kind="strategy_change", reason=reason, seq=seq, at=now))
    return Found(events=events, records=records)
