"""The measured rows of the fault table: the file that keeps them, and the table in docs/reliability.md."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

BEGIN, END = "<!-- fault-table: begin -->", "<!-- fault-table: end -->"
HEAD = ("fault", "turn", "first word, s", "total, s", "sends", "reply", "stored")
NOTHING = "–"


@dataclass(frozen=True)
class Measured:
    """What a client saw of one turn (or of one other request) under a fault."""

    fault: str  # what was injected, in words: with `turn` it names the row
    turn: str  # which turn under the fault, counted from 1; else what was asked for
    first_word_s: float | None  # seconds to the first word that a client shows; None when there was none
    total_s: float | None  # seconds to the reply, retries of the client included; None when none came
    sends: int | None  # model calls of the turn itself, each retry counted; None where they are not the point
    reply: str  # what came back
    stored: str  # what the store holds afterwards

    @property
    def key(self) -> tuple[str, str]:
        """The same for every measurement of a row."""
        return self.fault, self.turn

    @property
    def cells(self) -> Sequence[str]:
        seconds = [NOTHING if value is None else f"{value:.1f}" for value in (self.first_word_s, self.total_s)]
        return *seconds, NOTHING if self.sends is None else str(self.sends), self.reply, self.stored


@dataclass(frozen=True)
class Measurement:
    """The rows that were measured at one commit."""

    commit: str  # the last one that changed the product
    load: float  # the machine's load average when the newest of the rows were begun
    rows: tuple[Measured, ...]

    def over(self, older: "Measurement | None") -> "Measurement":
        """Add the rows that only an older measurement has; the order is that of the older one."""
        kept = {row.key: row for row in older.rows} if older else {}
        return replace(self, rows=tuple((kept | {row.key: row for row in self.rows}).values()))


def read_measurement(file: Path) -> Measurement | None:
    if not file.exists():
        return None
    kept = json.loads(file.read_text("utf-8"))
    return Measurement(kept["commit"], kept["load"], tuple(Measured(**row) for row in kept["rows"]))


def write_measurement(file: Path, measurement: Measurement) -> None:
    """Keep a measurement, one row a line."""
    rows = ",\n".join(f"  {json.dumps(asdict(row), ensure_ascii=False)}" for row in measurement.rows)
    text = f'{{"commit": "{measurement.commit}", "load": {measurement.load}, "rows": [\n{rows}\n]}}\n'
    file.write_text(text, encoding="utf-8")


def table(before: Measurement | None, after: Measurement | None) -> str:
    """Return the table; a cell whose value has changed shows both: `before → after`."""
    old, new = ({row.key: row for row in each.rows} if each else {} for each in (before, after))
    lines = [HEAD, tuple("---" for _ in HEAD)]
    for key in {**old, **new}:
        cells = [row.cells for row in (old.get(key), new.get(key)) if row]
        changes = [" → ".join(dict.fromkeys(values)) for values in zip(*cells, strict=True)]
        lines.append((*key, *changes))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_table(page: Path, before: Measurement | None, after: Measurement | None) -> None:
    """Replace what stands between the markers of a page."""
    head, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, found, tail = rest.partition(END)
    assert found, f"{page}: no {BEGIN} and {END}"
    origins = [f"commit {one.commit}, load average {one.load}" if one else "not measured" for one in (before, after)]
    about = f"Before: {origins[0]}. After: {origins[1]}."
    page.write_text(f"{head}{BEGIN}\n{about}\n\n{table(before, after)}\n{END}{tail}", encoding="utf-8")
