"""What a turn costs in Firestore: operations as they are billed, and time, on the emulator."""

import os
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from functions.chat.composition import compose
from functions.chat.parts import Platform
from functions.planner.transitions import carry_out
from local.background import inner_door
from local.emulators.firestore import FirestoreEmulator
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.adapters.firestore.operations import CountedDatabase, Operations
from shared.adapters.gemini import GeminiConnection, GeminiLanguageModel
from shared.adapters.system_clock import RandomIds, SystemClock
from shared.config.agents import agent_settings
from shared.config.settings import LocalSettings, ModelAccess
from shared.content.catalogue import content
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.session import Session
from shared.domain.errors import ConfigError
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.domain.turn import TurnRecord
from shared.engine.jobs import CreatedDocument
from shared.engine.model_health import ModelHealth
from shared.engine.watched_model import WatchedModel
from shared.ports.identity import Caller
from shared.services.counseling.job_context import CounselingJobContext
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.load.figures import Figure, median, percentile, progress
from tests.support.chat_client import Person
from tests.support.emulators import new_project
from tests.support.first_session import BETWEEN, PART_1, PART_2
from tests.support.simulator import Simulator

GOAL_READS, GOAL_WRITES, GOAL_COMMITS, GOAL_P50_MS = 2, 8, 2, 40
WARM_UP = PART_1
"""A Part of turns, for the emulator's just-in-time compiler."""
ROWS = (
    "Firestore documents read by a turn, max",
    "Firestore documents written by a turn, max",
    "Firestore commits of a turn, max",
)
COMPLETION = "TaskCovered"
OVERHEAD = "own overhead with HTTP and both commits, Firestore emulator, p50"


@dataclass
class Spent:
    """What turns cost.

    Attributes:
        plain: Operations of each turn that completed no task.
        completing: Of each turn that did.
        leaving: Of each turn that led out of a Part, with its last task.
        own_ms: Wall time of each turn without its waiting for the model.
    """

    plain: list[Operations] = field(default_factory=list)
    completing: list[Operations] = field(default_factory=list)
    leaving: list[Operations] = field(default_factory=list)
    own_ms: list[float] = field(default_factory=list)


class AnyToken:
    """`Identity`: the token is the user's id."""

    async def verify(self, token: str) -> Caller:
        """Believe it."""
        return Caller(user_id=UserId(token))


@dataclass(frozen=True)
class House:
    """The chat function over a counted database, and what does the planner's work between two turns, uncounted."""

    person: Person
    counted: CountedDatabase
    store: DocumentConversationStore[Session]
    bench: CounselingJobContext

    async def talk(self, spent: Spent) -> None:
        """Hold one scripted first session into Part 2."""
        conversation = await self.person.open()
        for line in (*PART_1, BETWEEN, *PART_2):
            before, began = self.counted.done, time.perf_counter()
            reply = await self.person.say(conversation.id, line.text)
            wall = (time.perf_counter() - began) * 1000
            operations = self.counted.done.since(before)
            turn = await self._ledger(conversation.id, reply["message_id"])
            spent.own_ms.append(wall - (turn.total_ms - turn.overhead_ms))
            planning = reply["state_snapshot"]["plan_status"] == "planning"
            completing = spent.completing if COMPLETION in turn.events else spent.plain
            (spent.leaving if planning else completing).append(operations)
            if planning:
                identifier = ConversationId(conversation.id)
                await carry_out(self.bench, CreatedDocument(identifier, PartTransition.collection, "1-2"))

    async def _ledger(self, conversation_id: str, message_id: str) -> TurnRecord:
        turn = await self.store.turn(ConversationId(conversation_id), MessageId(message_id))
        assert turn is not None, "a turn that was answered is not stored"
        return turn


async def operations(simulator: Simulator, sessions: int, home: Path) -> list[Figure]:
    """Measure, with a model that takes no time; without an emulator the rows say why there are no figures."""
    simulator.reset()
    try:
        with FirestoreEmulator(os.environ, home / "firestore.log") as emulator:
            return _figures(await _measured(simulator, emulator, sessions))
    except ConfigError as error:
        return [Figure(row, None, "", None, "–", note=str(error)) for row in (*ROWS, OVERHEAD)]


async def _measured(simulator: Simulator, emulator: FirestoreEmulator, sessions: int) -> Spent:
    spent = Spent()
    async with _house(simulator, emulator) as house:
        warm = await house.person.open()
        for line in WARM_UP:
            await house.person.say(warm.id, line.text)
        for number in range(sessions):
            progress(f"operations: session {number + 1} of {sessions}")
            await house.talk(spent)
    return spent


@asynccontextmanager
async def _house(simulator: Simulator, emulator: FirestoreEmulator) -> AsyncGenerator[House, None]:
    async with AsyncExitStack() as stack:
        database = FirestoreDocumentDatabase.connect(new_project(), emulator=emulator.address)
        stack.push_async_callback(database.aclose)
        model = GeminiLanguageModel(
            GeminiConnection.model_validate({"api_key": "bench", "base_url": simulator.address})
        )
        stack.push_async_callback(model.aclose)
        counted = CountedDatabase(database)
        settings, access, clock = LocalSettings.read({}), ModelAccess.read({}), SystemClock()
        platform = Platform(
            store=DocumentConversationStore(counted, Session),
            queue=MemoryTaskQueue(),
            identity=AnyToken(),
            model=WatchedModel(model, ModelHealth(clock)),
            clock=clock,
            ids=RandomIds(),
            door=inner_door(settings.project),
        )
        parts = compose(platform, settings, access)
        await parts.warm()
        transport = httpx.ASGITransport(app=parts.app)
        headers = {"Authorization": "Bearer person"}
        http = httpx.AsyncClient(transport=transport, base_url="http://chat", headers=headers, timeout=60)
        await stack.enter_async_context(http)
        stack.push_async_callback(parts.turns.drain, 10)
        store = DocumentConversationStore(database, Session)
        bench = CounselingJobContext.over(store, content(), model, agent_settings(), clock)
        yield House(person=Person(http, "person"), counted=counted, store=store, bench=bench)


def _figures(spent: Spent) -> list[Figure]:
    kinds = {"plain": spent.plain, "with a task completed": spent.completing, "into Part 2": spent.leaving}
    turns = ", ".join(f"{len(found)} {kind}" for kind, found in kinds.items())
    how = f"counted by the adapter over scripted first sessions; turns: {turns}"

    def row(name: str, goal: int, count: Callable[[Operations], int]) -> Figure:
        most = {kind: max(map(count, found)) for kind, found in kinds.items() if found}
        return Figure(
            name, max(most.values()), "", goal, how, note=", ".join(f"{kind} {n}" for kind, n in most.items())
        )

    reads, writes, commits = ROWS
    wall = "client's wall time − the ledger's waiting for the model; client, function and simulator in two processes"
    return [
        row(reads, GOAL_READS, lambda one: one.reads),
        row(writes, GOAL_WRITES, lambda one: one.writes),
        row(commits, GOAL_COMMITS, lambda one: one.commits),
        Figure(
            OVERHEAD,
            median(spent.own_ms),
            " ms",
            GOAL_P50_MS,
            wall,
            note=f"p95 {percentile(spent.own_ms, 95):.0f} ms",
        ),
    ]
