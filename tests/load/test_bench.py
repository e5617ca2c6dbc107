"""The benchmark runs; its figures are not judged here."""

import subprocess
import sys
from collections.abc import Mapping

from tests.support.process import ROOT, clean_environment

WITHIN_S = 180
ROWS = (
    "import of `functions.chat.main`",
    "cold start to the first byte of `/healthz`",
    "cold start to the end of the first turn",
    "own overhead of a turn, p50",
    "own overhead of a turn, p95",
    "own overhead with HTTP and both commits, p50",
    "wall time of a turn whose model takes no time, p50",
    "model calls a turn in the foreground, mean",
    "crisis reply, own time, p95",
    "safety rules, load and first message",
    "safety rules, memory after the first message",
    "safety rules, 4,000 characters, p99",
    "safety rules, 4,000 characters, p99, in English",
    "TTFT ratio, plan unchanged, median",
    "TTFT ratio, task completed in this turn, median",
    "4 concurrent turns, model at 800 ms: turns/s ÷ ideal",
    "memory after 10 turns (RSS)",
    "growth of the memory since half of them",
    "prompt tokens of a turn at turn 10 ÷ at turn 4",
    "prompt tokens of the Counselor at turn 10 ÷ at turn 4",
    "prompt tokens of the background at turn 10 ÷ at turn 4",
)


def _printed() -> Mapping[str, str]:
    """Return the rows that a quick run prints, by their first cell."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.load.bench", "--quick"],
        cwd=ROOT,
        env=clean_environment({}),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    assert "cores" in ended.stdout
    assert "bench: " in ended.stderr
    return {
        line.split(" | ")[0].removeprefix("| "): line for line in ended.stdout.splitlines() if line.startswith("| ")
    }


def test_a_quick_run_prints_every_figure_beside_its_goal() -> None:
    rows = _printed()
    assert set(ROWS) <= set(rows)
    for name in ROWS:
        assert "not measured" not in rows[name]
