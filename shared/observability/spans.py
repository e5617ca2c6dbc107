"""The engine's tracing interface; by default nothing is traced."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from shared.domain.turn import AgentRun, TurnRecord


class TurnSpan(Protocol):
    """The span of a running turn."""

    def committed(self, record: TurnRecord) -> None:
        """Add the turn's facts."""
        ...


class Tracer(Protocol):
    """Creates spans. No method fails or waits for the network."""

    def turn(self, conversation: str, seq: int) -> AbstractContextManager[TurnSpan]:
        """Enclose a turn: tasks and agents inside belong to its span."""
        ...

    def agent(self, run: AgentRun, conversation: str) -> None:
        """Record an ended run of an agent."""
        ...


class _Untraced:
    def committed(self, record: TurnRecord) -> None:
        """See the protocol."""


class NoTracer:
    """Creates no spans."""

    def turn(self, conversation: str, seq: int) -> AbstractContextManager[TurnSpan]:
        """See the protocol."""
        return nullcontext(_Untraced())

    def agent(self, run: AgentRun, conversation: str) -> None:
        """See the protocol."""


NO_TRACER: Tracer = NoTracer()


@dataclass(frozen=True)
class Telemetry:
    """Tracer and shutdown functions for the composition root.

    Attributes:
        tracer: For `AgentRunner`.
        endings: Functions that export pending data and stop.
    """

    tracer: Tracer = NO_TRACER
    endings: tuple[Callable[[], None], ...] = ()

    def shutdown(self) -> None:
        """Export pending data, within some seconds. It also happens at the end of the process."""
        for end in self.endings:
            end()
