"""The context of an agent call: ledger, deadlines, permit and listener of its turn or job."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from shared.contracts.events import AgentDone, AgentRetry, AgentStart, StreamEvent
from shared.engine.ledger import Ledger
from shared.engine.send_budget import SendBudget
from shared.locale import Locale


def _silent(event: StreamEvent) -> None:
    """Ignore events: background work has no listener."""


def _name(agent: str, _attempt: int) -> str:
    """Return the agent's name: background work shows no label."""
    return agent


async def _free() -> None:
    """Allow every call."""


@dataclass
class Scope:
    """One turn's or job's ledger, language, deadlines and listener. Times are stopwatch seconds.

    Attributes:
        deadline: No call goes past it.
        answers_by: When analysers' calls end and their safe defaults are used.
        first_word_by: When a speaker must have shown its first word, or it is given up.
        loading_s: Seconds that calls waited for the model's client to load, once per instance. This delay is ours, so
            `answers_by` and `first_word_by` move back by it.
        sends: Requests that the turn may still send; a job has no limit.
        permit: Called before every model call; raises if the text may not go to a model any more.
        conversation: Its id, for logs and spans.
        label: Returns the user-visible label of an agent's attempt, counted from 1.
    """

    locale: Locale
    deadline: float
    answers_by: float = float("inf")
    first_word_by: float = float("inf")
    loading_s: float = 0
    sends: SendBudget = field(default_factory=SendBudget)
    ledger: Ledger = field(default_factory=Ledger)
    emit: Callable[[StreamEvent], None] = _silent
    label: Callable[[str, int], str] = _name
    conversation: str = ""
    permit: Callable[[], Awaitable[None]] = _free

    def analysis_left(self, now: float) -> float:
        """Return the seconds left for an analyser's call."""
        return min(self.deadline, self.answers_by + self.loading_s) - now

    def first_word_left(self, now: float) -> float:
        """Return the seconds left for a speaker's first word."""
        return min(self.deadline, self.first_word_by + self.loading_s) - now

    def started(self, agent: str) -> None:
        self.emit(AgentStart(agent=agent, label=self.label(agent, 1)))

    def retried(self, agent: str, attempt: int) -> None:
        """Tell the listener that an agent is asked again; the first call is attempt 1."""
        self.emit(AgentRetry(agent=agent, label=self.label(agent, attempt), attempt=attempt))

    def finished(self, agent: str) -> None:
        self.emit(AgentDone(agent=agent))
