"""`python -m tests.load.bench`: measures and prints the table of performance.md; progress goes to stderr."""

import argparse
import asyncio
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.load.cold_start import cold_start
from tests.load.detector import detector
from tests.load.endurance import memory, throughput
from tests.load.figures import Figure, header, progress, table
from tests.load.first_token import first_token
from tests.load.operations import operations
from tests.load.overhead import crisis_reply, overhead
from tests.load.prompt_size import Points, prompt_size
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator


@dataclass(frozen=True)
class Sizes:
    posts: int = 100  # messages that the crisis detector reads
    sessions: int = 8  # ten-message sessions for the overhead
    ttft_sessions: int = 4  # sessions whose turns are interleaved with bare streams; `ttft_lines` messages each
    ttft_lines: int = 7
    starts: int = 5  # fresh processes
    crowd: tuple[int, ...] = (20, 80)  # concurrent conversations; `crowd_lines` messages each
    crowd_lines: int = 3
    turns: int = 200  # turns after which memory is read
    prompts: Points = field(default_factory=Points)  # turns of one session at which prompts are measured


QUICK = Sizes(1, 1, 1, 4, 1, crowd=(4,), crowd_lines=1, turns=10, prompts=Points(early=4, late=10, span=6))


async def measure(sizes: Sizes, home: Path, only: str | None) -> list[Figure]:
    """Measure everything, or one part, one thing at a time."""
    if only == "detector":
        return detector(sizes.posts)
    figures = []
    progress("starting the simulator")
    with Simulator(home) as simulator:
        if only is None:
            figures += detector(sizes.posts)
            figures += await cold_start(home, simulator, sizes.starts)
            with LocalServer(home / "shared", simulator, CBOT_MAX_TURNS="1000") as server:
                figures += await overhead(server, simulator, sizes.sessions)
                figures += await crisis_reply(server, simulator, sizes.sessions)
                figures += await first_token(server, simulator, sizes.ttft_sessions, sizes.ttft_lines)
                figures += await throughput(server, simulator, sizes.crowd, sizes.crowd_lines)
            figures += await operations(simulator, sizes.sessions, home)
            figures += await memory(home / "memory", simulator, sizes.turns)
        return figures + await prompt_size(home / "prompts", simulator, sizes.prompts)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.load.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small samples: shows that it runs")
    only = ("detector", "prompts")
    parser.add_argument("--only", choices=only, help="one part: what the crisis detector takes, or prompts")
    parser.add_argument("--turns", type=int, help="turns after which memory is read")
    arguments = parser.parse_args()
    sizes = QUICK if arguments.quick else Sizes()
    if arguments.turns is not None:
        sizes = replace(sizes, turns=arguments.turns)
    about = header(quick=arguments.quick)
    with tempfile.TemporaryDirectory(prefix="cbot-bench-") as home:
        figures = asyncio.run(measure(sizes, Path(home), arguments.only))
    print(f"{about}\n\n{table(figures)}", flush=True)


if __name__ == "__main__":
    main()
