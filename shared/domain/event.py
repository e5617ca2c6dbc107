"""Domain events: findings of a turn or worker, each with a pure effect on the state.

An event is applied to the newest state at the commit, which may be newer than the state of the finding. An event that
no longer applies changes nothing, so a conflicting write can be repeated safely.
"""

from abc import abstractmethod
from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from typing import Generic

from shared.domain.conversation import S, touch
from shared.model import Model


class Event(Model, Generic[S]):
    """Something that happened; named in the past tense."""

    @abstractmethod
    def apply(self, state: S, at: datetime) -> S:
        """Return the state after it; the same object if nothing changes."""

    @property
    def name(self) -> str:
        """The event's name in records and logs."""
        return type(self).__name__


def apply_all(state: S, events: Iterable[Event[S]], at: datetime) -> S:
    """Apply events in order and mark the write."""
    changed = reduce(lambda current, event: event.apply(current, at), events, state)
    return touch(changed, at)
