"""The figures of sessions in words: lines for one session, a table over all."""

import unicodedata
from collections.abc import Iterator, Sequence

from local.demo.figures import Figures
from local.demo.words import module_names, words

Row = tuple[str, ...]
_WIDE = "WF"
_BETWEEN = "  "


def lines_of(found: Figures) -> tuple[tuple[str, str], ...]:
    """Return headings with their texts."""
    fields = {
        "services": _counted(_services(found)),
        "number": len(found.modules),
        "modules": _counted([(module_names()[module], times) for module, times in found.modules]),
        "tasks": _counted(found.tasks),
        "mean": f"{found.mean_questions:.2f}",
        "most": found.most_questions,
        "repeated": len(found.repeated),
        "intake": len(found.intake_after_feeling),
        "proposed": found.proposed,
        "declined": found.declined,
        "bare": len(found.bare),
        "together": len(found.together),
        "unwritten": len(found.unwritten),
        "moved": len(found.moved),
        "unasked": len(found.unasked),
        "kept_open": found.kept_open,
        "circles": found.circles,
        "misreads": found.misreads,
    }
    return tuple((heading, text.format(**fields)) for heading, text in words().figures.lines.items())


def rows(each: Sequence[tuple[str, Figures]], together: Figures) -> tuple[Row, ...]:
    """Return the table: its heads, a row per name, and one over all."""
    told = (*each, (words().figures.together, together))
    return (words().figures.columns, *(_row(name, found) for name, found in told))


def as_table(table: Sequence[Row]) -> str:
    """Return the table for a terminal, in which a Korean character takes two columns."""
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]
    return "\n".join(_BETWEEN.join(_padded(row, widths)).rstrip() for row in table)


def _row(name: str, found: Figures) -> Row:
    proposals = words().figures.proposals
    return (
        name,
        str(found.turns),
        _counted(_services(found)),
        str(len(found.modules)),
        str(len([title for title, _ in found.tasks if title])),
        f"{found.mean_questions:.2f}/{found.most_questions}",
        str(len(found.repeated)),
        str(len(found.intake_after_feeling)),
        proposals.format(proposed=found.proposed, declined=found.declined, kept_open=found.kept_open),
        str(found.circles),
        str(found.misreads),
    )


def _services(found: Figures) -> tuple[tuple[str, int], ...]:
    return tuple((words().name("services", name), times) for name, times in found.services)


def _counted(counted: Sequence[tuple[str, int]]) -> str:
    said = words().figures
    return words().list_of(
        tuple(said.counted.format(name=name or said.no_task, times=times) for name, times in counted)
    )


def _padded(row: Row, widths: Sequence[int]) -> Iterator[str]:
    for cell, width in zip(row, widths, strict=True):
        yield cell + " " * (width - _width(cell))


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in _WIDE else 1 for character in text)
