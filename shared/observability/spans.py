"""What the engine tells a tracer; it knows none, and by default there is none."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from shared.domain.turn import AgentRun, TurnRecord


class TurnSpan(Protocol):
    """The span of a turn under way."""

    def committed(self, record: TurnRecord) -> None:
        """Note what became of the turn."""
        ...


class Tracer(Protocol):
    """Makes spans. No method fails, and none waits for the network."""

    def turn(self, conversation: str, seq: int) -> AbstractContextManager[TurnSpan]:
        """Enclose a turn: what runs inside belongs to its span, tasks and agents too."""
        ...

    def agent(self, run: AgentRun, conversation: str) -> None:
        """Record an agent's run that has just ended."""
        ...


class _Untraced:
    """A turn that nobody traces."""

    def committed(self, record: TurnRecord) -> None:
        """See the protocol."""


class NoTracer:
    """Makes no spans."""

    def turn(self, conversation: str, seq: int) -> AbstractContextManager[TurnSpan]:
        """See the protocol."""
        return nullcontext(_Untraced())

    def agent(self, run: AgentRun, conversation: str) -> None:
        """See the protocol."""


NO_TRACER: Tracer = NoTracer()


@dataclass(frozen=True)
class Telemetry:
    """What the composition hands on.

    Attributes:
        tracer: For `AgentRunner`.
        endings: Send what waits and stop.
    """

    tracer: Tracer = NO_TRACER
    endings: tuple[Callable[[], None], ...] = ()

    def shutdown(self) -> None:
        """Send what waits, for a few seconds at most. At the end of a process that happens by itself."""
        for end in self.endings:
            end()
