"""What a job's end writes whatever came of it: what its calls cost, useless answers counted, its claim released."""

from dataclasses import dataclass
from datetime import datetime

from shared.domain.conversation import Budget, S
from shared.domain.event import Event
from shared.engine.claims import ClaimReleased, Delivery
from shared.engine.scope import Scope

MOST_POISONED = 8
"""Pieces of work whose useless answers a session counts, the newest. Seldom more than one is."""


class Spent(Event[S]):
    """What a job's model calls cost, added to the conversation's budget; not to its person's own calls."""

    spent: Budget

    def apply(self, state: S, at: datetime) -> S:
        """Add it."""
        return state.model_copy(update={"budget": state.budget.plus(self.spent.in_background)})


class Poisoned(Event[S]):
    """The model answered a job, and no answer was of use."""

    work: str

    def apply(self, state: S, at: datetime) -> S:
        """Count it."""
        others = [(work, times) for work, times in state.poisoned.items() if work != self.work]
        counted = {**dict(others[1 - MOST_POISONED :]), self.work: state.poisoned.get(self.work, 0) + 1}
        return state.model_copy(update={"poisoned": counted})


class PoisonCleared(Event[S]):
    """Work is done or given up: what is due next is counted from nothing."""

    work: str

    def apply(self, state: S, at: datetime) -> S:
        """Drop its count."""
        left = {work: times for work, times in state.poisoned.items() if work != self.work}
        return state if len(left) == len(state.poisoned) else state.model_copy(update={"poisoned": left})


@dataclass
class JobScope(Scope):
    """A job's scope.

    Attributes:
        delivery: The delivery whose claim is released when the job's end is written; None where nothing is claimed.
    """

    delivery: Delivery | None = None

    def closing_events(self) -> tuple[Event[S], ...]:
        """Return what the job's end writes whatever came of it: what its calls cost, and that its claim is free."""
        spent = self.ledger.spent()
        cost: tuple[Event[S], ...] = (Spent(spent=spent),) if spent.llm_calls else ()
        if self.delivery is None:
            return cost
        work, holder, attempt = self.delivery.work, self.delivery.holder, self.delivery.attempt
        return (*cost, ClaimReleased(work=work, holder=holder, attempt=attempt))

    def cleared(self) -> tuple[Event[S], ...]:
        """Return what done work writes: its useless answers no longer count."""
        return (PoisonCleared(work=self.delivery.work),) if self.delivery else ()
