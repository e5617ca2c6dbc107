"""The samples of the first-token measurement, and their groups: how each turn's early reply ended."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from functions.chat.early_reply import AGENT
from shared.domain.turn import TurnRecord

COMPLETED = "TaskCovered"
"""Event of a turn in which a task was completed."""


def outcome_of(turn: TurnRecord) -> str | None:
    """Return how the early reply ended: `held`, `changed` or `contradicted`; None if none was begun."""
    return next((str(run.output) for run in turn.agents if run.agent == AGENT), None)


@dataclass(frozen=True)
class Sample:
    """A bare stream and, right after it, the same turn on two servers; milliseconds to the first text."""

    session: int
    turn: int
    bare_ms: float
    early_ms: float  # with the defaults: the Counselor begins early
    sequential_ms: float  # where the reply waits for the reading
    outcome: str | None  # of the early reply, see `outcome_of`
    completed: bool  # a task was completed in this turn

    @property
    def ratio(self) -> float:
        return self.early_ms / self.bare_ms

    @property
    def sequential_ratio(self) -> float:
        return self.sequential_ms / self.bare_ms

    def as_json(self) -> Mapping[str, Any]:
        return {name: round(value, 1) if isinstance(value, float) else value for name, value in asdict(self).items()}
