"""Measured figures with their goals, and the table of figures."""

import math
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tests.support.process import ROOT

__all__ = ["Figure", "header", "median", "percentile", "product_commit", "progress", "table"]


@dataclass(frozen=True)
class Figure:
    name: str  # what was measured
    value: float | None  # in the unit of `unit`; None when it could not be
    unit: str
    goal: float | None  # at most (or at least) so much; None for a figure that only informs
    how: str  # how it was measured
    at_least: bool = False  # the goal is a lower bound
    note: str = ""  # shown after the value; without a value, the reason

    def cells(self) -> Sequence[str]:
        """The row's cells: name, value, goal, whether it is met, and how it was measured."""
        if self.value is None:
            return self.name, f"not measured: {self.note}" if self.note else "not measured", "–", "–", self.how
        digits = 0 if abs(self.value) >= 100 else 1 if abs(self.value) >= 10 else 2
        value = f"{self.value:.{digits}f}{self.unit}" + (f" ({self.note})" if self.note else "")
        if self.goal is None:
            return self.name, value, "–", "–", self.how
        met = self.value >= self.goal if self.at_least else self.value <= self.goal
        goal = f"{'≥' if self.at_least else '≤'} {self.goal:g}{self.unit}"
        return self.name, value, goal, "yes" if met else "**no**", self.how


def table(figures: Sequence[Figure]) -> str:
    head = ("figure", "measured", "goal", "met", "how it was measured")
    rows = [head, tuple("---" for _ in head), *(figure.cells() for figure in figures)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def header(*, quick: bool) -> str:
    """Return commit, machine and load of the run."""
    try:
        commit = _git("rev-parse", "--short", "HEAD") + (" with changes" if _git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    machine = f"{platform.system()} {platform.machine()}, {cores} cores (client, server and simulated model share them)"
    about = f"""\
# Benchmark

Commit {commit}. Python {platform.python_version()}. {machine}.
Load average at the start {os.getloadavg()[0]:.2f}. Everything over loopback."""
    warning = "**Quick run: it shows that the benchmark runs; the samples are too small for the figures to count.**"
    return f"{about}\n{warning}" if quick else about


def progress(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that so many percent do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def product_commit() -> str:
    """Return the short id of the newest commit that changed the product, and whether its files have changed since."""
    product = ("functions", "shared", "local", "infra")
    found = _git("log", "-1", "--format=%h", "--", *product)
    return f"{found} with changes" if _git("status", "--porcelain", "--", *product) else found


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
