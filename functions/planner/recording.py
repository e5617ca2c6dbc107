"""Builds the record of a plan when the plan is applied to a session."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.planner.plan_checks import Plan, Reader
from functions.planner.proposal import counted
from shared.domain.counseling.level import LevelGround
from shared.domain.counseling.plans import (
    MOST_FAULTS,
    AnsweredFeedback,
    Fault,
    PersonaInference,
    PlanFinding,
    PlannedTask,
    PlanOrigin,
    PlanRecord,
)
from shared.domain.counseling.reason import ReasonHeard
from shared.domain.counseling.records import PlannerFeedback
from shared.domain.counseling.replanning import revised
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, Task
from shared.engine.scope import Scope


@dataclass(frozen=True)
class PlanRecordDraft:
    """A plan and its origin.

    Attributes:
        found: Faults of all proposals, including refused ones.
        attempts: Calls of the model.
        level: The counselling level that the plan is made for.
        reason, level_grounds: What code heard in Part 1; of the first plan only.
    """

    plan: Plan
    origin: PlanOrigin
    found: tuple[PlanFinding, ...]
    attempts: int
    level: int
    persona: PersonaInference | None = None
    reason: ReasonHeard | None = None
    level_grounds: tuple[LevelGround, ...] = ()
    feedback: tuple[PlannerFeedback, ...] = ()


def by_model(reader: Reader, plan: Plan, scope: Scope, agent: str) -> PlanRecordDraft:
    found = (*reader.refused, *plan.found)
    return PlanRecordDraft(plan, PlanOrigin.MODEL, found, _attempts(scope, agent), reader.persona.counseling_level)


def by_template(reader: Reader, plan: Plan, scope: Scope, agent: str) -> PlanRecordDraft:
    """Return the draft of the template's plan, used because the model failed."""
    found = (*reader.refused, PlanFinding(fault=Fault.MODEL_FAILED))
    return PlanRecordDraft(plan, PlanOrigin.TEMPLATE, found, _attempts(scope, agent), reader.persona.counseling_level)


def record_of(drawn: PlanRecordDraft, session: Session, at: datetime) -> PlanRecord:
    """Return the record of a plan that is applied to `session`."""
    number = 0 if session.current_part is Part.OPENING else session.part2_task_update_count + 1
    before = [task for task in session.tasks if task.part is Part.EXPLORATION]
    revision = revised(before, drawn.plan.tasks)
    aside = {task.id for task in revision.tasks if task.parked}
    were_aside = {task.id for task in before if task.parked}
    return PlanRecord(
        record_id=str(number),
        created_at=at,
        expire_at=session.expire_at,
        number=number,
        seq=session.seq,
        origin=drawn.origin,
        level=drawn.level,
        level_grounds=drawn.level_grounds,
        reason=drawn.reason,
        goal=drawn.plan.goal,
        keywords=drawn.plan.keywords,
        tasks=tuple(_planned(task) for task in revision.added),
        attempts=drawn.attempts,
        persona=drawn.persona,
        found=drawn.found[-MOST_FAULTS:],
        counted=counted(drawn.found),
        feedback=_answered(drawn.feedback),
        kept=tuple(task.id for task in before if task.id not in aside),
        retired=tuple(task.id for task in before if task.id in aside - were_aside),
    )


def _planned(task: Task) -> PlannedTask:
    slots = tuple(slot.name for slot in task.required_slots)
    return PlannedTask(id=task.id, title=task.title, kind=task.kind, module_id=task.module_id, slots=slots)


def _answered(feedback: Sequence[PlannerFeedback]) -> tuple[AnsweredFeedback, ...]:
    return tuple(
        AnsweredFeedback(id=each.record_id, source=each.source, kind=each.kind, reason=each.reason) for each in feedback
    )


def _attempts(scope: Scope, agent: str) -> int:
    return sum(run.attempts for run in scope.ledger.runs if run.agent == agent)
