"""Transition 1 → 2: persona, goal, keywords and tasks from Part 1; without a model, from the templates."""

from dataclasses import dataclass, replace

from functions.planner.infer_persona import INFERRER, infer_persona
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
from shared.domain.counseling.level import RAISES, LevelGround, LevelSign, LevelSource, grounds_of_state, level_of
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

PRIOR_COUNSELING = "prior_counseling"
"""Slot of the first session's persona task: whether the user was in counselling before."""
TEMPLATE_KEYWORDS = 2
"""Maximum keywords of a template's plan."""


@dataclass(frozen=True)
class Heard:
    """The findings.

    Attributes:
        reason: None if the user's words name none of the usual ones.
        grounds: Signs of the level; empty if the level was given or carried over.
    """

    reason: ReasonHeard | None = None
    grounds: tuple[LevelGround, ...] = ()


AGENT = "planner"
DIALOGUE_CHARACTERS = 12_000
"""Maximum characters of dialogue; of a longer Part 1 the prompt shows the newest messages and the summary."""


class StartingPoint(Model):
    """A usual plan for the reason that code heard.

    Attributes:
        quote: The user's words that show the reason.
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
        starting_point: The plan without a model for the reason that code heard; None if it heard none.
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


PLANNER = Agent(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 4, PlanInput), answers=PlanProposal, safe_default=NO_PLAN)


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
    heard = hear(context.content, session, told)
    before, leveled = session.user_persona, at_heard_level(session.user_persona, heard)
    session = session.model_copy(update={"user_persona": leveled})
    inferred = await infer_persona(context, session, told, scope)
    persona = inferred.persona or leveled
    drawn = await _draw_up(context, session, persona, told, heard, scope)
    drawn = replace(
        drawn,
        persona=inferred.inference,
        found=(*inferred.found, *drawn.found),
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
    context: CounselingJobContext,
    session: Session,
    persona: UserPersona,
    told: Material,
    heard: Heard,
    scope: Scope,
) -> PlanRecordDraft:
    reader = Reader(
        content=context.content,
        session=session,
        persona=persona,
        words=told.words,
        bounds=(FEWEST_TASKS, MOST_TASKS),
        make_id=lambda number: TaskId(f"task_part2_{number}"),
        origin=TaskOrigin.PLANNER,
    )
    given = plan_input(context, session, persona, told, heard)
    proposal = await context.runner.ask(PLANNER, given, scope, reader.wrong)
    if not scope.ledger.failed(AGENT):
        return by_model(reader, reader.read(proposal), scope, AGENT)
    plan = template_plan(context.content, persona, reader.words, heard.reason, session.locale)
    return by_template(reader, plan, scope, AGENT)


def plan_input(
    context: CounselingJobContext, session: Session, persona: UserPersona, told: Material, heard: Heard
) -> PlanInput:
    """Return the prompt variables: all of Part 1, or its newest messages and the summary."""
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
        starting_point=starting_point_shown(context, persona.counseling_level, heard.reason, session.locale),
        summary=session.summary_text if cut else "",
        lines=dialogue,
    )


def starting_point_shown(
    context: CounselingJobContext, level: int, reason: ReasonHeard | None, locale: Locale
) -> StartingPoint | None:
    """Return the usual plan for a reason at a level, as an example; None without a reason."""
    plan = starting_point(context.content, level, reason, locale)
    if reason is None or plan is None:
        return None
    return StartingPoint(
        reason=context.content.part2_reasons.of(reason.reason).name.at(locale),
        quote=reason.quote,
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


def hear(content: Content, session: Session, told: Material) -> Heard:
    """Find the reason and, unless the level is set, its signs; turns about safety say nothing of either."""
    reason = content.part1_words.reason(told.words, session.user_info)
    unset = session.user_persona.level_source is LevelSource.DEFAULT
    return Heard(reason, _grounds(content, session, told.words) if unset else ())


def at_heard_level(persona: UserPersona, heard: Heard) -> UserPersona:
    """Return the persona at the level that its grounds show; the same object without grounds."""
    if not heard.grounds:
        return persona
    return persona.model_copy(update={"counseling_level": level_of(heard.grounds), "level_source": LevelSource.HEARD})


def _grounds(content: Content, session: Session, words: str) -> tuple[LevelGround, ...]:
    answered = session.user_info.get(PRIOR_COUNSELING)
    shown = {sign: content.part1_words.sign(sign, words) for sign in LevelSign if sign in RAISES}
    if answered is False:
        shown[LevelSign.EXPERIENCE] = ""
    found = [LevelGround(sign=sign, quote=quote) for sign, quote in shown.items() if quote]
    if answered is True and not shown[LevelSign.EXPERIENCE]:
        found.append(LevelGround(sign=LevelSign.EXPERIENCE))
    return (*found, *grounds_of_state(session.readings, endangered=session.protocol_replies > 0))
