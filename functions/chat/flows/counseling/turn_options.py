"""How an operator runs the turn: with one analysis call or two, and with an early reply or without."""

from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum

from shared.domain.ids import ConversationId
from shared.engine.send_budget import SendBudget

FEWEST_SENDS = 4
"""Requests that must be left: the analysis and its retry, the early stream, and another if the plan changes."""
CHANGES_IN_A_ROW = 3
"""Changed plans in a row after which a conversation pauses."""
PAUSE = 2
"""Turns of a pause; then one more try."""
MOST_CONVERSATIONS = 1000
"""Conversations that an instance remembers; the least recent is forgotten."""


class Speculating(StrEnum):
    """Whether the Counselor begins a reply before the decisions that it rests on."""

    ADAPTIVE = "adaptive"
    """Not where plans keep changing."""
    ALWAYS = "always"
    OFF = "off"


class SpeculationPolicy:
    """One instance's memory of which conversations keep their plans."""

    def __init__(self, choice: Speculating) -> None:
        self._choice = choice
        self._changes: OrderedDict[ConversationId, int] = OrderedDict()

    def reason_not_to(self, conversation: ConversationId, sends: SendBudget) -> str | None:
        """Return why no reply is begun early in this turn; None if one is. Counts a turn of a pause."""
        if not enough(sends, FEWEST_SENDS):
            return "few requests are left"
        changes = self._changes.get(conversation, 0)
        if self._choice is Speculating.ALWAYS or changes < CHANGES_IN_A_ROW:
            return None
        paused = changes - CHANGES_IN_A_ROW
        self._changes[conversation] = CHANGES_IN_A_ROW - 1 if paused + 1 == PAUSE else changes + 1
        return "the plan keeps changing"

    def note(self, conversation: ConversationId, *, held: bool) -> None:
        """Remember whether the plan of a turn held."""
        self._changes[conversation] = 0 if held else self._changes.get(conversation, 0) + 1
        self._changes.move_to_end(conversation)
        if len(self._changes) > MOST_CONVERSATIONS:
            self._changes.popitem(last=False)


@dataclass(frozen=True)
class TurnOptions:
    """Options of a counselling turn; none changes what a turn decides, only when and with how many calls.

    Attributes:
        jointly: One call answers the task completion checker and the user state detector.
        speculation: Whether the Counselor begins before the decisions.
    """

    jointly: bool = True
    speculation: Speculating = Speculating.ADAPTIVE


DEFAULT = TurnOptions()
STEP_BY_STEP = TurnOptions(jointly=False, speculation=Speculating.OFF)
"""Each agent asked by itself, one after the other."""


def enough(sends: SendBudget, fewest: int) -> bool:
    """Return whether so many requests are left in the turn."""
    return sends.left is None or sends.left >= fewest
