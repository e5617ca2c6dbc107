"""One measured row of the fault table, and the file that keeps the rows of a commit."""

import json
from dataclasses import asdict, dataclass, replace
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
    """The rows that were measured at one commit.

    Attributes:
        commit: The last one that changed the product.
        load: The machine's load average when the newest of the rows were begun.
    """

    commit: str
    load: float
    rows: tuple[Measured, ...]

    def over(self, older: "Measurement | None") -> "Measurement":
        """Return this with the rows of an older measurement that it lacks, in the older one's order."""
        kept = {row.key: row for row in older.rows} if older else {}
        found = kept | {row.key: row for row in self.rows}
        return replace(self, rows=tuple(found.values()))


def read_measurement(file: Path) -> Measurement | None:
    """Return what a file keeps; None when there is none."""
    if not file.exists():
        return None
    kept = json.loads(file.read_text("utf-8"))
    return Measurement(kept["commit"], kept["load"], tuple(Measured(**row) for row in kept["rows"]))


def write_measurement(file: Path, measurement: Measurement) -> None:
    """Keep a measurement, one row a line."""
    rows = ",\n".join(f"  {json.dumps(asdict(row), ensure_ascii=False)}" for row in measurement.rows)
    text = f'{{"commit": "{measurement.commit}", "load": {measurement.load}, "rows": [\n{rows}\n]}}\n'
    file.write_text(text, encoding="utf-8")
