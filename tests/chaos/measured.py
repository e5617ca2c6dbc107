"""One measured row of the fault table, and the file that keeps the rows of a commit."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measured:
    """What a client saw of one turn (or of one other request) under a fault.

    Attributes:
        fault: What was injected, in words: with `turn` it names the row.
        turn: Which turn under the fault, counted from 1; else what was asked for.
        first_word_s: Seconds to the first word that a client shows; None when there was none.
        total_s: Seconds to the reply, retries of the client included; None when none came.
        sends: Model calls of the turn itself, each retry counted; None where they are not the point.
        reply: What came back.
        stored: What the store holds afterwards.
    """

    fault: str
    turn: str
    first_word_s: float | None
    total_s: float | None
    sends: int | None
    reply: str
    stored: str

    @property
    def key(self) -> tuple[str, str]:
        """What a later measurement of the same row bears as well."""
        return self.fault, self.turn


@dataclass(frozen=True)
class Measurement:
    """The rows that were measured at one commit."""

    commit: str
    rows: tuple[Measured, ...]

    def merged(self, commit: str, rows: Iterable[Measured]) -> "Measurement":
        """Return this with newer rows in place of those of the same key."""
        found = {row.key: row for row in self.rows} | {row.key: row for row in rows}
        return Measurement(commit, tuple(found.values()))


def read_measurement(file: Path) -> Measurement | None:
    """Return what a file keeps; None when there is none."""
    if not file.exists():
        return None
    kept = json.loads(file.read_text("utf-8"))
    return Measurement(kept["commit"], tuple(Measured(**row) for row in kept["rows"]))


def write_measurement(file: Path, measurement: Measurement) -> None:
    """Keep a measurement, one row a line."""
    rows = ",\n".join(f"  {json.dumps(asdict(row), ensure_ascii=False)}" for row in measurement.rows)
    text = f'{{"commit": {json.dumps(measurement.commit)}, "rows": [\n{rows}\n]}}\n'
    file.write_text(text, encoding="utf-8")
