"""Decides without a model among modules that the table leaves open: as before, or for the beginning of a task."""

from collections.abc import Mapping
from dataclasses import dataclass

from shared.domain.counseling.module import ChoiceCause, Module, ModuleChoice, Situation
from shared.domain.counseling.session import Session
from shared.domain.counseling.user_state import StateSignal
from shared.domain.ids import ModuleId

AS_BEFORE = "as chosen before"
NEW_TASK = "a new task begins with its own module"
_FEELINGS = (StateSignal.STRONG_EMOTION, StateSignal.EMOTION_CHANGE, StateSignal.CLEAR_EMOTION)


@dataclass(frozen=True)
class Ruled:
    """A module that a rule chose.

    Attributes:
        still_open: The model is to be asked in a later turn.
    """

    module_id: ModuleId
    reason: str
    still_open: bool = False


class EarlierChoices:
    """What the model chose during the present task.

    A choice rests on the task, on the user's state and on the modules that the user's words call for. While these are
    the same, it stands; a new topic ends all of them.

    Attributes:
        made: By what each rested on; choices of other tasks are left out.
    """

    def __init__(
        self, state: Session, choice: ModuleChoice, now: Situation, modules: Mapping[ModuleId, Module]
    ) -> None:
        self._choice = choice
        self._now = now
        self._was_open = state.module_open
        self._called = tuple(sorted(one for one in choice.candidates if now.calls_for(modules[one])))
        task = f"{state.current_task or ''}|"
        self._basis = task + "|".join((_state_class(choice, now), *self._called))
        kept = {} if state.user_state.topic_changed else state.module_choices
        self.made = {basis: module for basis, module in kept.items() if basis.startswith(task)}

    def by_rule(self, *, new_task: bool) -> Ruled | None:
        """Return what a rule chooses; None if the model is to be asked."""
        choice, now = self._choice, self._now
        if len(choice.candidates) == 1:
            goes_on = self._was_open and not new_task
            return Ruled(choice.candidates[0], choice.cause.value, goes_on and choice.cause is ChoiceCause.TASK)
        before = self.made.get(self._basis)
        if before is not None and before in choice.candidates:
            return Ruled(before, AS_BEFORE)
        if new_task and choice.cause is ChoiceCause.TASK and not now.asks_about_counselling:
            called = now.current in self._called
            return Ruled(now.current if called else choice.candidates[0], NEW_TASK, still_open=True)
        return None

    def with_the(self, chosen: ModuleId) -> dict[str, ModuleId]:
        """Return the choices with the model's newest one."""
        return {**self.made, self._basis: chosen}


def present_or_first(present: ModuleId, choice: ModuleChoice) -> ModuleId:
    """Return the present module, or the first candidate if the present one answers something else."""
    return present if present in choice.candidates else choice.candidates[0]


def _state_class(choice: ModuleChoice, now: Situation) -> str:
    """Return what the choice answers; a feeling by its name, whether it is new or has changed."""
    return now.state.emotion.value if choice.signal in _FEELINGS else choice.code
