"""The fault table as Markdown, and its place in docs/reliability.md."""

from collections.abc import Sequence
from pathlib import Path

from tests.chaos.measured import Measured, Measurement

BEGIN, END = "<!-- fault-table: begin -->", "<!-- fault-table: end -->"
HEAD = ("fault", "turn", "first word, s", "total, s", "sends", "reply", "stored")
NOTHING = "–"


def table(before: Measurement | None, after: Measurement | None) -> str:
    """Return the table; a cell whose value has changed shows both: `before → after`."""
    old = {row.key: row for row in before.rows} if before else {}
    new = {row.key: row for row in after.rows} if after else {}
    rows = [_cells(old.get(key), new.get(key)) for key in {**old, **new}]
    lines = [HEAD, tuple("---" for _ in HEAD), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_table(page: Path, before: Measurement | None, after: Measurement | None) -> None:
    """Replace what stands between the markers of a page.

    Raises:
        ValueError: The page has no markers.
    """
    head, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        raise ValueError(f"{page}: no {BEGIN} and {END}")
    about = f"Before: {_about(before)}. After: {_about(after)}."
    page.write_text(f"{head}{BEGIN}\n{about}\n\n{table(before, after)}\n{END}{tail}", encoding="utf-8")


def _about(measurement: Measurement | None) -> str:
    if measurement is None:
        return "not measured"
    return f"commit {measurement.commit}, load average {measurement.load}"


def _cells(old: Measured | None, new: Measured | None) -> Sequence[str]:
    some = new or old
    if some is None:
        raise ValueError("a row is measured before or after")
    pairs = [(_values(old)[at] if old else None, _values(new)[at] if new else None) for at in range(len(HEAD) - 2)]
    return some.fault, some.turn, *(_change(*pair) for pair in pairs)


def _values(row: Measured) -> Sequence[str]:
    sends = NOTHING if row.sends is None else str(row.sends)
    return _seconds(row.first_word_s), _seconds(row.total_s), sends, row.reply, row.stored


def _seconds(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def _change(old: str | None, new: str | None) -> str:
    if old is None or new is None or old == new:
        return new if new is not None else old or ""
    return f"{old} → {new}"
