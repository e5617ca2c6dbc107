"""What the steps of a turn return: values that the turn applies in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import TypeVar

from shared.domain.counseling.session import Session
from shared.domain.event import Event
from shared.domain.records import AuditEntry, Record
from shared.domain.turn import Hook

E = TypeVar("E", bound=Event[Session])


@dataclass(frozen=True)
class Findings:
    """Events in order, and what is committed with them."""

    events: tuple[Event[Session], ...] = ()
    records: tuple[Record, ...] = ()
    audit: tuple[AuditEntry, ...] = ()
    hooks: tuple[Hook, ...] = ()
    flags: tuple[str, ...] = ()

    def __add__(self, later: "Findings") -> "Findings":
        return Findings(
            self.events + later.events,
            self.records + later.records,
            self.audit + later.audit,
            self.hooks + later.hooks,
            self.flags + later.flags,
        )

    def of(self, *kinds: type[E]) -> tuple[E, ...]:
        return tuple(event for event in self.events if isinstance(event, kinds))


@dataclass(frozen=True)
class Reply:
    """A streamed reply and its findings."""

    text: str
    found: Findings


@dataclass(frozen=True)
class FixedReply:
    """A fixed reply, not streamed yet.

    Attributes:
        reason: Why no model is asked; for the ledger.
    """

    text: str
    reason: str
    found: Findings


def after(session: Session, events: Sequence[Event[Session]], now: datetime) -> Session:
    return reduce(lambda current, event: event.apply(current, now), events, session)
