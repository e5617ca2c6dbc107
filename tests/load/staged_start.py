"""How long a fresh instance of the staged `chat` takes until it answers, and how much memory it takes."""

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from infra.staging.folder import stage
from local.emulators.firestore import FirestoreEmulator
from shared.domain.errors import ConfigError
from tests.load.cold_start import first_byte
from tests.load.figures import Figure, median, progress
from tests.support.chat_client import signed_as
from tests.support.emulators import new_project
from tests.support.process import ROOT
from tests.support.simulator import Simulator
from tests.support.staged import UNREACHABLE, StagedFunction, clean_venv, settings_of

GOAL_HEALTHZ_S, GOAL_TURN_S, GOAL_MB = 0.9, 1.3, 200
HEALTHZ = "cold start of the staged `chat` to the first byte of `/healthz`"
TURN = "cold start of the staged `chat` to the end of the first turn"
CPU = "CPU time of both processes until then"
MEMORY = "memory of both processes then (PSS)"
MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Start:
    """Seconds since the process was started, and CPU seconds and megabytes of its processes after the turn."""

    turn_s: float
    cpu_s: float
    pss_mb: float
    rss_mb: float


async def staged_start(home: Path, simulator: Simulator, starts: int) -> list[Figure]:
    """Measure with an instant model; without a Firestore emulator the rows of the turn give the reason."""
    simulator.reset()
    progress("staged start: staging, and a virtual environment")
    folder = stage(ROOT, "chat", home)
    venv = clean_venv(home / "venv", folder / "requirements.txt")
    listening, turned = [], []
    try:
        with FirestoreEmulator(os.environ, home / "firestore.log") as emulator:
            for number in range(starts):
                progress(f"staged start {number + 1} of {starts}")
                listening.append(await _to_healthz(venv, folder))
                turned.append(await _to_turn(venv, folder, simulator, emulator))
    except ConfigError as error:
        listening = [await _to_healthz(venv, folder) for _ in range(starts)]
        missing = [Figure(row, None, "", None, "–", note=str(error)) for row in (TURN, CPU, MEMORY)]
        return [_healthz(listening), *missing]
    return [_healthz(listening), *_turn(turned)]


def _healthz(seconds: list[float]) -> Figure:
    how = f"functions-framework, gunicorn and its worker, with `K_SERVICE`; {_of(seconds)}"
    return Figure(HEALTHZ, median(seconds), " s", GOAL_HEALTHZ_S, how)


def _turn(found: list[Start]) -> list[Figure]:
    seconds, rss = [one.turn_s for one in found], median([one.rss_mb for one in found])
    how = f"`/healthz`, a new conversation, a turn; Firestore emulator, instant simulator; {_of(seconds)}"
    both = f"shared pages counted once; the RSS of both added: {rss:.0f} MB"
    return [
        Figure(TURN, median(seconds), " s", GOAL_TURN_S, how),
        Figure(CPU, median([one.cpu_s for one in found]), " s", None, "what an idle machine with one core would need"),
        Figure(MEMORY, median([one.pss_mb for one in found]), " MB", GOAL_MB, both),
    ]


def _of(seconds: list[float]) -> str:
    load = os.getloadavg()[0]
    return f"median of {len(seconds)} fresh processes, the fastest {min(seconds):.2f} s; load average {load:.1f}"


async def _to_healthz(venv: Path, folder: Path) -> float:
    """Return the seconds to the first byte in the cloud's environment: the parts are built before it listens."""
    variables = settings_of("demo-staged", GEMINI_API_KEY="test", K_SERVICE="chat", LOG_EXECUTION_ID="false")
    function = StagedFunction(venv, folder, "chat", variables, log="cloud.log")
    began = time.perf_counter()
    function.launch()
    try:
        await first_byte(function.address)
        return time.perf_counter() - began
    finally:
        await asyncio.to_thread(function.end)


async def _to_turn(venv: Path, folder: Path, simulator: Simulator, emulator: FirestoreEmulator) -> Start:
    """Start without `K_SERVICE`, which forbids emulators: the parts are built at the first request."""
    project = new_project()
    variables = settings_of(
        project,
        CBOT_UNSIGNED_TOKENS="1",
        **simulator.access,
        FIRESTORE_EMULATOR_HOST=emulator.address,
        CLOUD_TASKS_EMULATOR_HOST=UNREACHABLE,
    )
    function = StagedFunction(venv, folder, "chat", variables)
    began = time.perf_counter()
    function.launch()
    try:
        await first_byte(function.address)
        async with signed_as("user", project, function.address) as person:
            await person.say((await person.open()).id, "안녕하세요, 요즘 잠이 안 와요.")
        return Start(time.perf_counter() - began, *_taken(function.pid))
    finally:
        await asyncio.to_thread(function.end)


def _taken(pid: int) -> tuple[float, float, float]:
    """Return the CPU seconds, PSS and RSS of a process and its children."""
    first = psutil.Process(pid)
    every = [first, *first.children(recursive=True)]
    memory = [process.memory_full_info() for process in every]
    times = [process.cpu_times() for process in every]
    cpu = sum(one.user + one.system for one in times)
    return cpu, sum(one.pss for one in memory) / MEGABYTE, sum(one.rss for one in memory) / MEGABYTE
