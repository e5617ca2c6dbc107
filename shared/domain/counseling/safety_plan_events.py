"""Events of a turn about the safety plan."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import Field

from shared.domain.counseling.safety_plan import PlanStage, PlanStep, ordered
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import CompletionRule, Task, may_return
from shared.domain.counseling.task_events import TaskStarted
from shared.domain.event import Event
from shared.domain.ids import TaskId


class SafetyPlanOffered(Event[Session]):
    """The reply offered the plan, or explained it and offered it again."""

    seq: int
    explained: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        explained = self.explained or state.safety_plan.explained
        return _changed(state, stage=PlanStage.OFFERED, seq=self.seq, explained=explained)


class SafetyPlanPostponed(Event[Session]):
    """The user answered the offer with neither yes nor no: it is made once more, some turns later."""

    def apply(self, state: Session, at: datetime) -> Session:
        offered = state.safety_plan.stage is PlanStage.OFFERED
        return _changed(state, stage=PlanStage.DUE, postponed=True) if offered else state


class SafetyPlanDeclined(Event[Session]):
    """The user said no to the offer, or twice neither yes nor no."""

    def apply(self, state: Session, at: datetime) -> Session:
        offered = state.safety_plan.stage is PlanStage.OFFERED
        return _changed(state, stage=PlanStage.DECLINED) if offered else state


class SafetyPlanBegun(Event[Session]):
    """The user wants a plan, or to change theirs: its task is added to the present Part, or restarted within its bound.

    Attributes:
        task: The task as written.
        steps: The kept plan, if there is one.
    """

    task: Task
    steps: Mapping[PlanStep, str] = Field(default_factory=dict)

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended or state.under_14:
            return state
        state, task_id = self._with_task(state)
        started = TaskStarted(task_id=task_id).apply(state, at)
        if started.task_in_progress is None or started.task_in_progress.id != task_id:
            return state
        known = ordered({**self.steps, **state.safety_plan.steps})
        slots = {step.slot for step in PlanStep}
        unasked = {name: count for name, count in started.asked.items() if name not in slots}
        return _changed(
            started.model_copy(update={"asked": unasked}),
            stage=PlanStage.BUILDING,
            steps=known,
            done=(),
            kept=bool(self.steps),
            changed=False,
            explained_steps=(),
        )

    def _with_task(self, state: Session) -> tuple[Session, TaskId]:
        """Return the session with the task to start: an open one of this Part, one to restart, or a new one."""
        part = state.current_part
        plans = [task for task in state.tasks if task.completion_rule is CompletionRule.STEPS]
        own_part = (task for task in plans if task.part is part)
        here = next((task.id for task in own_part if not task.covered or may_return(task)), None)
        if here is not None:
            return state, here
        own = self.task.model_copy(update={"id": TaskId(f"{self.task.id}_{len(plans) + 1}"), "part": part})
        return state.model_copy(update={"tasks": (*state.tasks, own)}), own.id


class SafetyPlanStepGiven(Event[Session]):
    """The user told a step, in their own words."""

    step: PlanStep
    words: str

    def apply(self, state: Session, at: datetime) -> Session:
        plan = state.safety_plan
        if plan.stage is not PlanStage.BUILDING:
            return state
        steps = ordered({**plan.steps, self.step: self.words})
        given = _with(plan.given, self.step)
        return _changed(state, steps=steps, done=_with(plan.done, self.step), changed=True, given=given)


class SafetyPlanStepExplained(Event[Session]):
    """The reply answered a question about a step and asked for the step again, which does not count as asking twice."""

    step: PlanStep
    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        slot = self.step.slot
        asked = state.model_copy(update={"last_asked": slot, "asked_seq": {**state.asked_seq, slot: self.seq}})
        return _changed(asked, explained_steps=_with(state.safety_plan.explained_steps, self.step))


class SafetyPlanStepPassed(Event[Session]):
    """The user skipped a step, or leaves it as it is.

    Attributes:
        unstored: The answer cannot be stored, which the reply says.
    """

    step: PlanStep
    unstored: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        return _changed(state, done=_with(state.safety_plan.done, self.step))


class SafetyPlanLookedUp(Event[Session]):
    """A reply to a crisis looked for the kept plan; one that could not be read is looked for by the next reply."""

    unread: bool

    def apply(self, state: Session, at: datetime) -> Session:
        return _changed(state, unread=self.unread)


class SafetyPlanShown(Event[Session]):
    """The reply showed the whole plan and asked whether to keep it."""

    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return _changed(state, stage=PlanStage.SHOWN, seq=self.seq)


class SafetyPlanAnswered(Event[Session]):
    """The user answered whether to keep the plan, or asks to keep it after all; else it is not kept."""

    kept: bool

    def apply(self, state: Session, at: datetime) -> Session:
        if not state.safety_plan.may_be_kept:
            return state
        return _settled(state, kept=self.kept)


class SafetyPlanUnchanged(Event[Session]):
    """All steps were asked for and none was given; a kept plan stays as it is."""

    def apply(self, state: Session, at: datetime) -> Session:
        building = state.safety_plan.stage is PlanStage.BUILDING
        return _settled(state, kept=state.safety_plan.kept) if building else state


def _settled(state: Session, *, kept: bool) -> Session:
    """Return the session at the end of the plan: one that is kept is the user's, and no copy stays here."""
    if kept:
        return _changed(state, stage=PlanStage.KEPT, steps={}, given=())
    return _changed(state, stage=PlanStage.NOT_KEPT)


def _changed(state: Session, **update: object) -> Session:
    return state.model_copy(update={"safety_plan": state.safety_plan.model_copy(update=update)})


def _with(done: tuple[PlanStep, ...], step: PlanStep) -> tuple[PlanStep, ...]:
    return done if step in done else (*done, step)
