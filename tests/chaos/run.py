"""One run: start all, let clients talk while things go wrong, wait until it is quiet, check."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.domain.counseling.session import Session
from tests.chaos.checks import Quiet, check, until_quiet
from tests.chaos.clients import Client, Talk
from tests.chaos.doors import Doors, new_client
from tests.chaos.faults import STAGED, Faults
from tests.chaos.findings import Record
from tests.chaos.instances import ChatInstance
from tests.chaos.schedule import Schedule
from tests.support.chat_client import signed_in
from tests.support.emulated import Emulated
from tests.support.forked import ForkedSimulator
from tests.support.simulator import Simulator

PATIENCE_S = 60.0
"""So long clients try again after the last fault."""
CHECKED_WITHIN_S = 600.0
IMPATIENT = {"CBOT_SWEEP_SECONDS": "1", "CBOT_SWEEP_GRACE_SECONDS": "2", "CBOT_SWEEP_PATIENCE_SECONDS": "5"}
FUNCTIONS = ("chat", "supervisor", "planner", "session_manager")
_TRACE = re.compile(r"Traceback \(most recent call last\)")


@dataclass(frozen=True)
class Stage:
    """What runs."""

    household: Emulated
    simulator: Simulator
    staged: ChatInstance

    @property
    def addresses(self) -> dict[str, str]:
        """Of the chat instances."""
        return {"chat": self.household.chat, STAGED: self.staged.address}


async def chaos(plan: Schedule, home: Path, quiet_s: float) -> Record:
    """Run a schedule, and return what was done and found."""
    record = Record()
    async with _stage(plan, home, record) as stage, AsyncExitStack() as stack:
        talks: list[Talk] = []
        began = time.monotonic()
        end = began + plan.seconds
        clients = [await _client(stage, stack, record, talks, end) for _ in plan.visits]
        faults = Faults(stage.household, stage.simulator, stage.staged, record)
        visiting = [client.visit_until(visits, end) for client, visits in zip(clients, plan.visits, strict=True)]
        await asyncio.gather(faults.run(plan.disturbances, plan.seconds), *visiting)
        await _check(stage, record, talks, quiet_s)
        _search_for_traces(stage, record)
    return record


async def _client(stage: Stage, stack: AsyncExitStack, record: Record, talks: list[Talk], end: float) -> Client:
    async with signed_in(stage.household.address, api=stage.household.chat) as person:
        uid, token = person.uid, person.http.headers["Authorization"].removeprefix("Bearer ")
    http = await stack.enter_async_context(new_client(token))
    doors = Doors(http, stage.addresses, record, end + PATIENCE_S)
    return Client(uid, token, doors, record, talks)


async def _check(stage: Stage, record: Record, talks: list[Talk], quiet_s: float) -> None:
    parts = stage.household.parts()
    database = FirestoreDocumentDatabase.connect(parts["project"], emulator=stage.household.firestore)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(database.aclose)
        until = time.monotonic() + CHECKED_WITHIN_S
        clients = {
            token: Doors(await stack.enter_async_context(new_client(token)), stage.addresses, record, until)
            for token in {talk.token for talk in talks}
        }
        store = DocumentConversationStore(database, Session)
        quiet = Quiet(store, clients.__getitem__, (stage.household.firestore, parts["project"]), record)
        await until_quiet(quiet, talks, quiet_s)
        await check(quiet, talks)


def _search_for_traces(stage: Stage, record: Record) -> None:
    """Look for stack traces in what the functions logged; people's words are searched for when they end."""
    logs = [Path(stage.household.parts()["logs"]) / f"{name}.log" for name in FUNCTIONS]
    for log in [*logs, *stage.staged.logs()]:
        text = log.read_text("utf-8", errors="replace")
        for found in _TRACE.finditer(text):
            record.broken(8, "a stack trace in a log", f"{log.name}:{text.count(chr(10), 0, found.start()) + 1}")


@asynccontextmanager
async def _stage(plan: Schedule, home: Path, record: Record) -> AsyncIterator[Stage]:
    """Start all; at the end what was logged is searched for what people said."""
    rude = {"CBOT_DELIVERY_COPIES": str(plan.copies), "CBOT_DELIVERY_NEWEST_FIRST": str(int(plan.newest_first))}
    simulator = await asyncio.to_thread(ForkedSimulator(home, ttft_ms=20, token_ms=1).start)
    access = {"GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": simulator.address}
    household = Emulated(home, **access, **rude, **IMPATIENT)
    processes: list[Emulated | ChatInstance | Simulator] = [simulator]
    try:
        processes.insert(0, await asyncio.to_thread(household.start))
        staged = ChatInstance(household, simulator, "chaos.log", limits=False)
        processes.insert(0, staged)
        assert await asyncio.to_thread(staged.start_again), staged.said[-4000:]
        yield Stage(household, simulator, staged)
    finally:
        for process in processes:
            try:
                await asyncio.to_thread(process.end)
            except AssertionError as error:
                record.broken(8, "words of a user in a log, or no orderly end", str(error).splitlines()[0])
