"""Modules: counselling techniques."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from pydantic import Field

from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part, TaskKind
from shared.domain.counseling.user_state import StateSignal
from shared.domain.ids import ModuleId
from shared.locale import Register
from shared.model import Model

CRISIS_MODULE = ModuleId("crisis_support")
RESISTANCE_MODULE = ModuleId("resistance_handling")
"""While it is active, no slot is asked for."""
LISTENING = ModuleId("empathy_expression")
"""Used if no other module is called for and the current one may not be used."""


class Module(Model):
    """One technique. Texts are in the session's language.

    Attributes:
        when: When it helps; for the model that chooses, and for people.
        when_not: When it does not.
        guidelines: The full text, for people.
        summary: Three to five lines for the counsellor's prompt.
        examples: Sentences of a counsellor, by register.
        sources: Public guides that it rests on.
        applicable_to: The Parts in which it may be used, by session type.
        answers: User states that it is made for.
        suits: Kinds of task that it serves.
    """

    id: ModuleId
    name: str
    description: str
    when: str = ""
    when_not: str = ""
    guidelines: tuple[str, ...]
    summary: tuple[str, ...] = Field(min_length=3, max_length=5)
    examples: Mapping[Register, tuple[str, ...]] = Field(default_factory=dict)
    sources: tuple[str, ...] = ()
    applicable_to: Mapping[SessionType, tuple[Part, ...]]
    answers: tuple[StateSignal, ...] = ()
    suits: tuple[TaskKind, ...] = ()

    def applies(self, session_type: SessionType, part: Part) -> bool:
        """Tell whether it may be used in a Part of a type of session."""
        return part in self.applicable_to.get(session_type, ())


class ChoiceCause(StrEnum):
    """Why a module was chosen."""

    RISK = "risk"
    STATE = "state"
    SUPERVISION = "supervision"
    TASK = "task"
    SUBJECT = "subject"
    """The reading chose it while no task is open."""
    CURRENT = "current"


def plannable(modules: Iterable[Module], session_type: SessionType) -> tuple[Module, ...]:
    """Return the modules that the planner may give to a task of Part 2."""
    usable = (module for module in modules if module.applies(session_type, Part.EXPLORATION))
    return tuple(module for module in usable if module.id != CRISIS_MODULE)
