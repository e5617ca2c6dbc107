"""Feedback on the plan of Part 2: all that waits is answered by one new plan."""

import asyncio

from functions.planner.plan_part2 import TechniqueShown, persona_shown, techniques
from functions.planner.prompting import PROMPTS
from functions.planner.proposal import NO_PLAN, PlanProposal, Reader, keywords_shown
from shared.domain.counseling.background_events import PlanRevised, WrapUpSuggested
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.records import FeedbackSource, PlannerFeedback
from shared.domain.counseling.replanning import ReplansAnswered
from shared.domain.counseling.review import may_suggest_wrap_up
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, TaskOrigin
from shared.domain.event import Event
from shared.domain.ids import TaskId
from shared.domain.model import Model
from shared.engine.agent import Agent
from shared.engine.jobs import CreatedDocument, Found, JobResult
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.workbench import CounselingBench

AGENT = "planner"
NEWEST_TURNS = 10
DIALOGUE_CHARACTERS = 8000


class TaskShown(Model):
    """A task of the present plan."""

    title: str
    target: str
    status: str


class Feedback(Model):
    """Why another plan is asked for."""

    source: str
    kind: str
    reason: str


class ReplanInput(Model):
    """What the prompt is rendered from."""

    level: int
    depth: str
    persona: str
    goal: str
    keywords: tuple[str, ...]
    selected_keywords: tuple[str, ...]
    tasks: tuple[TaskShown, ...]
    feedback: tuple[Feedback, ...]
    techniques: tuple[TechniqueShown, ...]
    summary: str
    lines: tuple[Line, ...]


REPLANNER = Agent(
    name=AGENT, prompt=Prompt(PROMPTS, "replanner", 1, ReplanInput), answers=PlanProposal, safe_default=NO_PLAN
)


async def replan(bench: CounselingBench, document: CreatedDocument) -> JobResult:
    """Answer all feedback that waits; the document's own may have been answered with another's."""
    identifier = document.conversation_id
    session = await bench.state(identifier)
    if session is None or not _waits(session):
        return JobResult.MOOT
    if await bench.created(document) is None:
        return JobResult.MOOT
    scope = bench.scope(session)
    if _bounded(session):
        return await bench.settle(
            identifier, scope, lambda state: Found(_propose_closing(state)) if _waits(state) else None
        )
    reader = _reader(bench, session)
    given = await _input(bench, session, document)
    proposal = await bench.runner.ask(REPLANNER, given, scope, reader.wrong)
    event: Event[Session] = ReplansAnswered(answered=session.replans)
    if not scope.ledger.failed(AGENT):
        plan, now = reader.read(proposal), bench.clock.now()
        event = PlanRevised(
            goal=plan.goal,
            keywords=plan.keywords,
            tasks=tuple(task.model_copy(update={"created_at": now}) for task in plan.tasks),
            answered=session.replans,
        )

    def found(state: Session) -> Found[Session] | None:
        overtaken = state.part2_task_update_count != session.part2_task_update_count
        return None if overtaken or not _waits(state) else Found(events=(event,))

    result = await bench.settle(identifier, scope, found)
    if result is JobResult.MOOT and (state := await bench.state(identifier)) is not None and _waits(state):
        return JobResult.RETRY
    return result


def _waits(session: Session) -> bool:
    return not session.ended and session.current_part is Part.EXPLORATION and session.replans > 0


def _bounded(session: Session) -> bool:
    return session.part2_task_update_count >= PART2_MAX_REPLANS


def _propose_closing(session: Session) -> tuple[Event[Session], ...]:
    answered = ReplansAnswered(answered=session.replans)
    return (WrapUpSuggested(reason="bounded"), answered) if may_suggest_wrap_up(session) else (answered,)


def _reader(bench: CounselingBench, session: Session) -> Reader:
    revision = session.part2_task_update_count + 1
    return Reader(
        content=bench.content,
        locale=session.locale,
        keywords=session.user_persona.keywords,
        fewest=1,
        make_id=lambda number: TaskId(f"task_part2_r{revision}_{number}"),
        origin=TaskOrigin.FEEDBACK,
    )


async def _input(bench: CounselingBench, session: Session, document: CreatedDocument) -> ReplanInput:
    persona = session.user_persona
    messages = await bench.turns(session, session.seq, NEWEST_TURNS)
    return ReplanInput(
        level=persona.counseling_level,
        depth=bench.content.part2_templates.depth(persona.counseling_level, session.locale),
        persona=persona_shown(bench, persona),
        goal=session.part2_goal or "",
        keywords=keywords_shown(bench.content, session, persona.keywords),
        selected_keywords=keywords_shown(bench.content, session, session.selected_keywords),
        tasks=tuple(
            TaskShown(title=task.title, target=task.target, status=task.status.value)
            for task in session.tasks
            if task.part is Part.EXPLORATION
        ),
        feedback=await _feedback(bench, document),
        techniques=techniques(bench, session),
        summary=session.summary_text,
        lines=lines(messages, DIALOGUE_CHARACTERS),
    )


async def _feedback(bench: CounselingBench, document: CreatedDocument) -> tuple[Feedback, ...]:
    """Read the document's feedback, and what others said in the same turn: their ids differ in the source alone."""
    turn = document.document_id.partition("-")[0]
    ids = dict.fromkeys([document.document_id, *(f"{turn}-{source.value}" for source in FeedbackSource)])
    stored = await asyncio.gather(
        *(bench.store.record(document.conversation_id, PlannerFeedback.collection, each) for each in ids)
    )
    found = [PlannerFeedback.model_validate(fields) for fields in stored if fields is not None]
    return tuple(Feedback(source=each.source.value, kind=each.kind, reason=each.reason) for each in found)
