"""1 → 2: persona, goal, keywords and tasks from Part 1; without a model, from the templates."""

from collections.abc import Sequence

from functions.planner.infer_persona import infer_persona
from functions.planner.prompting import PROMPTS
from functions.planner.proposal import FEWEST_TASKS, NO_PLAN, Plan, PlanProposal, Reader, keywords_shown
from shared.domain.conversation import Message
from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part, TaskOrigin
from shared.domain.ids import ConversationId, TaskId
from shared.domain.model import Model
from shared.engine.agent import Agent
from shared.engine.jobs import Found, JobResult
from shared.engine.scope import Scope
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.quotes import said
from shared.services.counseling.workbench import CounselingBench, users_words

AGENT = "planner"
PART1_TURNS = 40
"""Turns of Part 1 that are read at most: its four tasks are bounded at six turns each."""
DIALOGUE_CHARACTERS = 12_000
TEMPLATE_KEYWORDS = 2
"""Keywords of a plan that no model chose, when the user named none."""


class TechniqueShown(Model):
    """A module as the prompt shows it."""

    id: str
    name: str
    description: str


class PlanInput(Model):
    """What the prompt is rendered from.

    Attributes:
        known: What the user gave in Part 1, by label.
    """

    level: int
    depth: str
    persona: str
    keywords: tuple[str, ...]
    techniques: tuple[TechniqueShown, ...]
    known: dict[str, str]
    lines: tuple[Line, ...]


PLANNER = Agent(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 1, PlanInput), answers=PlanProposal, safe_default=NO_PLAN)


def awaits_plan(session: Session) -> bool:
    """Tell whether Part 1 is complete and nobody has planned Part 2 yet."""
    return not session.ended and session.current_part is Part.OPENING and session.plan_status is PlanStatus.PLANNING


async def plan_part2(bench: CounselingBench, conversation_id: ConversationId) -> JobResult:
    """Plan Part 2 and move the session there, in one write.

    The transition was decided before; a crisis that has come since does not stop it, because a session that is left
    planning can do nothing else: the chat function's care for the crisis goes before any plan.
    """
    session = await bench.state(conversation_id)
    if session is None or not awaits_plan(session):
        return JobResult.MOOT
    messages = await bench.turns(session, session.seq, PART1_TURNS)
    scope = bench.scope(session)
    inferred = await infer_persona(bench, session, messages, scope)
    plan = await _draw_up(bench, session, inferred or session.user_persona, messages, scope)
    now = bench.clock.now()
    event = PlanMade(
        goal=plan.goal,
        keywords=plan.keywords,
        tasks=tuple(task.model_copy(update={"created_at": now}) for task in plan.tasks),
        persona=inferred,
    )
    return await bench.settle(
        conversation_id, scope, lambda state: Found(events=(event,)) if awaits_plan(state) else None
    )


async def _draw_up(
    bench: CounselingBench, session: Session, persona: UserPersona, messages: Sequence[Message], scope: Scope
) -> Plan:
    reader = Reader(
        content=bench.content,
        locale=session.locale,
        keywords=persona.keywords,
        fewest=FEWEST_TASKS,
        make_id=lambda number: TaskId(f"task_part2_{number}"),
        origin=TaskOrigin.PLANNER,
    )
    given = _input(bench, session, persona, messages)
    proposal = await bench.runner.ask(PLANNER, given, scope, reader.wrong)
    if not scope.ledger.failed(AGENT):
        return reader.read(proposal)
    return template_plan(bench, session, persona, users_words(messages))


def template_plan(bench: CounselingBench, session: Session, persona: UserPersona, words: str) -> Plan:
    """Return the level's template over the keywords that the user named, else the persona's first."""
    named = tuple(word for word in persona.keywords if said(word, words))[:TEMPLATE_KEYWORDS]
    keywords = named or persona.keywords[:TEMPLATE_KEYWORDS]
    made = bench.content.part2_templates.plan(persona.counseling_level, keywords, session.locale)
    return Plan(goal=made.goal, keywords=keywords, tasks=made.tasks)


def techniques(bench: CounselingBench, session: Session) -> tuple[TechniqueShown, ...]:
    """Return the modules as the prompts show them."""
    modules = bench.content.modules(session.locale)
    return tuple(TechniqueShown(id=m.id, name=m.name, description=m.description) for m in modules)


def persona_shown(bench: CounselingBench, persona: UserPersona) -> str:
    """Return the style of talking in words, or nothing."""
    found = bench.content.personas.find(persona.type) if persona.type else None
    return found.description_ko if found else ""


def _input(bench: CounselingBench, session: Session, persona: UserPersona, messages: Sequence[Message]) -> PlanInput:
    labels = {slot.name: slot.label for task in session.tasks for slot in task.slots}
    return PlanInput(
        level=persona.counseling_level,
        depth=bench.content.part2_templates.depth(persona.counseling_level, session.locale),
        persona=persona_shown(bench, persona),
        keywords=keywords_shown(bench.content, session, persona.keywords),
        techniques=techniques(bench, session),
        known={labels.get(name, name): str(value) for name, value in session.user_info.items()},
        lines=lines(messages, DIALOGUE_CHARACTERS),
    )
