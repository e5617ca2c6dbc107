"""A measured figure beside its goal, and the table of them."""

import math
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tests.support.process import ROOT


@dataclass(frozen=True)
class Figure:
    """One row.

    Attributes:
        name: What was measured.
        value: In the unit of `unit`; None when it could not be.
        goal: At most (or at least) so much; None for a figure that only informs.
        how: How it was measured.
        at_least: The goal is a lower bound.
        note: Beside the value; without one, why there is none.
    """

    name: str
    value: float | None
    unit: str
    goal: float | None
    how: str
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> str:
        """Whether the goal is met, in a word."""
        if self.value is None or self.goal is None:
            return "–"
        return "yes" if (self.value >= self.goal if self.at_least else self.value <= self.goal) else "**no**"

    def cells(self) -> Sequence[str]:
        """The row's cells."""
        if self.value is None:
            return self.name, f"not measured: {self.note}" if self.note else "not measured", "–", "–", self.how
        value = f"{_rounded(self.value)}{self.unit}"
        bound = "≥" if self.at_least else "≤"
        goal = "–" if self.goal is None else f"{bound} {self.goal:g}{self.unit}"
        return self.name, f"{value} ({self.note})" if self.note else value, goal, self.met, self.how


def table(figures: Sequence[Figure]) -> str:
    """Return the Markdown table."""
    head = ("figure", "measured", "goal", "met", "how it was measured")
    rows = [head, tuple("---" for _ in head), *(figure.cells() for figure in figures)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def header(*, quick: bool) -> str:
    """Say where and on what the figures were taken."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    machine = f"{platform.system()} {platform.machine()}, {cores} cores (client, server and simulated model share them)"
    lines = [
        "# Benchmark",
        "",
        f"Commit {_commit()}. Python {platform.python_version()}. {machine}.",
        f"Load average at the start {os.getloadavg()[0]:.2f}. Everything over loopback.",
    ]
    if quick:
        lines.append(
            "**Quick run: it shows that the benchmark runs; the samples are too small for the figures to count.**"
        )
    return "\n".join(lines)


def progress(text: str) -> None:
    """Tell on stderr what is going on."""
    print(f"bench: {text}", file=sys.stderr, flush=True)


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return statistics.median(values)


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that so many percent do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def _rounded(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _commit() -> str:
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        return f"{commit} with changes" if _git("status", "--porcelain") else commit
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def product_commit() -> str:
    """Return the short id of the newest commit that changed the product, and whether its files have changed since."""
    product = ("functions", "shared", "local", "infra")
    found = _git("log", "-1", "--format=%h", "--", *product)
    return f"{found} with changes" if _git("status", "--porcelain", "--", *product) else found


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
