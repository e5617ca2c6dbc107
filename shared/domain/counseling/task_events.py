"""Events of a turn about tasks, slots and modules."""

from collections.abc import Callable, Mapping
from datetime import datetime

from pydantic import Field

from shared.domain.counseling.completions import noted
from shared.domain.counseling.lifecycle import may_become
from shared.domain.counseling.session import LogEntry, Session
from shared.domain.counseling.sources import Contradiction, Source
from shared.domain.counseling.task import SufficientReason, Task, TaskStatus, may_return
from shared.domain.event import Event
from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import SlotValue


def change_tasks(session: Session, change: Callable[[Task], Task]) -> Session:
    return session.model_copy(update={"tasks": tuple(change(task) for task in session.tasks)})


class TaskStarted(Event[Session]):
    """The task selector chose a task; the previous one becomes pending unless it is covered.

    A parked task is resumed. A covered task gets new turns, up to `MAX_RETURNS` times.
    """

    task_id: TaskId
    guide: str = ""

    def apply(self, state: Session, at: datetime) -> Session:
        chosen = state.task(self.task_id)
        if chosen is None or chosen.part != state.current_part or not may_become(chosen, TaskStatus.IN_PROGRESS):
            return state
        back = chosen.status is TaskStatus.SUFFICIENT
        if back and not may_return(chosen):
            return state

        def change(task: Task) -> Task:
            if task.id == self.task_id:
                update = {"status": TaskStatus.IN_PROGRESS, "started_at": task.started_at or at, "parked": False}
                again = {"turns_spent": 0, "signs": (), "returns": task.returns + 1} if back else {}
                return task.model_copy(update=update | again)
            if task.status is TaskStatus.IN_PROGRESS:
                return task.model_copy(update={"status": TaskStatus.PENDING})
            return task

        return change_tasks(state, change).model_copy(
            update={"current_task": self.task_id, "execution_guide": self.guide}
        )


class TaskTurnSpent(Event[Session]):
    """A turn was spent on the task in progress."""

    task_id: TaskId

    def apply(self, state: Session, at: datetime) -> Session:
        def change(task: Task) -> Task:
            spent_on = task.id == self.task_id and task.status is TaskStatus.IN_PROGRESS
            return task.model_copy(update={"turns_spent": task.turns_spent + 1}) if spent_on else task

        return change_tasks(state, change)


class TaskSignSeen(Event[Session]):
    """The user's message of turn `seq` shows that a judged task is complete."""

    task_id: TaskId
    seq: int = Field(ge=1)

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended:
            return state

        def change(task: Task) -> Task:
            return task.with_sign(self.seq) if task.id == self.task_id else task

        return change_tasks(state, change)


class WordsSetAside(Event[Session]):
    """The user's words of turn `seq` are about a danger or jump to another topic, and no evidence for a task."""

    seq: int = Field(ge=1)
    danger: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        return state.setting_aside(self.seq, danger=self.danger)


class TaskCovered(Event[Session]):
    """A task became sufficient; the session holds its completion until the document is written."""

    task_id: TaskId
    reason: SufficientReason
    evidence: str = ""
    seq: int = Field(ge=1)

    def apply(self, state: Session, at: datetime) -> Session:
        task = state.task(self.task_id)
        if task is None or task.covered:
            return state

        def change(other: Task) -> Task:
            if other.id != self.task_id:
                return other
            return other.model_copy(update={"status": TaskStatus.SUFFICIENT, "sufficient_at": at})

        entry = LogEntry(
            seq=self.seq,
            at=at,
            data={"task": self.task_id, "reason": self.reason.value, "evidence": self.evidence},
        )
        return noted(change_tasks(state, change), entry)


class SlotFilled(Event[Session]):
    """The user gave a valid value, which replaces an earlier one and its source, and settles a contradiction."""

    slot: str
    value: SlotValue
    source: Source | None = None

    def apply(self, state: Session, at: datetime) -> Session:
        others = {name: source for name, source in state.info_sources.items() if name != self.slot}
        return state.model_copy(
            update={
                "user_info": {**state.user_info, self.slot: self.value},
                "info_sources": others if self.source is None else {**others, self.slot: self.source},
                "contradictions": _settled(state.contradictions, self.slot),
                "slot_errors": _without(state.slot_errors, self.slot),
                "declined_slots": tuple(name for name in state.declined_slots if name != self.slot),
            }
        )


class SlotDeclined(Event[Session]):
    """The user declined to fill a slot: it counts as given and is not asked for again.

    An earlier value stays; a later value still fills it.
    """

    slot: str

    def apply(self, state: Session, at: datetime) -> Session:
        if self.slot in state.user_info or self.slot in state.declined_slots:
            return state
        return state.model_copy(
            update={
                "declined_slots": (*state.declined_slots, self.slot),
                "slot_errors": _without(state.slot_errors, self.slot),
            }
        )


class SlotRejected(Event[Session]):
    """The user gave an invalid value; the counsellor says why and asks differently."""

    slot: str
    error: str

    def apply(self, state: Session, at: datetime) -> Session:
        if self.slot in state.user_info or self.slot in state.declined_slots:
            return state
        return state.model_copy(update={"slot_errors": {**state.slot_errors, self.slot: self.error}})


class SlotAsked(Event[Session]):
    """The reply was to ask for a slot, or for none.

    Attributes:
        seq: The turn of the reply; 0 is the greeting.
    """

    slot: str | None
    seq: int = Field(default=0, ge=0)

    def apply(self, state: Session, at: datetime) -> Session:
        if self.slot is None:
            return state.model_copy(update={"last_asked": None})
        asked = {**state.asked, self.slot: state.asked.get(self.slot, 0) + 1}
        update = {
            "asked": asked,
            "asked_seq": {**state.asked_seq, self.slot: self.seq},
            "last_asked": self.slot,
            "slot_errors": _without(state.slot_errors, self.slot),
        }
        return state.model_copy(update=update)


class ModuleChanged(Event[Session]):
    """Another technique is used from this turn on.

    Attributes:
        reason: In words in the session's language.
        code: The reason as a code (`ModuleChoice.code`).
        choices: See `Session.module_choices`.
        still_open: See `Session.module_open`.
    """

    module_id: ModuleId
    reason: str
    code: str
    choices: dict[str, ModuleId] = Field(default_factory=dict)
    still_open: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        made = {"module_choices": self.choices, "module_open": self.still_open}
        if state.current_module == self.module_id:
            return state.model_copy(update=made)
        return state.model_copy(
            update=made
            | {
                "previous_module": state.current_module,
                "current_module": self.module_id,
                "module_change_reason": self.reason,
                "module_change_code": self.code,
            }
        )


def _settled(found: Mapping[str, Contradiction], slot: str) -> dict[str, Contradiction]:
    return {name: each.model_copy(update={"settled": True}) if name == slot else each for name, each in found.items()}


def _without(errors: Mapping[str, str], slot: str) -> dict[str, str]:
    return {name: error for name, error in errors.items() if name != slot}
