"""What an agent call needs to know of the turn or job that it belongs to."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from shared.contracts.events import AgentDone, AgentRetry, AgentStart, StreamEvent
from shared.engine.ledger import Ledger
from shared.engine.send_budget import SendBudget
from shared.locale import Locale


def _silent(event: StreamEvent) -> None:
    """Background work has no listener."""


def _name(agent: str, _attempt: int) -> str:
    """Nobody reads it."""
    return agent


async def _free() -> None:
    """Nothing has to be asked."""


@dataclass
class Scope:
    """One turn's or job's ledger, language, deadline and listener.

    Attributes:
        deadline: On the clock's stopwatch, seconds; no call goes past it.
        answers_by: When the analysers' calls end, on the same stopwatch; the safe defaults hold then.
        first_word_by: When a speaker must have shown a first word, on the same stopwatch; else it is given up.
        loading_s: Seconds for which its calls waited until the model's client was loaded, once in an instance's life.
            That is our delay and not the model's: `answers_by` and `first_word_by` are later by it.
        sends: What is left of the turn's requests; a job has no limit.
        permit: Asked before every model call whether the words may still go to a model; raises when they may not.
        conversation: Its id, for logs and spans.
        label: Gives the words a person may read for an agent's attempt, of which the first is 1.
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
        """Return the seconds that an analyser's call may still take."""
        return min(self.deadline, self.answers_by + self.loading_s) - now

    def first_word_left(self, now: float) -> float:
        """Return the seconds in which a speaker's first word must come."""
        return min(self.deadline, self.first_word_by + self.loading_s) - now

    def started(self, agent: str) -> None:
        """Tell the listener that an agent went to work."""
        self.emit(AgentStart(agent=agent, label=self.label(agent, 1)))

    def retried(self, agent: str, attempt: int) -> None:
        """Tell the listener that an agent is asked once more; the first call was attempt 1."""
        self.emit(AgentRetry(agent=agent, label=self.label(agent, attempt), attempt=attempt))

    def finished(self, agent: str) -> None:
        """Tell the listener that an agent is done."""
        self.emit(AgentDone(agent=agent))
