"""What a turn has found so far, and the state as it looks with that."""

from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from shared.domain.counseling.session import Session
from shared.domain.event import Event
from shared.domain.records import AuditEntry, Record
from shared.domain.turn import Hook
from shared.engine.flow import Outcome, Turn
from shared.safety.screening import ScreenedMessage, Screening


@dataclass
class Progress:
    """The turn, and what it has come to.

    Attributes:
        screening: Reads messages with the safety rules.
        state: The snapshot with this turn's findings applied. Prompts are rendered from the snapshot's history; rules
            look here.
    """

    turn: Turn[Session]
    screening: Screening
    state: Session = field(init=False)
    events: list[Event[Session]] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    audit: list[AuditEntry] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with the snapshot."""
        self.state = self.turn.state

    @cached_property
    def message(self) -> ScreenedMessage:
        """The turn's message with what the safety rules found in it; read here only where nobody has before."""
        return self.turn.screened or self.screening.screen(self.turn.text)

    def note(self, *events: Event[Session]) -> None:
        """Take findings."""
        for event in events:
            self.state = event.apply(self.state, self.turn.now)
            self.events.append(event)

    def outcome(self, reply: str, directive: dict[str, JsonValue] | None = None) -> Outcome[Session]:
        """Close the turn with a reply."""
        return Outcome(
            reply=reply,
            events=tuple(self.events),
            records=tuple(self.records),
            audit=tuple(self.audit),
            hooks=tuple(self.hooks),
            flags=tuple(self.flags),
            directive=directive,
        )
