"""What a service provides to the engine: a flow that runs one turn, and a manifest."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Protocol

from pydantic import JsonValue

from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import Role, S
from shared.domain.event import Event
from shared.domain.ids import MessageId
from shared.domain.records import AuditEntry, Record
from shared.domain.turn import Hook
from shared.engine.hooks import AfterTurn, HookHandler
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.ports.conversation_documents import View
from shared.safety.screening import ScreenedMessage


@dataclass(frozen=True)
class Turn(Generic[S]):
    """Input of a flow for one turn.

    Attributes:
        state: The snapshot that every agent of the turn reads.
        seq: The number of this turn.
        now: Start of the turn.
        screened: The text with its safety findings; None if another instance received the message.
        received_at: When the message was received, which may be long before the turn; None if unknown.
        declines: The slot that the user declines to fill.
        document_id: The document that the message asks about; None leaves it to the conversation.
    """

    state: S
    seq: int
    message_id: MessageId
    text: str
    now: datetime
    runner: AgentRunner
    scope: Scope
    screened: ScreenedMessage | None = None
    received_at: datetime | None = None
    declines: str | None = None
    document_id: str | None = None

    @property
    def answers(self) -> bool:
        """Whether the message was sent after the newest reply, so that it can be an answer to it."""
        replies = (message.created_at for message in reversed(self.state.recent) if message.role is Role.COUNSELOR)
        replied = next(replies, None)
        return self.received_at is None or replied is None or self.received_at >= replied


@dataclass(frozen=True)
class Outcome(Generic[S]):
    """Result of a turn.

    Attributes:
        fixed: The parts of the reply that code worded, verbatim and in order; a reply that no model made is one part.
        directive: The plan of the reply, for the ledger.
        flags: For the client: `degraded`, `crisis`, …
        flow: Name of the service that answered; "" means the one in which the conversation was opened.
    """

    reply: str
    events: Sequence[Event[S]] = ()
    records: Sequence[Record] = ()
    audit: Sequence[AuditEntry] = ()
    hooks: Sequence[Hook] = ()
    flags: Sequence[str] = ()
    fixed: tuple[str, ...] = ()
    directive: dict[str, JsonValue] | None = None
    flow: str = ""


class Flow(Protocol[S]):
    """A service's turn: orders its agents and branches between them."""

    async def run(self, turn: Turn[S]) -> Outcome[S]:
        """Run one turn; model failures are never raised."""
        ...

    def apologize(self, turn: Turn[S]) -> Outcome[S]:
        """Return the apology for a turn that failed; needs no model and never fails."""
        ...


@dataclass(frozen=True)
class Manifest(Generic[S]):
    """Registration of a service.

    Attributes:
        claims: Tells from the text alone whether the user wants this service.
        mid_flow: Tells whether the service waits for the user, so that the next message is an answer to it.
        hook_handlers: Server-side handlers by hook type; no other service handles the same type.
        after_turn: Run after every committed turn, whichever service answered.
    """

    name: str
    flow: Flow[S]
    claims: Callable[[str], bool] | None = None
    mid_flow: Callable[[S], bool] | None = None
    hook_handlers: Mapping[str, HookHandler[S]] = field(default_factory=dict)
    after_turn: Sequence[AfterTurn[S]] = ()


class ServicePolicy(ABC, Generic[S]):
    """What the engine needs to know about a service's conversations."""

    @abstractmethod
    def view(self, state: S) -> View:
        """Return the client's view; its `state_snapshot` is part of every `done` event."""

    @abstractmethod
    def due(self, state: S) -> Sequence[TaskPayload]:
        """Return the background work that is due after a turn."""

    @abstractmethod
    def overdue(self, state: S) -> Sequence[TaskPayload]:
        """Return work for the sweep: due work, and work that a missed event should have started."""
