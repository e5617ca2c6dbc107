"""One run: let clients talk while things go wrong, wait until it is quiet, check."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.domain.counseling.session import Session
from tests.chaos.checks import RunState, check, until_quiet
from tests.chaos.clients import Client, Talk
from tests.chaos.doors import RetryingClient
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
IMPATIENT = {
    f"CBOT_SWEEP_{name}SECONDS": seconds
    for name, seconds in {"": "1", "GRACE_": "2", "PATIENCE_": "5", "PAUSE_": "2"}.items()
}
"""Work whose attempts are used up is enqueued again within 192 s, the longest pause."""
FUNCTIONS = ("chat", "supervisor", "planner", "session_manager")


async def chaos(plan: Schedule, emulated: Emulated, simulator: Simulator, quiet_s: float) -> Record:
    """Run a schedule over emulators that already run, and return what was done and found.

    Args:
        plan: What to do.
        emulated: One chat instance and all the rest.
        simulator: The emulators' model; healthy at the end.
        quiet_s: So long the background work may take after the last fault.
    """
    record = Record()
    async with _second_instance(emulated, simulator, record) as staged, AsyncExitStack() as stack:

        def logs() -> list[Path]:
            parts = Path(emulated.parts()["logs"])
            return [*(parts / f"{name}.log" for name in FUNCTIONS), *staged.logs()]

        searched = {log: log.stat().st_size for log in logs()}
        talks: list[Talk] = []
        end = time.monotonic() + plan.seconds
        faults = Faults(emulated, simulator, staged, record)
        addresses = {"chat": emulated.chat, STAGED: staged.address}
        clients = []
        for _ in plan.visits:
            async with signed_in(emulated.address, api=emulated.chat) as person:
                token = person.http.headers["Authorization"].removeprefix("Bearer ")
            api = RetryingClient(token, addresses, record, end + PATIENCE_S)
            await stack.enter_async_context(api.http)
            clients.append(Client(api, record, talks, faults.kill))
        _tell(f"{len(plan.disturbances)} disturbances, {plan.seconds:g} s")
        visiting = [client.visit_until(visits, end) for client, visits in zip(clients, plan.visits, strict=True)]
        await asyncio.gather(faults.run(plan.disturbances, plan.seconds), *visiting)
        for client in clients:
            client.api.until = time.monotonic() + CHECKED_WITHIN_S
        await _check(emulated, record, talks, quiet_s)
        for log in logs():  # people's words are searched for when the functions end
            text = log.read_bytes()[searched.get(log, 0) :].decode("utf-8", "replace")
            for _ in range(text.count("Traceback (most recent call last)")):
                record.broken(8, "a stack trace in a log", log.name)
    return record


@asynccontextmanager
async def emulated_for(plan: Schedule, home: Path) -> AsyncIterator[tuple[Emulated, Simulator]]:
    """Run the emulators with the deliveries that a schedule asks for."""
    deliveries = {"CBOT_DELIVERY_COPIES": str(plan.copies), "CBOT_DELIVERY_NEWEST_FIRST": str(int(plan.newest_first))}
    async with AsyncExitStack() as stack:
        simulator = await asyncio.to_thread(ForkedSimulator(home, ttft_ms=20, token_ms=1).start)
        stack.push_async_callback(asyncio.to_thread, simulator.end)
        emulated = Emulated(home, **simulator.access, **deliveries, **IMPATIENT)
        stack.push_async_callback(asyncio.to_thread, emulated.end)
        await asyncio.to_thread(emulated.start)
        yield emulated, simulator


async def _check(emulated: Emulated, record: Record, talks: list[Talk], quiet_s: float) -> None:
    project = emulated.parts()["project"]
    database = FirestoreDocumentDatabase.connect(project, emulator=emulated.firestore)
    run = RunState(DocumentConversationStore(database, Session), (emulated.firestore, project), record)
    _tell(f"{len(talks)} conversations were opened; waiting until no work is due")
    await until_quiet(run, talks, quiet_s)
    _tell("checking")
    await check(run, talks)
    await database.aclose()


def _tell(text: str) -> None:
    print(f"chaos: {text}", file=sys.stderr, flush=True)


@asynccontextmanager
async def _second_instance(emulated: Emulated, simulator: Simulator, record: Record) -> AsyncIterator[ChatInstance]:
    """Run `chat` as deployed, over the same emulators; at the end its log is searched for message texts."""
    staged = await asyncio.to_thread(ChatInstance, emulated, simulator, "chaos.log", limits=False)
    try:
        assert await asyncio.to_thread(staged.start_again), staged.said[-4000:]
        yield staged
    finally:
        try:
            await asyncio.to_thread(staged.end)
        except AssertionError as error:
            record.broken(8, "words of a user in a log", str(error).splitlines()[0])
