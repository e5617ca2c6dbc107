"""1 → 2: persona, goal, keywords and tasks from Part 1; without a model, from the templates."""

from dataclasses import replace

from functions.planner.infer_persona import INFERRER, infer_persona
from functions.planner.keywords import shown
from functions.planner.material import PART1_TURNS, Material, ToldLine, material
from functions.planner.plan_checks import FEWEST_TASKS, MOST_TASKS, Plan, Reader
from functions.planner.prompt_view import (
    CarriedShown,
    TechniqueShown,
    carried_shown,
    known_shown,
    persona_shown,
    techniques_shown,
)
from functions.planner.prompting import PROMPTS
from functions.planner.proposal import NO_PLAN, PlanProposal
from functions.planner.recording import PlanRecordDraft, by_model, by_template, record_of
from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.plans import RatedKeyword
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
from shared.locale import Register
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.evidence import is_verbatim_quote
from shared.services.counseling.job_context import CounselingJobContext

AGENT = "planner"
DIALOGUE_CHARACTERS = 12_000
"""Of a longer Part 1 the newest stand in the prompt, after the summary of the earlier ones."""
TEMPLATE_KEYWORDS = 2
"""Keywords of a plan that no model chose, when the user named none."""


class PlanInput(Model):
    """What the prompt is rendered from.

    Attributes:
        casual: The client is spoken to in 반말.
        known: What the user gave in Part 1, by label.
        carried: What was agreed in the session before.
        summary: What came before `lines`, when not all of Part 1 stands there.
    """

    level: int
    depth: str
    casual: bool
    persona: str
    keywords: tuple[str, ...]
    techniques: tuple[TechniqueShown, ...]
    known: dict[str, str]
    carried: CarriedShown | None
    summary: str
    lines: tuple[ToldLine, ...]


PLANNER = Agent(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 2, PlanInput), answers=PlanProposal, safe_default=NO_PLAN)


def awaits_plan(session: Session) -> bool:
    """Return whether Part 1 is complete and Part 2 has no plan yet."""
    return not session.ended and session.current_part is Part.OPENING and session.plan_status is PlanStatus.PLANNING


async def plan_part2(context: CounselingJobContext, conversation_id: ConversationId, delivery: Delivery) -> JobResult:
    """Plan Part 2 and move the session there, in one write with the plan's record.

    When the model cannot be reached the template's plan stands in, and feedback asks for the model's: nobody waits in
    Part 1 for an outage to end.

    The transition was decided before; a crisis that has come since does not stop it, because a session that is left
    planning can do nothing else: the chat function's care for the crisis goes before any plan.
    """
    session = await context.state(conversation_id)
    if session is None or not awaits_plan(session):
        return JobResult.MOOT
    async with context.claimed(session, delivery, awaits_plan) as scope:
        return scope if isinstance(scope, JobResult) else await _plan(context, session, scope)


async def _plan(context: CounselingJobContext, session: Session, scope: JobScope) -> JobResult:
    told = await material(context, session, session.seq, PART1_TURNS)
    inferred = await infer_persona(context, session, told, scope)
    drawn = await _draw_up(context, session, inferred.persona or session.user_persona, told, scope)
    drawn = replace(drawn, persona=inferred.inference, found=(*inferred.found, *drawn.found))
    plan, now = drawn.plan, context.clock.now()
    event = PlanMade(
        goal=plan.goal,
        keywords=plan.chosen,
        tasks=tuple(task.model_copy(update={"created_at": now}) for task in plan.tasks),
        persona=inferred.persona,
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
    context: CounselingJobContext, session: Session, persona: UserPersona, told: Material, scope: Scope
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
    given = plan_input(context, session, persona, told)
    proposal = await context.runner.ask(PLANNER, given, scope, reader.wrong)
    if not scope.ledger.failed(AGENT):
        return by_model(reader, reader.read(proposal), scope, AGENT)
    return by_template(reader, template_plan(context, session, persona, reader.words), scope, AGENT)


def template_plan(context: CounselingJobContext, session: Session, persona: UserPersona, words: str) -> Plan:
    """Return the level's template over the keywords that the user named, else the persona's first."""
    named = tuple(word for word in persona.keywords if is_verbatim_quote(word, words))[:TEMPLATE_KEYWORDS]
    chosen = named or persona.keywords[:TEMPLATE_KEYWORDS]
    made = context.content.part2_templates.plan(persona.counseling_level, chosen, session.locale)
    keywords = tuple(
        RatedKeyword(keyword=word, relevance=0, quote=word if word in named else "", chosen=word in chosen)
        for word in persona.keywords
    )
    return Plan(goal=made.goal, keywords=keywords, tasks=made.tasks)


def plan_input(context: CounselingJobContext, session: Session, persona: UserPersona, told: Material) -> PlanInput:
    """Return what the prompt is rendered from: all of Part 1, what does not fit into it as the summary."""
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
        summary=session.summary_text if cut else "",
        lines=dialogue,
    )
