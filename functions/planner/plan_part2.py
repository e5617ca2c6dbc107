"""Transition 1 → 2: persona, goal, keywords and tasks from Part 1; without a model, from the templates."""

from dataclasses import replace

from functions.planner.infer_persona import INFERRER, Inferred, infer_persona
from functions.planner.keywords import shown
from functions.planner.material import PART1_TURNS, Material, ToldLine, material
from functions.planner.plan_checks import FEWEST_TASKS, MOST_TASKS, Plan, Reader
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
from functions.planner.recording import PlanRecordDraft, by_model, by_template, record_of
from shared.content.catalogue import Content
from shared.content.reason_plans import reason_plan
from shared.content.schemas.plans import TemplatePlan
from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.plans import RatedKeyword
from shared.domain.counseling.reason import ReasonHeard
from shared.domain.counseling.records import MODEL_UNREACHABLE, FeedbackSource
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.task import Part, TaskOrigin
from shared.domain.ids import ConversationId, TaskId
from shared.engine.agent import Agent
from shared.engine.claims import Delivery
from shared.engine.job_scope import JobScope
from shared.engine.jobs import JobOutcome, JobResult
from shared.engine.scope import Scope
from shared.locale import Locale, Register
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.evidence import is_verbatim_quote
from shared.services.counseling.job_context import CounselingJobContext

REASON_SLOTS = ("reason", "today_focus")
"""Slots of the templates that hold the reason for coming."""
TEMPLATE_KEYWORDS = 2
"""Maximum keywords of a template's plan."""


AGENT = "planner"
DIALOGUE_CHARACTERS = 12_000
"""Maximum characters of dialogue; of a longer Part 1 the prompt shows the newest messages and the summary."""


class StartingPoint(Model):
    """A usual plan for the reason that was heard.

    Attributes:
        quote: The user's words for the reason that they gave; empty if it was heard elsewhere.
        tasks: Title and target of each task.
    """

    reason: str
    quote: str
    goal: str
    tasks: tuple[tuple[str, str], ...]


class PlanInput(Model):
    """Prompt variables.

    Attributes:
        casual: The user is addressed in 반말.
        known: What the user gave in Part 1, by label.
        carried: Goals and plan from earlier sessions.
        starting_point: The usual plan for the reason that was heard; None if none was.
        summary: The summary of what came before `lines`, if not all of Part 1 fits.
    """

    level: int
    depth: str
    casual: bool
    persona: str
    keywords: tuple[str, ...]
    techniques: tuple[TechniqueShown, ...]
    known: dict[str, str]
    carried: CarriedShown | None
    starting_point: StartingPoint | None = None
    summary: str
    lines: tuple[ToldLine, ...]


PLANNER = Agent(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 5, PlanInput), answers=PlanProposal, safe_default=NO_PLAN)


def awaits_plan(session: Session) -> bool:
    """Return whether Part 1 is complete and Part 2 has no plan yet."""
    return not session.ended and session.current_part is Part.OPENING and session.plan_status is PlanStatus.PLANNING


async def plan_part2(context: CounselingJobContext, conversation_id: ConversationId, delivery: Delivery) -> JobResult:
    """Plan Part 2 and move the session there, in one write with the plan's record.

    If the model is unreachable, the template's plan is used and feedback requests the model's plan later, so that no
    user waits in Part 1 for an outage to end.

    A crisis since the decision does not stop the transition: a session that stays in planning can do nothing else, and
    the chat function handles the crisis before any plan.
    """
    session = await context.state(conversation_id)
    if session is None or not awaits_plan(session):
        return JobResult.MOOT
    async with context.claimed(session, delivery, awaits_plan) as scope:
        return scope if isinstance(scope, JobResult) else await _plan(context, session, scope)


