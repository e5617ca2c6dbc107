"""Modules: counselling techniques usable in any Part, and the table that selects one."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from pydantic import Field

from shared.domain.counseling.task import Task, TaskKind
from shared.domain.counseling.user_state import StateSignal
from shared.domain.ids import ModuleId
from shared.model import Model

CRISIS_MODULE = ModuleId("crisis_support")
RESISTANCE_MODULE = ModuleId("resistance_handling")
"""While it is active, no slot is asked for."""
AFTER_CRISIS = ModuleId("empathy_expression")
"""Used after a crisis, or if the current module does not exist and no row of the table applies."""


class Module(Model):
    """One technique. Texts are in the session's language.

    Attributes:
        guidelines: The full text, for people.
        summary: Three to five lines for the counsellor's prompt.
        answers: User states that it is made for.
        suits: Kinds of task that it serves.
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
    """The row of the table that applied."""

    RISK = "risk"
    STATE = "state"
    SUPERVISION = "supervision"
    TASK = "task"
    CURRENT = "current"


class ModuleChoice(Model):
    """Result of the table: one candidate is a decision, several are a question for the model.

    Attributes:
        signal: The user state that the candidates answer, if any.
    """

    candidates: tuple[ModuleId, ...] = Field(min_length=1)
    cause: ChoiceCause
    signal: StateSignal | None = None

    @property
    def reason(self) -> str:
        """Reason code stored in the session: the row and the user state."""
        return self.cause.value if self.signal is None else f"{self.cause.value}:{self.signal.value}"


def choose(
    modules: Sequence[Module],
    *,
    signals: Iterable[StateSignal],
    task: Task | None,
    suggested: ModuleId | None,
    current: ModuleId,
) -> ModuleChoice:
    """Select a module by risk, then user state, supervision, task and current module.

    Unknown ids are skipped, and so is the crisis module if there is no risk.

    Args:
        modules: All modules.
        signals: Findings of the user state detector, most pressing first.
        task: The task of this turn.
        suggested: The supervisor's recent suggestion, if any.
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
    """Keep the current module if it is a candidate."""
    return (current,) if current in candidates else candidates
