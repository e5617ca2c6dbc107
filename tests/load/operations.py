"""The cost of a turn in Firestore: billed operations, and time, on the emulator."""

import os
import time
from collections import defaultdict
from pathlib import Path

from functions.planner.transitions import carry_out
from local.emulators.firestore import FirestoreEmulator
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.adapters.system_clock import SystemClock
from shared.config.settings import LocalSettings
from shared.content.catalogue import content
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.session import Session
from shared.domain.errors import ConfigError
from shared.domain.ids import ConversationId, MessageId
from shared.engine.jobs import CreatedDocument
from shared.engine.runner import AgentRunner
from shared.services.counseling.job_context import CounselingJobContext
from tests.builders.composed import chat_over, client_of, model_at
from tests.builders.first_session import BETWEEN, PART_1, PART_2
from tests.builders.shipped_settings import agent_settings
from tests.load.figures import Figure, median, percentile, progress
from tests.support.chat_client import Person
from tests.support.counted_database import CountedDatabase, Operations
from tests.support.emulators import new_project
from tests.support.simulator import Simulator

GOALS = {"reads": ("documents read by", 2), "writes": ("documents written by", 8), "commits": ("commits of", 2)}
"""At most so many in a turn."""
ROWS = {count: f"Firestore {what} a turn, max" for count, (what, _) in GOALS.items()}
OVERHEAD = "own overhead with HTTP and both commits, Firestore emulator, p50"
GOAL_P50_MS = 40
PLAIN, COMPLETING, LEAVING = "plain", "with a task completed", "into Part 2"


async def operations(simulator: Simulator, sessions: int, home: Path) -> list[Figure]:
    """Measure with an instant model; without an emulator the rows give the reason."""
    simulator.reset()
    try:
        with FirestoreEmulator(os.environ, home / "firestore.log") as emulator:
            return await _measured(simulator, emulator, sessions)
    except ConfigError as error:
        return [Figure(row, None, "", None, "–", note=str(error)) for row in (*ROWS.values(), OVERHEAD)]


async def _measured(simulator: Simulator, emulator: FirestoreEmulator, sessions: int) -> list[Figure]:
    """Run scripted first sessions into Part 2; the planner's work is done between two turns, uncounted."""
    database = FirestoreDocumentDatabase.connect(new_project(), emulator=emulator.address)
    counted, model = CountedDatabase(database), model_at(simulator.address)
    parts = chat_over(counted, model=model, settings=LocalSettings.read({}))
    await parts.warm()
    store = DocumentConversationStore(database, Session)
    jobs = CounselingJobContext.over(store, content(), AgentRunner(model, agent_settings(), SystemClock()))
    spent: defaultdict[str, list[Operations]] = defaultdict(list)
    own_ms = []
    async with client_of(parts, "person") as http:
        person = Person(http, "person")
        warm = await person.open()
        for line in PART_1:  # for the emulator's just-in-time compiler
            await person.say(warm.id, line.client)
        for number in range(sessions):
            progress(f"operations: session {number + 1} of {sessions}")
            conversation = ConversationId((await person.open()).id)
            for line in (*PART_1, BETWEEN, *PART_2):
                before, began = counted.done, time.perf_counter()
                reply = await person.say(conversation, line.client)
                wall = (time.perf_counter() - began) * 1000
                done = counted.done.since(before)
                turn = await store.turn(conversation, MessageId(reply["message_id"]))
                own_ms.append(wall - (turn.total_ms - turn.overhead_ms))
                planning = reply["state_snapshot"]["plan_status"] == "planning"
                spent[LEAVING if planning else COMPLETING if "TaskCovered" in turn.events else PLAIN].append(done)
                if planning:
                    await carry_out(jobs, CreatedDocument(conversation, PartTransition.collection, "1-2"))
    await parts.turns.drain(10)
    await model.aclose()
    await database.aclose()
    return _figures(spent, own_ms)


def _figures(spent: dict[str, list[Operations]], own_ms: list[float]) -> list[Figure]:
    turns = ", ".join(f"{len(found)} {kind}" for kind, found in spent.items())
    how = f"counted by the adapter over scripted first sessions; turns: {turns}"
    figures = []
    for count, (_, goal) in GOALS.items():
        most = {kind: max(getattr(one, count) for one in found) for kind, found in spent.items()}
        note = ", ".join(f"{kind} {n}" for kind, n in most.items())
        figures.append(Figure(ROWS[count], max(most.values()), "", goal, how, note=note))
    wall = "client's wall time − the ledger's waiting for the model; client, function and simulator in two processes"
    p95 = f"p95 {percentile(own_ms, 95):.0f} ms"
    return [*figures, Figure(OVERHEAD, median(own_ms), " ms", GOAL_P50_MS, wall, note=p95)]