async def _plan(context: CounselingJobContext, session: Session, scope: JobScope) -> JobResult:
    told = await material(context, session, session.seq, PART1_TURNS)
    before = session.user_persona
    heard = await infer_persona(context, session, told, scope)
    persona = heard.persona
    drawn = await _draw_up(context, session, told, heard, scope)
    drawn = replace(
        drawn,
        persona=heard.inference,
        found=(*heard.found, *drawn.found),
        reason=heard.reason,
        level_grounds=heard.grounds,
    )
    plan, now = drawn.plan, context.clock.now()
    event = PlanMade(
        goal=plan.goal,
        keywords=plan.chosen,
        tasks=tuple(task.model_copy(update={"created_at": now}) for task in plan.tasks),
        persona=None if persona == before else persona,
    )
    unreached = [name for name in (INFERRER.name, AGENT) if scope.ledger.failed(name)]
    stands_in = any(not scope.ledger.poisoned(name) for name in unreached)

    def found(state: Session) -> JobOutcome[Session] | None:
        if not awaits_plan(state):
            return None
        if not stands_in:
            return JobOutcome((event,), (record_of(drawn, state, now),))
        asked = feedback(
            state,
            FeedbackSource.PLANNER,
            kind=MODEL_UNREACHABLE,
            reason="",
            seq=state.seq,
            at=now,
        )
        return JobOutcome((event, ReplanAsked()), (record_of(drawn, state, now), asked))

    return await context.settle(session.conversation_id, scope, found)


async def _draw_up(
    context: CounselingJobContext, session: Session, told: Material, heard: Inferred, scope: Scope
) -> PlanRecordDraft:
    persona = heard.persona
    reader = Reader(
        content=context.content,
        session=session,
        persona=persona,
        words=told.words,
        bounds=(FEWEST_TASKS, MOST_TASKS),
        make_id=lambda number: TaskId(f"task_part2_{number}"),
        origin=TaskOrigin.PLANNER,
    )
    given = plan_input(context, session, told, heard)
    proposal = await context.runner.ask(PLANNER, given, scope, reader.wrong)
    if not scope.ledger.failed(AGENT):
        return by_model(reader, reader.read(proposal), scope, AGENT)
    plan = template_plan(context.content, persona, reader.words, heard.reason, session.locale)
    return by_template(reader, plan, scope, AGENT)


def plan_input(context: CounselingJobContext, session: Session, told: Material, heard: Inferred) -> PlanInput:
    """Return the prompt variables: all of Part 1, or its newest messages and the summary."""
    persona = heard.persona
    dialogue = told.lines(DIALOGUE_CHARACTERS)
    cut = len(dialogue) < len(told.messages) or session.seq > PART1_TURNS
    return PlanInput(
        level=persona.counseling_level,
        depth=context.content.part2_templates.depth(persona.counseling_level, session.locale),
        casual=session.register_ is Register.CASUAL,
        persona=persona_shown(context, persona, session.locale),
        keywords=shown(context.content, persona.keywords, session.locale),
        techniques=techniques_shown(context, session),
        known=known_shown(context, session),
        carried=carried_shown(session),
        starting_point=starting_point_shown(context, session, heard),
        summary=session.summary_text if cut else "",
        lines=dialogue,
    )


def starting_point_shown(context: CounselingJobContext, session: Session, heard: Inferred) -> StartingPoint | None:
    """Return the usual plan for a reason at the level, as an example; None without a reason.

    Its quote is that of the reason that the user gave, if what was heard is in it.
    """
    reason, locale = heard.reason, session.locale
    plan = starting_point(context.content, heard.persona.counseling_level, reason, locale)
    if reason is None or plan is None:
        return None
    given = (session.info_sources[slot].quote for slot in REASON_SLOTS if slot in session.info_sources)
    same = (one for one in given if is_verbatim_quote(reason.quote, one) or is_verbatim_quote(one, reason.quote))
    return StartingPoint(
        reason=context.content.part2_reasons.of(reason.reason).name.at(locale),
        quote=next(same, ""),
        goal=plan.goal,
        tasks=tuple((task.title, task.target) for task in plan.tasks),
    )


def template_plan(
    content: Content, persona: UserPersona, words: str, reason: ReasonHeard | None, locale: Locale
) -> Plan:
    """Return the plan for the reason and the persona's level; its keywords are those that the user named."""
    chosen = tuple(word for word in persona.keywords if is_verbatim_quote(word, words))[:TEMPLATE_KEYWORDS]
    made = starting_point(content, persona.counseling_level, reason, locale)
    if made is None:
        made = content.part2_templates.plan(persona.counseling_level, chosen, locale)
    keywords = tuple(
        RatedKeyword(keyword=word, relevance=0, quote=word if word in chosen else "", chosen=word in chosen)
        for word in persona.keywords
    )
    return Plan(goal=made.goal, keywords=keywords, tasks=made.tasks)


def starting_point(content: Content, level: int, reason: ReasonHeard | None, locale: Locale) -> TemplatePlan | None:
    """Return the plan for a reason at a level; None without a reason."""
    if reason is None:
        return None
    return reason_plan(content.part2_reasons.of(reason.reason), content.part2_templates, level, locale)
