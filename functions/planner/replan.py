"""Re-plans Part 2: one new plan answers all pending feedback."""

from dataclasses import replace

from functions.planner.infer_persona import INFERRER, Inferred, infer_persona
from functions.planner.keywords import shown
from functions.planner.material import PART1_TURNS, Material, ToldLine, material, planning_on
from functions.planner.plan_checks import FEWEST_REPLANNED, MOST_REPLANNED, Reader
from functions.planner.prompt_view import (
    PROMPTS,
    CarriedShown,
    TechniqueShown,
    carried_shown,
    known_shown,
    persona_shown,
    techniques_shown,
)
from functions.planner.proposal import NO_PLAN, PlanProposal
from functions.planner.recording import PlanRecordDraft, by_model, record_of
from functions.planner.waiting import PendingFeedback, pending
from shared.contracts.tasks import TaskPayload
from shared.domain.counseling.background_events import PlanRevised, WrapUpSuggested
from shared.domain.counseling.lifecycle import BOUNDED, PART2_MAX_REPLANS, feedback_rests
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.records import FeedbackStatus, PlannerFeedback
from shared.domain.counseling.replanning import may_be_revised
from shared.domain.counseling.review import may_suggest_wrap_up
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, TaskOrigin
from shared.domain.event import Event
from shared.domain.ids import ConversationId, TaskId
from shared.engine.agent import Agent
from shared.engine.claims import Delivery
from shared.engine.job_scope import JobScope
from shared.engine.jobs import CreatedDocument, JobOutcome, JobResult
from shared.locale import Register
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.job_context import CounselingJobContext
from shared.services.counseling.plan import plan_in_prompt

AGENT = "planner"
NEWEST_TURNS = 10
DIALOGUE_CHARACTERS = 8000


class ReplanTask(Model):
    title: str
    target: str
    status: str


class Feedback(Model):
    """A reason for a re-plan."""

    source: str
    kind: str
    reason: str


class ReplanInput(Model):
    """Prompt variables.

    Attributes:
        template: The present plan was made without a model and is now made for this user.
    """

    level: int
    depth: str
    casual: bool
    persona: str
    goal: str
    template: bool
    keywords: tuple[str, ...]
    selected_keywords: tuple[str, ...]
    tasks: tuple[ReplanTask, ...]
    feedback: tuple[Feedback, ...]
    techniques: tuple[TechniqueShown, ...]
    known: dict[str, str]
    carried: CarriedShown | None
    summary: str
    lines: tuple[ToldLine, ...]


REPLANNER = Agent(
    name=AGENT, prompt=Prompt(PROMPTS, "replanner", 3, ReplanInput), answers=PlanProposal, safe_default=NO_PLAN
)


async def replan(context: CounselingJobContext, document: CreatedDocument) -> JobResult:
    """Answer the feedback of an event with all other pending feedback; moot if it was answered before."""
    stored = await context.created(document)
    own = None if stored is None else PlannerFeedback.model_validate(stored)
    if own is None or not own.pending:
        return JobResult.MOOT
    return await answer_feedback(context, document.conversation_id, planning_on(document), own)


async def answer_feedback(
    context: CounselingJobContext,
    conversation_id: ConversationId,
    delivery: Delivery,
    own: PlannerFeedback | None = None,
) -> JobResult:
    """Answer all pending feedback: by a new plan, by suggesting to close, or as superseded.

    Soon after a re-plan it stays pending (`feedback_rests`). `own` is the feedback of the event; None if it was lost.
    """
    session = await context.state(conversation_id)
    if session is None:
        return JobResult.MOOT
    waiting = await pending(context, session)
    if not waiting or feedback_rests(session) or (own is not None and waiting.led_by_another(own)):
        return JobResult.MOOT
    if not may_be_revised(session):
        return await _too_late(context, waiting)
    if session.counted_replans >= PART2_MAX_REPLANS:
        return await _propose_closing(context, waiting)
    return await _revise(context, waiting, delivery)


async def leave_unanswered(context: CounselingJobContext, payload: TaskPayload) -> JobResult:
    """Give up a re-plan for which no model gave a usable answer: the plan stays, and the feedback is superseded."""
    session = await context.state(ConversationId(payload.conversation_id))
    waiting = None if session is None else await pending(context, session)
    if not waiting:
        return JobResult.MOOT
    dropped = JobOutcome[Session](events=(waiting.answered(),), records=waiting.became(FeedbackStatus.SUPERSEDED))
    return await context.give_up(payload, lambda state: dropped if waiting.holds(state) else JobOutcome(events=()))


async def _revise(context: CounselingJobContext, waiting: PendingFeedback, delivery: Delivery) -> JobResult:
    session, identifier = waiting.session, waiting.session.conversation_id
    if not waiting.feedback:
        scope = context.scope(session)
        nothing = JobOutcome(events=(waiting.answered(),))
        return await context.settle(identifier, scope, lambda state: nothing if waiting.holds(state) else None)
    async with context.claimed(session, delivery, waiting.holds) as claimed:
        return claimed if isinstance(claimed, JobResult) else await _plan_anew(context, waiting, claimed)


