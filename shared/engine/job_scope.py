"""What a job always writes at its end: the cost of its calls, its useless answers and the release of its claim."""

from dataclasses import dataclass
from datetime import datetime

from shared.domain.conversation import Budget, S
from shared.domain.event import Event
from shared.engine.claims import ClaimReleased, Delivery
from shared.engine.scope import Scope

MOST_POISONED = 8
"""How many of the newest pieces of work a session counts useless answers for. Usually there is one at most."""


class Spent(Event[S]):
    """The cost of a job's model calls, added to the conversation's budget; not to the user's own calls."""

    spent: Budget

    def apply(self, state: S, at: datetime) -> S:
        return state.model_copy(update={"budget": state.budget.plus(self.spent.in_background)})


class Poisoned(Event[S]):
    """The model answered a job, but no answer was usable."""

    work: str

    def apply(self, state: S, at: datetime) -> S:
        others = [(work, times) for work, times in state.poisoned.items() if work != self.work]
        counted = {**dict(others[1 - MOST_POISONED :]), self.work: state.poisoned.get(self.work, 0) + 1}
        return state.model_copy(update={"poisoned": counted})


class PoisonCleared(Event[S]):
    """Work is done or given up: its count of useless answers ends."""

    work: str

    def apply(self, state: S, at: datetime) -> S:
        left = {work: times for work, times in state.poisoned.items() if work != self.work}
        return state if len(left) == len(state.poisoned) else state.model_copy(update={"poisoned": left})


@dataclass
class JobScope(Scope):
    """A job's scope.

    Attributes:
        delivery: The delivery whose claim is released at the job's end; None without a claim.
    """

    delivery: Delivery | None = None

    def closing_events(self) -> tuple[Event[S], ...]:
        """Return the events of every job end: the cost of its calls and the release of its claim."""
        spent = self.ledger.spent()
        cost: tuple[Event[S], ...] = (Spent(spent=spent),) if spent.llm_calls else ()
        if self.delivery is None:
            return cost
        work, holder, attempt = self.delivery.work, self.delivery.holder, self.delivery.attempt
        return (*cost, ClaimReleased(work=work, holder=holder, attempt=attempt))

    def cleared(self) -> tuple[Event[S], ...]:
        """Return the event that resets the count of useless answers."""
        return (PoisonCleared(work=self.delivery.work),) if self.delivery else ()
