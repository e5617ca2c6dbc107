"""`python -m tests.load.bench`: measures and prints the table of docs/performance.md; progress goes to stderr."""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.load.cold_start import cold_start
from tests.load.crowd import efficiency, one_core
from tests.load.detector import detector
from tests.load.endurance import memory
from tests.load.figures import Figure, begin, progress
from tests.load.first_look import first_look
from tests.load.first_token import first_token
from tests.load.held_plans import held_plans
from tests.load.operations import operations
from tests.load.overhead import crisis_reply, overhead
from tests.load.overload import openings, overload
from tests.load.report import PAGE, Report
from tests.load.samples import Sample
from tests.load.staged_start import staged_start
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator


@dataclass(frozen=True)
class Sizes:
    posts: int = 100  # messages that the crisis detector reads
    sessions: int = 8  # ten-message sessions for the overhead
    ttft_sessions: int = 8  # sessions whose turns are interleaved with bare streams; `ttft_lines` messages each
    ttft_lines: int = 9
    pause_s: float = 1.0  # a person types for longer
    readings: int = 24  # recorded answers of the reader
    stories: tuple[str, ...] = ()  # all if none is named
    starts: int = 5  # fresh processes
    people: int = 30  # concurrent conversations on one core; `people_lines` messages each
    people_lines: int = 9
    crowd: tuple[int, ...] = (20, 80)  # concurrent conversations; `crowd_lines` messages each
    crowd_lines: int = 3
    overload: int = 120  # messages of as many users at once
    openings: int = 300  # conversations opened at once
    turns: int = 1000  # turns after which memory is read


QUICK = Sizes(
    posts=1, sessions=1, ttft_sessions=1, ttft_lines=2, pause_s=0, readings=2, stories=("terse_student",), starts=1,
    people=3, people_lines=1, crowd=(4,), crowd_lines=1, overload=45, openings=10, turns=10,
)  # fmt: skip


@dataclass(frozen=True)
class Bench:
    """What a part measures with, and where samples are kept."""

    simulator: Simulator
    home: Path
    sizes: Sizes
    samples: list[Sample] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)  # the load average after each part

    async def detector(self) -> list[Figure]:
        return await asyncio.to_thread(detector, self.sizes.posts)

    async def start(self) -> list[Figure]:
        return await staged_start(self.home / "staged", self.simulator, self.sizes.starts)

    async def cold_start(self) -> list[Figure]:
        return await cold_start(self.home, self.simulator, self.sizes.starts)

    async def overhead(self) -> list[Figure]:
        with LocalServer(self.home / "overhead", self.simulator) as server:
            figures = await overhead(server, self.simulator, self.sizes.sessions, self.sizes.pause_s)
            return figures + await crisis_reply(server, self.simulator, self.sizes.sessions)

    async def first_token(self) -> list[Figure]:
        sizes = self.sizes
        figures, samples = await first_token(
            self.home, self.simulator, sizes.ttft_sessions, sizes.ttft_lines, sizes.pause_s
        )
        self.samples.extend(samples)
        return figures

    async def first_look(self) -> list[Figure]:
        return await first_look(self.simulator, self.sizes.readings)

    async def held_plans(self) -> list[Figure]:
        return await held_plans(self.sizes.stories)

    async def one_core(self) -> list[Figure]:
        return await one_core(self.home / "one-core", self.sizes.people, self.sizes.people_lines)

    async def crowd(self) -> list[Figure]:
        return await efficiency(self.home / "crowd", self.simulator, self.sizes.crowd, self.sizes.crowd_lines)

    async def overload(self) -> list[Figure]:
        return await overload(self.home / "overload", self.simulator, self.sizes.overload)

    async def openings(self) -> list[Figure]:
        return await openings(self.home / "openings", self.simulator, self.sizes.openings)

    async def firestore(self) -> list[Figure]:
        return await operations(self.simulator, self.sizes.sessions, self.home)

    async def memory(self) -> list[Figure]:
        return await memory(self.home / "memory", self.simulator, self.sizes.turns)


@dataclass(frozen=True)
class Part:
    measure: Callable[[Bench], Awaitable[list[Figure]]]
    seconds: int  # that it takes on two cores when nothing else runs


PARTS: Mapping[str, Part] = {
    "first-token": Part(Bench.first_token, 320),
    "first-look": Part(Bench.first_look, 60),
    "held-plans": Part(Bench.held_plans, 60),
    "overhead": Part(Bench.overhead, 125),
    "firestore": Part(Bench.firestore, 30),
    "one-core": Part(Bench.one_core, 85),
    "crowd": Part(Bench.crowd, 45),
    "overload": Part(Bench.overload, 40),
    "openings": Part(Bench.openings, 15),
    "start": Part(Bench.start, 60),
    "cold-start": Part(Bench.cold_start, 40),
    "memory": Part(Bench.memory, 120),
    "detector": Part(Bench.detector, 20),
}
"""In the order of the table."""


async def measure(bench: Bench, parts: Sequence[str]) -> list[Figure]:
    """Measure one part after the other."""
    figures = []
    for name in parts:
        began = time.monotonic()
        figures += await PARTS[name].measure(bench)
        bench.loads.append(os.getloadavg()[0])
        progress(f"{name}: done in {time.monotonic() - began:.0f} s")
    return figures


def run(sizes: Sizes, parts: Sequence[str], *, quick: bool) -> Report:
    """Measure these parts in a directory of their own."""
    origin, began = begin(quick=quick), time.monotonic()
    minutes = 1 if quick else sum(PARTS[name].seconds for name in parts) / 60
    progress(f"this takes some {max(1, round(minutes))} min when nothing else runs: {', '.join(parts)}")
    with tempfile.TemporaryDirectory(prefix="cbot-bench-") as home, Simulator(Path(home)) as simulator:
        bench = Bench(simulator, Path(home), sizes)
        figures = asyncio.run(measure(bench, parts))
    most, minutes = max(origin.load_at_start, *bench.loads), (time.monotonic() - began) / 60
    return Report(replace(origin, load_at_most=most, minutes=minutes), figures, bench.samples)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.load.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small samples: shows that it runs")
    parser.add_argument("--only", action="append", choices=PARTS, help="this part alone; may be repeated")
    parser.add_argument("--turns", type=int, help="turns after which memory is read")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the figures and the samples of the first token"
    )
    parser.add_argument("--page", action="store_true", help=f"write the table into docs/{PAGE.name}; full run only")
    given = parser.parse_args()
    if given.page and (given.quick or given.only):
        parser.error("--page needs the full run: the page has the whole table")
    return given


def main() -> None:
    given = _arguments()
    sizes = QUICK if given.quick else Sizes()
    if given.turns is not None:
        sizes = replace(sizes, turns=given.turns)
    report = run(sizes, given.only or list(PARTS), quick=given.quick)
    if given.json:
        report.write_json(given.json)
    if given.page:
        report.write_page()
    print(report.text(), flush=True)


if __name__ == "__main__":
    main()
