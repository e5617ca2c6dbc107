"""`python -m tests.load.bench`: measures and prints the table of performance.md; progress goes to stderr."""

import argparse
import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path

from tests.load.cold_start import cold_start
from tests.load.crisis import crisis_reply
from tests.load.detector import detector
from tests.load.endurance import memory, throughput
from tests.load.figures import Figure, header, progress, table
from tests.load.first_token import first_token
from tests.load.operations import operations
from tests.load.overhead import overhead
from tests.load.prompt_size import prompt_size
from tests.load.sizes import QUICK, Sizes
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator


async def measure(sizes: Sizes, home: Path) -> list[Figure]:
    """Measure everything, one thing at a time."""
    figures = detector(sizes.posts)
    progress("starting the simulator")
    with Simulator(home) as simulator:
        figures += await cold_start(home, simulator, sizes.starts)
        shared = home / "shared"
        shared.mkdir()
        with LocalServer(shared, simulator, CBOT_MAX_TURNS="1000") as server:
            figures += await overhead(server, simulator, sizes.sessions)
            figures += await crisis_reply(server, simulator, sizes.sessions)
            figures += await first_token(server, simulator, sizes.ttft_sessions, sizes.ttft_lines)
            figures += await throughput(server, simulator, sizes.crowd, sizes.crowd_lines)
        figures += await operations(simulator, sizes.sessions, home)
        figures += await memory(home / "memory", simulator, sizes.turns)
        figures += await prompt_size(_folder(home), simulator, sizes.prompts)
    return figures


async def measure_prompts(sizes: Sizes, home: Path) -> list[Figure]:
    """Measure whether prompts grow, and nothing else."""
    with Simulator(home) as simulator:
        return await prompt_size(_folder(home), simulator, sizes.prompts)


async def measure_detector(sizes: Sizes, _home: Path) -> list[Figure]:
    """Measure what the crisis detector takes, and nothing else."""
    return detector(sizes.posts)


_PARTS = {"prompts": measure_prompts, "detector": measure_detector}


def _folder(home: Path) -> Path:
    folder = home / "prompts"
    folder.mkdir()
    return folder


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.load.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small samples: shows that it runs")
    parser.add_argument("--only", choices=sorted(_PARTS), help="one part: what the crisis detector takes, or prompts")
    parser.add_argument("--turns", type=int, help="turns after which memory is read")
    arguments = parser.parse_args()
    sizes = QUICK if arguments.quick else Sizes()
    if arguments.turns is not None:
        sizes = replace(sizes, turns=arguments.turns)
    about = header(quick=arguments.quick)
    part = _PARTS.get(arguments.only, measure)
    with tempfile.TemporaryDirectory(prefix="cbot-bench-") as home:
        figures = asyncio.run(part(sizes, Path(home)))
    print(f"{about}\n\n{table(figures)}", flush=True)


if __name__ == "__main__":
    main()
