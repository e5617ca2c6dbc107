"""A small service on the engine: one flow that answers `re: …`, one house, and instances over one database."""

import asyncio
from collections.abc import AsyncIterator

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.contracts.chat import RiskView, StateSnapshot
from shared.contracts.events import Done, Failed, Token
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import RETENTION, ConversationState, Message, Role
from shared.domain.event import Event
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.engine.admission import Admission, Incoming, Limits
from shared.engine.event_stream import EventStream
from shared.engine.flow import Outcome, ServicePolicy
from shared.engine.hooks import Hooks
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.engine.turn_worker import TurnWorker
from shared.engine.turns import Turns
from shared.locale import Locale
from shared.ports.conversation_documents import View
from shared.safety.crisis import Finding
from shared.safety.levels import CrisisOutcome
from shared.safety.screening import ScreenedMessage
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

CONVERSATION = ConversationId("c1")
USER = UserId("u1")


class Heard(Event[ConversationState]):
    """A word was heard; all words stand in the summary, in order."""

    word: str

    def apply(self, state, at):
        return state.model_copy(update={"summary_text": f"{state.summary_text}[{self.word}]"})


class SmallHouse(ServicePolicy[ConversationState]):
    """Views that fit the wire; work is due when a test says so."""

    def __init__(self):
        self.due_kinds = []

    def view(self, state):
        shown = {"status": "active", "part": 1, "task": None, "module": "m", "progress": 0, "plan_status": "none"}
        snapshot = StateSnapshot(**shown, wrap_up=None, risk=RiskView(level="none"))
        taken = ("conversation_id", "user_id", "created_at", "updated_at", "expire_at")
        return View(
            **{name: getattr(state, name) for name in taken},
            title="",
            status="active",
            part=1,
            progress=0,
            last_message=state.recent[-1].text if state.recent else "",
            state_snapshot=snapshot.model_dump(mode="json"),
        )

    def due(self, state):
        of = {"conversation_id": state.conversation_id, "seq": state.seq, "state_version": state.state_version}
        return [TaskPayload(kind=kind, **of) for kind in self.due_kinds]

    def overdue(self, state):
        return self.due(state)


class SmallFlow:
    """Answers `re: <text>`; a test may `hold` it, break it by an `error`, or have another `outcome` made."""

    def __init__(self):
        self.runs = []
        self.seen = []
        self.reached = asyncio.Event()
        self.hold = None
        self.error = None
        self.outcome = None

    async def run(self, turn):
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

    def apologize(self, turn):
        return Outcome(reply="sorry", flags=("degraded",))


class SmallService:
    """One database with one conversation, and as many instances over it as a test starts."""

    def __init__(self, database=None, limits=None):
        self.clock = SettableClock()
        self.database = database or MemoryDocumentDatabase()
        self.store = DocumentConversationStore(self.database, ConversationState)
        self.queue = MemoryTaskQueue()
        self.policy = SmallHouse()
        self.flow = SmallFlow()
        self.model = ScriptedModel()
        self.limits = limits or Limits()
        self.patience = 1
        self.terms = {}

    async def open(self, **more):
        now = self.clock.now()
        plain = {"conversation_id": CONVERSATION, "user_id": USER, "consents": {}, "age_band": "adult", "flow": "small"}
        times = {"created_at": now, "updated_at": now, "expire_at": now + RETENTION}
        state = ConversationState.model_validate(plain | times | more)
        greeting = Message(seq=0, role=Role.COUNSELOR, text="hello", created_at=now)
        await self.store.create(state, greeting, self.policy.view(state))

    def instance(self, owner="one", *, flow=None, store=None, settings=None, capacity=None, after_turn=()):
        """Start an instance; it may have a flow or a view of the store of its own."""
        runner = AgentRunner(self.model, settings or {}, self.clock, patience=self.patience)
        over = store or self.store
        hooks = Hooks(after_turn=after_turn)
        worker = TurnWorker(
            over, self.queue, flow or self.flow, self.policy, runner, lambda *told: told[2], None, hooks
        )
        admission = Admission(over, self.clock, self.limits, owner, self.terms, capacity=capacity)
        return Turns(over, admission, worker, self.clock, owner)

    async def state(self):
        return (await self._stored()).session.state

    async def mailbox(self):
        return (await self._stored()).mailbox

    async def inbox(self):
        return tuple(waiting.message_id for waiting in (await self.mailbox()).box.inbox)

    async def _stored(self):
        snapshot = await self.store.load(CONVERSATION)
        assert snapshot is not None
        return snapshot

    async def history(self):
        return [entry.text for entry in await self.store.messages(CONVERSATION, 0, 100)]


def incoming(message_id="m1", text="hi", user=USER):
    return Incoming(UserId(user), CONVERSATION, MessageId(message_id), text)


def scope_of(clock, seconds=45.0, emit=None):
    """Return a scope that ends so many seconds from now."""
    more = {} if emit is None else {"emit": emit}
    return Scope(locale=Locale.KO, deadline=clock.monotonic() + seconds, **more)


PRESSING = ScreenedMessage(crisis=Finding(outcome=CrisisOutcome.CRISIS, rule_ids=("r",)))
"""The screening of a message that the protocol answers."""


class FailingStore:
    """A store of which one method raises these errors, one after another, before it works.

    Attributes:
        errors: Those that are still to come.
        calls: How often the method was called.
    """

    def __init__(self, store: object, method: str, *errors: Exception) -> None:
        self._store = store
        self.errors = list(errors)
        self.calls = 0

        async def call(*args: object, **more: object) -> object:
            self.calls += 1
            if self.errors:
                raise self.errors.pop(0)
            return await getattr(store, method)(*args, **more)

        setattr(self, method, call)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


async def ended(stream: EventStream) -> Done | Failed:
    async with asyncio.timeout(10):
        return await stream.end()


async def answered(turns: Turns, *message: str) -> Done | Failed:
    """Send a message and wait for its end."""
    return await ended(await turns.submit(incoming(*message)))


async def heard(stream: EventStream, behind: int = -1) -> AsyncIterator[list[object]]:
    """Return every event of a stream with its number."""
    async with asyncio.timeout(10):
        return [entry async for entry in stream.listen(behind)]
