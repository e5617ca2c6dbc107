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

__all__ = ["Figure", "Origin", "begin", "median", "percentile", "product_commit", "progress", "table"]


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
            reason = f": {self.note}" if self.note else ""
            goal = "–" if self.goal is None else self.bound
            return self.name, f"**NOT MEASURED**{reason}", goal, "–", self.how
        digits = 0 if abs(self.value) >= 100 else 1 if abs(self.value) >= 10 else 2
        value = f"{self.value:.{digits}f}{self.unit}" + (f" ({self.note})" if self.note else "")
        if self.goal is None:
            return self.name, value, "–", "–", self.how
        return self.name, value, self.bound, "yes" if self.met else "**no**", self.how

    @property
    def bound(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.goal:g}{self.unit}"

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None if there is none, or nothing was measured."""
        if self.value is None or self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def table(figures: Sequence[Figure]) -> str:
    head = ("figure", "measured", "goal", "met", "how it was measured")
    rows = [head, tuple("---" for _ in head), *(figure.cells() for figure in figures)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


@dataclass(frozen=True)
class Origin:
    """Commit, machine and load of a run."""

    commit: str
    python: str
    machine: str
    load_at_start: float  # the load average over one minute
    load_at_most: float  # of the readings after each part
    minutes: float
    quick: bool

    def lines(self) -> str:
        about = (
            f"Commit {self.commit}. Python {self.python}. {self.machine}. Load average {self.load_at_start:.2f} at the "
            f"start, at most {self.load_at_most:.2f}; {self.minutes:.0f} min. Everything over loopback."
        )
        warning = "**Quick run: it shows that the benchmark runs; the samples are too small for the figures to count.**"
        return f"{about}\n{warning}" if self.quick else about


def begin(*, quick: bool) -> Origin:
    """Return the origin of a run that begins now."""
    try:
        commit = _git("rev-parse", "--short", "HEAD") + (" with changes" if _git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    machine = f"{platform.system()} {platform.machine()}, {cores} cores (client, server and simulated model share them)"
    load = os.getloadavg()[0]
    return Origin(commit, platform.python_version(), machine, load, load, 0, quick)


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