async def _plan_anew(context: CounselingJobContext, waiting: PendingFeedback, scope: JobScope) -> JobResult:
    session, identifier = waiting.session, waiting.session.conversation_id
    late = waiting.makes_good
    turns = PART1_TURNS if late else max(NEWEST_TURNS, min(session.unsummarized, PART1_TURNS))
    told = await material(context, session, session.seq, turns)
    heard = await infer_persona(context, session, told, scope) if late else Inferred(session.user_persona)
    if scope.ledger.failed(INFERRER.name) and not scope.ledger.poisoned(INFERRER.name):
        return await context.postpone(identifier, scope, INFERRER.name)
    persona = heard.persona
    reader = _reader(context, session, persona, told)
    proposal = await context.runner.ask(REPLANNER, _input(context, waiting, persona, told), scope, reader.wrong)
    if scope.ledger.failed(AGENT):
        return await context.postpone(identifier, scope, AGENT)
    drawn = by_model(reader, reader.read(proposal), scope, AGENT)
    drawn = replace(drawn, feedback=waiting.feedback, persona=heard.inference)
    drawn = replace(drawn, reason=heard.reason, level_grounds=heard.grounds)

    def found(state: Session) -> JobOutcome[Session] | None:
        if not (waiting.holds(state) and may_be_revised(state)):
            return None
        return _applied(context, waiting, drawn, None if persona == session.user_persona else persona, state)

    result = await context.settle(identifier, scope, found)
    state = await context.state(identifier) if result is JobResult.MOOT else None
    # Not applied, and feedback is still pending: the next attempt reads all of it again.
    return JobResult.RETRY if state is not None and state.replans else result


def _applied(
    context: CounselingJobContext,
    waiting: PendingFeedback,
    drawn: PlanRecordDraft,
    persona: UserPersona | None,
    state: Session,
) -> JobOutcome[Session]:
    now, plan = context.clock.now(), drawn.plan
    event = PlanRevised(
        goal=plan.goal,
        # The quotes of Part 1 may have left the window; what was chosen by them stays until others are shown.
        keywords=plan.chosen or state.selected_keywords,
        tasks=tuple(task.model_copy(update={"created_at": now}) for task in plan.tasks),
        answered=waiting.number,
        persona=persona,
    )
    return JobOutcome((event,), (record_of(drawn, state, now), *waiting.became(FeedbackStatus.APPLIED)))


async def _too_late(context: CounselingJobContext, waiting: PendingFeedback) -> JobResult:
    said = JobOutcome(events=(waiting.answered(),), records=waiting.became(FeedbackStatus.SUPERSEDED))
    scope = context.scope(waiting.session)
    await context.settle(waiting.session.conversation_id, scope, lambda state: said if waiting.holds(state) else None)
    return JobResult.MOOT


async def _propose_closing(context: CounselingJobContext, waiting: PendingFeedback) -> JobResult:
    def found(state: Session) -> JobOutcome[Session] | None:
        if not waiting.holds(state):
            return None
        events: tuple[Event[Session], ...] = (waiting.answered(),)
        if may_suggest_wrap_up(state):
            events = (WrapUpSuggested(reason=BOUNDED), *events)
        return JobOutcome(events=events, records=waiting.became(FeedbackStatus.SUPERSEDED))

    return await context.settle(waiting.session.conversation_id, context.scope(waiting.session), found)


def _reader(context: CounselingJobContext, session: Session, persona: UserPersona, told: Material) -> Reader:
    revision = session.part2_task_update_count + 1
    given = (value for value in session.user_info.values() if isinstance(value, str))
    return Reader(
        content=context.content,
        session=session,
        persona=persona,
        words="\n".join((told.words, *given)),
        bounds=(FEWEST_REPLANNED, MOST_REPLANNED),
        make_id=lambda number: TaskId(f"task_part2_r{revision}_{number}"),
        origin=TaskOrigin.FEEDBACK,
    )


def _input(
    context: CounselingJobContext, waiting: PendingFeedback, persona: UserPersona, told: Material
) -> ReplanInput:
    session = waiting.session
    tasks = [task for task in session.tasks if task.part is Part.EXPLORATION]
    return ReplanInput(
        level=persona.counseling_level,
        depth=context.content.part2_templates.depth(persona.counseling_level, session.locale),
        casual=session.register_ is Register.CASUAL,
        persona=persona_shown(context, persona, session.locale),
        goal=session.part2_goal or "",
        template=session.part2_task_update_count == 0 and any(t.origin is TaskOrigin.TEMPLATE for t in tasks),
        keywords=shown(context.content, persona.keywords, session.locale),
        selected_keywords=shown(context.content, session.selected_keywords, session.locale),
        tasks=tuple(
            ReplanTask(title=task.title, target=task.target, status=task.status.value)
            for task in plan_in_prompt(session, Part.EXPLORATION)
        ),
        feedback=tuple(
            Feedback(source=each.source.value, kind=each.kind, reason=each.reason) for each in waiting.feedback
        ),
        techniques=techniques_shown(context, session),
        known=known_shown(context, session),
        carried=carried_shown(session),
        summary=session.summary_text,
        lines=told.lines(DIALOGUE_CHARACTERS),
    )
