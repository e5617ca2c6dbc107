"""Does to the parts what the schedule says, and makes everything well again at the end."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

import httpx

from tests.chaos.findings import Record
from tests.chaos.instances import ChatInstance
from tests.chaos.schedule import Disturbance, Kind
from tests.support.emulated import Emulated
from tests.support.simulator import Simulator

UP_AGAIN_S = 60.0
LOOK_EVERY_S = 0.3
STAGED = "chat_b"


class Faults:
    """What goes wrong; the second chat instance is started again from here, the other parts by their runner."""

    def __init__(self, household: Emulated, simulator: Simulator, staged: ChatInstance, record: Record) -> None:
        """Take what is to be disturbed."""
        self._household = household
        self._simulator = simulator
        self._staged = staged
        self._record = record
        self._frozen: set[int] = set()
        self._over = False

    async def run(self, disturbances: tuple[Disturbance, ...], seconds: float) -> None:
        """Disturb, each at its time; return when the time is over and all runs again."""
        began = time.monotonic()
        keeping = asyncio.create_task(self._keep_staged())

        async def one(disturbance: Disturbance) -> None:
            await asyncio.sleep(max(0.0, began + disturbance.at_s - time.monotonic()))
            await self._disturb(disturbance)

        await asyncio.gather(*(one(disturbance) for disturbance in disturbances))
        await asyncio.sleep(max(0.0, began + seconds - time.monotonic()))
        await self._heal()
        self._over = True
        await keeping
        await self._all_up()

    async def _disturb(self, disturbance: Disturbance) -> None:
        what = disturbance.fault or f"for {disturbance.for_s:g} s" if disturbance.for_s or disturbance.fault else ""
        self._record.did(f"disturbed: {disturbance.kind} {disturbance.target} {what}".rstrip())
        match disturbance.kind:
            case Kind.KILL:
                await self._signal(disturbance.target, signal.SIGKILL)
            case Kind.TERMINATE:
                await self._signal(disturbance.target, signal.SIGTERM)
            case Kind.FREEZE:
                await self._freeze(disturbance)
            case Kind.HOLD:
                await self._control("hold")
                await asyncio.sleep(disturbance.for_s)
                await self._control("release")
            case Kind.OUTAGE:
                await self._outage(disturbance)
            case Kind.MODEL:
                await asyncio.to_thread(
                    self._simulator.fault, disturbance.fault, disturbance.target, times=disturbance.times
                )

    async def _signal(self, part: str, number: signal.Signals) -> None:
        if part == STAGED:
            if self._staged.alive:
                self._staged.send_signal(number)
            return
        pid = await asyncio.to_thread(self._household.pid_of, part)
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    async def _freeze(self, disturbance: Disturbance) -> None:
        if disturbance.target == STAGED:
            pids = self._staged.pids()
        else:
            pid = await asyncio.to_thread(self._household.pid_of, disturbance.target)
            pids = [pid] if pid is not None else []
        self._frozen.update(pids)
        try:
            _send(pids, signal.SIGSTOP)
            await asyncio.sleep(disturbance.for_s)
        finally:
            _send(pids, signal.SIGCONT)

    async def _outage(self, disturbance: Disturbance) -> None:
        """Refuse all calls of an agent; other faults that wait are lost when the model is healed."""
        await asyncio.to_thread(self._simulator.fault, disturbance.fault, disturbance.target)
        await asyncio.sleep(disturbance.for_s)
        await asyncio.to_thread(self._simulator.heal)

    async def kill(self, part: str) -> None:
        """SIGKILL a part at the wish of a client."""
        self._record.did(f"killed while it deletes: {part}")
        await self._signal(part, signal.SIGKILL)

    async def _control(self, what: str) -> None:
        """Hold or release deliveries; their process may be down just now."""
        with suppress(httpx.TransportError, AssertionError):
            await asyncio.to_thread(self._household.control, what)

    async def _heal(self) -> None:
        await asyncio.to_thread(self._simulator.heal)
        _send(list(self._frozen), signal.SIGCONT)
        await self._control("release")

    async def _keep_staged(self) -> None:
        """Start the staged instance again whenever it has ended."""
        while not self._over or not self._staged.alive:
            if not self._staged.alive:
                await asyncio.to_thread(self._staged.start_again)
                self._record.did("starts of the staged instance")
            await asyncio.sleep(LOOK_EVERY_S)

    async def _all_up(self) -> None:
        """Wait until every part runs.

        Raises:
            AssertionError: One does not come back.
        """

        def up() -> bool:
            return all(self._household.parts()["pids"].values())

        await _until(up, UP_AGAIN_S, "all parts")


async def _until(look: Callable[[], bool], within_s: float, what: str) -> None:
    deadline = time.monotonic() + within_s
    while not await asyncio.to_thread(look):
        assert time.monotonic() < deadline, f"{what} did not come up within {within_s:g} s"
        await asyncio.sleep(LOOK_EVERY_S)


def _send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
