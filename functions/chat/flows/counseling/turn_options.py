"""How an operator runs the turn: with one analysis call or two, and with an early reply or without."""

from dataclasses import dataclass

from functions.chat.flows.counseling.speculation_policy import Speculating


@dataclass(frozen=True)
class TurnOptions:
    """Options of a counselling turn; none changes what a turn decides, only when and with how many calls.

    Attributes:
        jointly: One call answers the task completion checker and the user state detector.
        speculation: Whether the Counselor begins before the decisions.
        reader_shadow: Whether the reader reads the message too, once it is answered (docs/decisions/0057).
    """

    jointly: bool = True
    speculation: Speculating = Speculating.ADAPTIVE
    reader_shadow: bool = False


DEFAULT = TurnOptions()
STEP_BY_STEP = TurnOptions(jointly=False, speculation=Speculating.OFF)
"""Each agent asked by itself, one after the other."""
