"""A small service on the engine: one flow that answers `re: …`, one house, and instances over one database."""

import asyncio
from collections.abc import Callable, Mapping

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.contracts.chat import RiskView, StateSnapshot
from shared.contracts.events import Token
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.conversation import RETENTION, ConversationState, Message, Role
from shared.domain.event import Event
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.engine.admission import Admission, Incoming, Limits
from shared.engine.capacity import Capacity
from shared.engine.flow import Flow, Manifest, Outcome, ServicePolicy, Turn
from shared.engine.router import FlowRouter
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.engine.turn_worker import TurnWorker
from shared.engine.turns import Turns
from shared.locale import Locale
from shared.ports.conversation_documents import VersionedMailbox, View
from shared.ports.document_database import DocumentDatabase
from shared.ports.model_settings import ModelSettings
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

CONVERSATION = ConversationId("c1")
USER = UserId("u1")


class Heard(Event[ConversationState]):
    """A word was heard; all words stand in the summary, in order."""

    word: str

    def apply(self, state: ConversationState, at: object) -> ConversationState:
        return state.model_copy(update={"summary_text": f"{state.summary_text}[{self.word}]"})


class SmallHouse(ServicePolicy[ConversationState]):
    """Views that fit the wire; work is due when a test says so."""

    def __init__(self) -> None:
        self.due_kinds: list[JobKind] = []

    def view(self, state: ConversationState) -> View:
        snapshot = StateSnapshot(
            status="active",
            part=1,
            task=None,
            module="m",
            progress=0,
            plan_status="none",
            wrap_up=None,
            risk=RiskView(level="none"),
        )
        return View(
            conversation_id=state.conversation_id,
            user_id=state.user_id,
            title="",
            status="active",
            part=1,
            progress=0,
            last_message=state.recent[-1].text if state.recent else "",
            created_at=state.created_at,
            updated_at=state.updated_at,
            expire_at=state.expire_at,
            state_snapshot=snapshot.model_dump(mode="json"),
        )

    def due(self, state: ConversationState) -> list[TaskPayload]:
        return [
            TaskPayload(
                conversation_id=state.conversation_id, kind=kind, seq=state.seq, state_version=state.state_version
            )
            for kind in self.due_kinds
        ]

    def overdue(self, state: ConversationState) -> list[TaskPayload]:
        return self.due(state)


class SmallFlow:
    """Answers `re: <text>`; a test may hold it, break it, or do something while it runs.

    Attributes:
        runs: The texts it was run with.
        reached: Set as soon as it runs.
        hold: What it waits for, when there is something.
        error: Raised instead of an answer.
        outcome: Makes another outcome.
    """

    def __init__(self) -> None:
        self.runs: list[str] = []
        self.seen: list[ConversationState] = []
        self.reached = asyncio.Event()
        self.hold: asyncio.Event | None = None
        self.error: BaseException | None = None
        self.outcome: Callable[[Turn[ConversationState]], Outcome[ConversationState]] | None = None

    async def run(self, turn: Turn[ConversationState]) -> Outcome[ConversationState]:
        self.runs.append(turn.text)
        self.seen.append(turn.state)
        self.reached.set()
        turn.scope.emit(Token(text="re: "))
        if self.hold is not None:
            await self.hold.wait()
        await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        turn.scope.ledger.ruled("small", turn.text, "always")
        if self.outcome is not None:
            return self.outcome(turn)
        turn.scope.emit(Token(text=turn.text))
        return Outcome(reply=f"re: {turn.text}", events=(Heard(word=turn.text),))

    def apologize(self, turn: Turn[ConversationState]) -> Outcome[ConversationState]:
        return Outcome(reply="sorry", flags=("degraded",))


class SmallService:
    """One database with one conversation, and as many instances over it as a test starts."""

    def __init__(self, database: DocumentDatabase | None = None, limits: Limits | None = None) -> None:
        self.clock = SettableClock()
        self.database = database or MemoryDocumentDatabase()
        self.store = DocumentConversationStore(self.database, ConversationState)
        self.queue = MemoryTaskQueue()
        self.policy = SmallHouse()
        self.flow = SmallFlow()
        self.model = ScriptedModel()
        self.limits = limits or Limits()
        self.terms: dict[str, str] = {}

    async def open(self, **more: object) -> None:
        """Create the conversation `c1` of user `u1`."""
        now = self.clock.now()
        state = ConversationState.model_validate(
            {
                "conversation_id": CONVERSATION,
                "user_id": USER,
                "consents": {},
                "age_band": "adult",
                "flow": "small",
                "created_at": now,
                "updated_at": now,
                "expire_at": now + RETENTION,
                **more,
            }
        )
        greeting = Message(seq=0, role=Role.COUNSELOR, text="hello", created_at=now)
        await self.store.create(state, greeting, self.policy.view(state))

    def instance(
        self,
        owner: str = "one",
        *,
        flow: Flow[ConversationState] | None = None,
        name: str = "small",
        store: object = None,
        settings: Mapping[str, ModelSettings] | None = None,
        capacity: Capacity | None = None,
        **manifest: object,
    ) -> Turns[ConversationState]:
        """Start an instance; it may have a flow or a view of the store of its own."""
        runner = AgentRunner(self.model, settings or {}, self.clock)
        router = FlowRouter([Manifest(name=name, flow=flow or self.flow, **manifest)])
        over = store or self.store
        worker = TurnWorker(over, self.queue, router, self.policy, runner, lambda *told: told[2])
        admission = Admission(over, self.clock, self.limits, owner, self.terms, capacity=capacity)
        return Turns(over, admission, worker, self.clock, owner)

    async def state(self) -> ConversationState:
        """Return the state as stored."""
        snapshot = await self.store.load(CONVERSATION)
        assert snapshot is not None
        return snapshot.session.state

    async def inbox(self) -> tuple[MessageId, ...]:
        """Return the messages that wait, as stored."""
        return tuple(waiting.message_id for waiting in (await self.mailbox()).box.inbox)

    async def mailbox(self) -> VersionedMailbox:
        """Return the mailbox as stored."""
        snapshot = await self.store.load(CONVERSATION)
        assert snapshot is not None
        return snapshot.mailbox

    async def history(self) -> list[str]:
        """Return the texts of the history behind the greeting."""
        return [entry.text for entry in await self.store.messages(CONVERSATION, 0, 100)]


def incoming(message_id: str = "m1", text: str = "hi", user: str = USER) -> Incoming:
    return Incoming(UserId(user), CONVERSATION, MessageId(message_id), text)


def scope_of(clock: SettableClock, seconds: float = 45.0, emit: Callable[..., None] | None = None) -> Scope:
    """Return a scope that ends so many seconds from now."""
    more = {} if emit is None else {"emit": emit}
    return Scope(locale=Locale.KO, deadline=clock.monotonic() + seconds, **more)
