"""The rule engine of a client: selects the next message from what the client can see."""

import re
from dataclasses import dataclass

from local.demo.client import Moment, Rule, Visit
from shared.contracts.chat import StateSnapshot

_CRISIS = ("crisis", "imminent")


@dataclass(frozen=True)
class Situation:
    """What a client knows before its next message.

    Attributes:
        heard: The counsellor's newest message.
        turn: Number of the turn that the next message starts, from 1.
    """

    heard: str
    state: StateSnapshot
    turn: int

    def __str__(self) -> str:
        """Describe it for the author of the client's rules."""
        task = f"task {self.state.task.id} {self.state.task.title!r}" if self.state.task else "no task"
        return f"turn {self.turn}, part {self.state.part}, {task}, after {self.heard[-80:]!r}"


class Answers:
    """A client's lines in one session; counts which were said."""

    def __init__(self, visit: Visit) -> None:
        self._rules = visit.rules
        self._said = [0] * len(visit.rules)

    def next(self, situation: Situation) -> str | None:
        """Return the next message, or None if no rule has a line left."""
        for place, rule in enumerate(self._rules):
            if self._has_more(place, rule) and fits(rule.when, situation):
                said = self._said[place]
                self._said[place] += 1
                return rule.lines[said % len(rule.say)]
        return None

    def _has_more(self, place: int, rule: Rule) -> bool:
        return rule.again or self._said[place] < len(rule.say)


def fits(moment: Moment, situation: Situation) -> bool:
    """Tell whether all conditions of a moment hold."""
    state = situation.state
    task = f"{state.task.id} {state.task.title}" if state.task else ""
    proposed = state.wrap_up.aim if state.wrap_up and state.wrap_up.stage == "proposed" else None
    in_crisis = state.risk.level in _CRISIS
    return (
        situation.turn >= moment.from_turn
        and (moment.hears is None or re.search(moment.hears, situation.heard) is not None)
        and (moment.task is None or re.search(moment.task, task) is not None)
        and moment.part in (None, state.part)
        and moment.proposes in (None, proposed)
        and moment.in_crisis in (None, in_crisis)
    )
