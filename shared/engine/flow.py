"""What a service gives the engine: a flow that runs one turn, and a manifest that names it."""

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
    """One turn as a flow sees it.

    Attributes:
        state: The one snapshot that every agent of the turn sees.
        seq: The number this turn will have.
        now: When the turn began.
        screened: The text with what the safety rules found in it; None where it came in at another instance.
        received_at: When the message came, which may be long before the turn; None where that is not known.
        declines: What the client said that its user does not want to tell, beside the text; the flow knows the name.
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

    @property
    def answers(self) -> bool:
        """Whether the newest reply stood there when the message came: one sent before it is no answer to it."""
        replies = (message.created_at for message in reversed(self.state.recent) if message.role is Role.COUNSELOR)
        replied = next(replies, None)
        return self.received_at is None or replied is None or self.received_at >= replied


@dataclass(frozen=True)
class Outcome(Generic[S]):
    """What a turn found and says.

    Attributes:
        directive: The plan of the reply, for the ledger.
        flags: For the client: `degraded`, `crisis`, …
        flow: The flow that ran, for the ledger; the engine fills it in.
    """

    reply: str
    events: Sequence[Event[S]] = ()
    records: Sequence[Record] = ()
    audit: Sequence[AuditEntry] = ()
    hooks: Sequence[Hook] = ()
    flags: Sequence[str] = ()
    directive: dict[str, JsonValue] | None = None
    flow: str = ""


class Flow(Protocol[S]):
    """A service's turn: the only place that orders its agents and branches between them."""

    async def run(self, turn: Turn[S]) -> Outcome[S]:
        """Run one turn; model failures never leave it."""
        ...

    def apologize(self, turn: Turn[S]) -> Outcome[S]:
        """Return the honest outcome of a turn that broke; needs no model and does not fail."""
        ...


@dataclass(frozen=True)
class Manifest(Generic[S]):
    """A service as it is registered.

    Attributes:
        claims: A rule that tells from the words alone that this flow is meant.
        hook_handlers: Server-side handlers by hook type.
    """

    name: str
    flow: Flow[S]
    claims: Callable[[str], bool] | None = None
    hook_handlers: Mapping[str, HookHandler[S]] = field(default_factory=dict)
    after_turn: Sequence[AfterTurn[S]] = ()


class ServicePolicy(ABC, Generic[S]):
    """What the engine must know of the conversation that all flows share."""

    @abstractmethod
    def view(self, state: S) -> View:
        """Return the client's view; its `state_snapshot` goes into every `done` (seed 004, rule 3)."""

    @abstractmethod
    def due(self, state: S) -> Sequence[TaskPayload]:
        """Return the background work that is due after a turn."""

    @abstractmethod
    def overdue(self, state: S) -> Sequence[TaskPayload]:
        """Return the work to make up for when no turn comes: what is due, and what an event should have done."""
