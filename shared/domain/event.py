"""Domain events: what a turn or a worker found, each with its pure effect on the state.

An event is applied to whatever the state is at the commit, which may be newer than the one it was found at; one that
makes no sense there any more changes nothing. That is what lets a conflicting write be repeated safely.
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
        """Return the state after it; the same object when it changes nothing."""

    @property
    def name(self) -> str:
        """The event's name in records and logs."""
        return type(self).__name__


def apply_all(state: S, events: Iterable[Event[S]], at: datetime) -> S:
    """Apply events in order and mark the write."""
    changed = reduce(lambda current, event: event.apply(current, at), events, state)
    return touch(changed, at)
