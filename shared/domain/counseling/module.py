"""Modules: counselling techniques usable in any Part, and the table that chooses among them."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from pydantic import Field

from shared.domain.counseling.task import Task, TaskKind
from shared.domain.counseling.user_state import StateSignal
from shared.domain.ids import ModuleId
from shared.model import Model

CRISIS_MODULE = ModuleId("crisis_support")
RESISTANCE_MODULE = ModuleId("resistance_handling")
"""While it is on, nothing is asked for."""
AFTER_CRISIS = ModuleId("empathy_expression")
"""Takes over when a crisis is past, or the present module is none any more, and nothing else speaks."""


class Module(Model):
    """One technique. Texts are in the session's language.

    Attributes:
        guidelines: The whole of it, for people.
        summary: Three to five lines: what the Counselor's prompt gets.
        answers: The states of the user it is made for.
        suits: The kinds of task it serves.
    """

    id: ModuleId
    name: str
    description: str
    guidelines: tuple[str, ...]
    summary: tuple[str, ...] = Field(min_length=3, max_length=5)
    applicable_to: tuple[str, ...]
    answers: tuple[StateSignal, ...] = ()
    suits: tuple[TaskKind, ...] = ()


class ChoiceCause(StrEnum):
    """Which row of the table spoke."""

    RISK = "risk"
    STATE = "state"
    SUPERVISION = "supervision"
    TASK = "task"
    CURRENT = "current"


class ModuleChoice(Model):
    """What the table says: one candidate is a decision, several are a question for the model.

    Attributes:
        signal: The state that the candidates answer, where it was a state.
    """

    candidates: tuple[ModuleId, ...] = Field(min_length=1)
    cause: ChoiceCause
    signal: StateSignal | None = None

    @property
    def reason(self) -> str:
        """The code that the session keeps as the reason of a change: the row, and the state that spoke."""
        return self.cause.value if self.signal is None else f"{self.cause.value}:{self.signal.value}"


def choose(
    modules: Sequence[Module],
    *,
    signals: Iterable[StateSignal],
    task: Task | None,
    suggested: ModuleId | None,
    current: ModuleId,
) -> ModuleChoice:
    """Look the module up: risk, then the user's state, then supervision, then the task, then the present one.

    An id that is no module's is passed over, and so is the crisis module where there is no risk.

    Args:
        modules: All modules.
        signals: What the User State Detector found, most pressing first.
        task: The task of this turn.
        suggested: The supervisor's suggestion, if one is fresh.
        current: The module of the last turn.
    """
    found = tuple(signals)
    known = {module.id for module in modules} - {CRISIS_MODULE}
    if StateSignal.RISK in found:
        return ModuleChoice(candidates=(CRISIS_MODULE,), cause=ChoiceCause.RISK, signal=StateSignal.RISK)
    for signal in found:
        answering = tuple(module.id for module in modules if signal in module.answers)
        if answering:
            return ModuleChoice(candidates=_prefer(answering, current), cause=ChoiceCause.STATE, signal=signal)
    if suggested in known and suggested is not None:
        return ModuleChoice(candidates=(suggested,), cause=ChoiceCause.SUPERVISION)
    if task is not None and task.module_id in known:
        return ModuleChoice(candidates=(task.module_id,), cause=ChoiceCause.TASK)
    suiting = tuple(module.id for module in modules if task is not None and task.kind in module.suits)
    if suiting:
        return ModuleChoice(candidates=_prefer(suiting, current), cause=ChoiceCause.TASK)
    kept = current if current in known else AFTER_CRISIS
    return ModuleChoice(candidates=(kept,), cause=ChoiceCause.CURRENT)


def _prefer(candidates: tuple[ModuleId, ...], current: ModuleId) -> tuple[ModuleId, ...]:
    """A module that already serves the state is kept: no change without a cause."""
    return (current,) if current in candidates else candidates
