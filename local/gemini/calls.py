"""Records the simulator's calls: counters, and the last requests."""

from collections import Counter, deque
from dataclasses import asdict, dataclass

from local.gemini.json_types import JsonObject


@dataclass
class Call:
    """One request for text.

    Attributes:
        request: The whole body.
        fault: The fault that it got.
        outcome: "pending", "answered", "refused", "cut" (by us) or "disconnected" (by the client).
    """

    agent: str
    model: str
    method: str
    request: JsonObject
    fault: str | None = None
    outcome: str = "pending"


class CallLog:
    """Counts calls per agent and keeps the last ones; every attempt of a retrying client is a call."""

    def __init__(self, keep: int = 100) -> None:
        self._counts: Counter[str] = Counter()
        self._recent: deque[Call] = deque(maxlen=keep)

    @property
    def total(self) -> int:
        """All calls."""
        return self._counts.total()

    @property
    def agents(self) -> dict[str, int]:
        """Calls per agent."""
        return dict(self._counts)

    @property
    def recent(self) -> tuple[Call, ...]:
        """The last calls, oldest first."""
        return tuple(self._recent)

    def add(self, call: Call) -> None:
        """Record a call."""
        self._counts[call.agent] += 1
        self._recent.append(call)

    def clear(self) -> None:
        """Delete all."""
        self._counts.clear()
        self._recent.clear()

    def as_json(self) -> dict[str, object]:
        """Return the answer of the control endpoint."""
        return {
            "total": self.total,
            "agents": self.agents,
            "recent": [asdict(call) for call in self._recent],
        }
