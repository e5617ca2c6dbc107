"""Carries out the disturbances of a schedule, and repairs every part at the end."""

import asyncio
import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import httpx

from tests.chaos.findings import Record
from tests.chaos.instances import ChatInstance
from tests.chaos.schedule import Disturbance, Kind
from tests.support.emulated import Emulated
from tests.support.polling import until
from tests.support.simulator import Simulator

LOOK_EVERY_S = 0.3
STAGED = "chat_b"


@dataclass
class Faults:
    """The second chat instance is restarted from here, the other parts by their runner."""

    emulated: Emulated
    simulator: Simulator
    staged: ChatInstance
    record: Record
    _frozen: set[int] = field(default_factory=set)
    _over: bool = False

    async def run(self, disturbances: tuple[Disturbance, ...], seconds: float) -> None:
        """Disturb, each at its time; return when the time is over and all runs again."""
        began = time.monotonic()
        keeping = asyncio.create_task(self._keep_staged())

        async def at(moment: float) -> None:
            await asyncio.sleep(max(0.0, began + moment - time.monotonic()))

        async def one(disturbance: Disturbance) -> None:
            await at(disturbance.at_s)
            await self._disturb(disturbance)

        await asyncio.gather(*(one(disturbance) for disturbance in disturbances))
        await at(seconds)
        await asyncio.to_thread(self.simulator.heal)
        _send(self._frozen, signal.SIGCONT)
        await self._control("release")
        self._over = True
        await keeping
        await until(lambda: all(self.emulated.parts()["pids"].values()), what="all parts")

    async def kill(self, part: str) -> None:
        """SIGKILL a part for a client that deletes."""
        self.record.did(f"killed while it deletes: {part}")
        _send(await self._pids(part), signal.SIGKILL)

    async def _disturb(self, disturbance: Disturbance) -> None:
        target, fault = disturbance.target, disturbance.fault
        what = fault or f"for {disturbance.for_s:g} s" if disturbance.for_s or fault else ""
        self.record.did(f"disturbed: {disturbance.kind} {target} {what}".rstrip())
        match disturbance.kind:
            case Kind.KILL:
                _send(await self._pids(target), signal.SIGKILL)
            case Kind.TERMINATE:  # the first process alone, as the platform does
                _send((await self._pids(target))[:1], signal.SIGTERM)
            case Kind.FREEZE:
                pids = await self._pids(target)
                self._frozen.update(pids)
                _send(pids, signal.SIGSTOP)
                try:
                    await asyncio.sleep(disturbance.for_s)
                finally:
                    _send(pids, signal.SIGCONT)
            case Kind.HOLD:
                await self._control("hold")
                await asyncio.sleep(disturbance.for_s)
                await self._control("release")
            case Kind.OUTAGE:  # other faults that wait are lost when the model is healed
                await asyncio.to_thread(self.simulator.fault, fault, target)
                await asyncio.sleep(disturbance.for_s)
                await asyncio.to_thread(self.simulator.heal)
            case Kind.MODEL:
                await asyncio.to_thread(self.simulator.fault, fault, target, times=disturbance.times)

    async def _pids(self, part: str) -> list[int]:
        """Return a part's processes, the first one first; none while it is down."""
        if part == STAGED:
            return self.staged.pids()
        pid = await asyncio.to_thread(self.emulated.pid_of, part)
        return [pid] if pid is not None else []

    async def _control(self, what: str) -> None:
        """Hold or release deliveries; their process may be down just now."""
        with suppress(httpx.TransportError, AssertionError):
            await asyncio.to_thread(self.emulated.control, what)

    async def _keep_staged(self) -> None:
        """Start the staged instance again whenever it has ended."""
        while not self._over or not self.staged.alive:
            if not self.staged.alive:
                await asyncio.to_thread(self.staged.start_again)
                self.record.did("starts of the staged instance")
            await asyncio.sleep(LOOK_EVERY_S)


def _send(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
