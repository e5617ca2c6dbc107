"""One run: let clients talk while things go wrong, wait until it is quiet, check."""

import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.domain.counseling.session import Session
from tests.chaos.checks import Quiet, check, until_quiet
from tests.chaos.clients import Client, Talk, Who
from tests.chaos.doors import Doors, new_client
from tests.chaos.faults import STAGED, Faults
from tests.chaos.findings import Finding, Record
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

    def logs(self) -> list[Path]:
        """Return the files that the functions have written to."""
        parts = Path(self.household.parts()["logs"])
        return [*(parts / f"{name}.log" for name in FUNCTIONS), *self.staged.logs()]

    @property
    def addresses(self) -> dict[str, str]:
        """Of the chat instances."""
        return {"chat": self.household.chat, STAGED: self.staged.address}


async def chaos(plan: Schedule, household: Emulated, simulator: Simulator, quiet_s: float) -> Record:
    """Run a schedule over a household that already runs, and return what was done and found.

    Args:
        plan: What to do.
        household: One chat instance and all the rest.
        simulator: The household's model; healthy at the end.
        quiet_s: So long the background work may take after the last fault.
    """
    record = Record()
    async with _second_instance(household, simulator, record) as staged, AsyncExitStack() as stack:
        stage = Stage(household, simulator, staged)
        logs = {log: log.stat().st_size for log in stage.logs()}
        talks: list[Talk] = []
        end = time.monotonic() + plan.seconds
        faults = Faults(stage.household, stage.simulator, stage.staged, record)
        users = [await _user(stage, stack, record, end) for _ in plan.visits]
        clients = [Client(who, doors, record, talks, faults.kill) for who, doors in users]
        _tell(f"{len(plan.disturbances)} disturbances, {plan.seconds:g} s")
        visiting = [client.visit_until(visits, end) for client, visits in zip(clients, plan.visits, strict=True)]
        await asyncio.gather(faults.run(plan.disturbances, plan.seconds), *visiting)
        await _check(stage, record, talks, quiet_s)
        _search_for_traces(stage, logs, record)
    return record


@asynccontextmanager
async def household_of(plan: Schedule, home: Path) -> AsyncIterator[tuple[Emulated, Simulator]]:
    """Run the emulators as rudely as a schedule has it."""
    rude = {"CBOT_DELIVERY_COPIES": str(plan.copies), "CBOT_DELIVERY_NEWEST_FIRST": str(int(plan.newest_first))}
    simulator = await asyncio.to_thread(ForkedSimulator(home, ttft_ms=20, token_ms=1).start)
    try:
        access = {"GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": simulator.address}
        household = Emulated(home, **access, **rude, **IMPATIENT)
        try:
            await asyncio.to_thread(household.start)
            yield household, simulator
        finally:
            await asyncio.to_thread(household.end)
    finally:
        await asyncio.to_thread(simulator.end)


async def _user(stage: Stage, stack: AsyncExitStack, record: Record, end: float) -> tuple[Who, Doors]:
    async with signed_in(stage.household.address, api=stage.household.chat) as person:
        who = Who(person.uid, person.http.headers["Authorization"].removeprefix("Bearer "))
    http = await stack.enter_async_context(new_client(who.token))
    return who, Doors(http, stage.addresses, record, end + PATIENCE_S)


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
        _tell(f"{len(talks)} conversations were opened; waiting until no work is due")
        await until_quiet(quiet, talks, quiet_s)
        _tell("checking")
        await check(quiet, talks)


def _tell(text: str) -> None:
    """Tell on stderr what is going on."""
    print(f"chaos: {text}", file=sys.stderr, flush=True)


def _search_for_traces(stage: Stage, searched: dict[Path, int], record: Record) -> None:
    """Look for stack traces in what the functions logged; people's words are searched for when they end."""
    for log in stage.logs():
        text = log.read_bytes()[searched.get(log, 0) :].decode("utf-8", "replace")
        record.found += [Finding(8, "a stack trace in a log", log.name) for _ in _TRACE.finditer(text)]


@asynccontextmanager
async def _second_instance(household: Emulated, simulator: Simulator, record: Record) -> AsyncIterator[ChatInstance]:
    """Run `chat` as deployed beside the household's; at the end what it logged is searched for what people said."""
    staged = await asyncio.to_thread(ChatInstance, household, simulator, "chaos.log", limits=False)
    try:
        assert await asyncio.to_thread(staged.start_again), staged.said[-4000:]
        yield staged
    finally:
        try:
            await asyncio.to_thread(staged.end)
        except AssertionError as error:
            record.broken(8, "words of a user in a log", str(error).splitlines()[0])
