"""The report as text for a terminal and as data for a file."""

import json
import unicodedata
from collections.abc import Iterable, Sequence

from local.safety_report.measure import Counted, Group, Measured, Read
from local.safety_report.rows import Label
from local.safety_report.wilson import Share
from shared.safety.levels import CrisisOutcome

_OUTCOMES = tuple(reversed(CrisisOutcome))
_CLIPPED = 100  # columns of a text
_HEAD = ("label", "category", "lang", "rows", *_OUTCOMES, "at crisis", "any alarm")
_LEGEND = (
    "at crisis: crisis, harm_to_others, attempted, abuse_now or imminent, which are followed through; of crisis rows",
    "  it is the recall, of non_crisis rows the false alarms. third_party, third_party_now (another is in danger) and",
    "  abuse (violence that goes on) count as an alarm, neither as recall nor as a false alarm at crisis.",
    "any alarm: these and concern too; of ambiguous rows it is the share that is asked about. abuse_told is none: it",
    "  is believed, and left to the counsellor.",
)
_CATEGORIES_HEAD = ("lang", "category", "rows", "at crisis (95 %)", "any (95 %)", "heard (95 %)")
_CATEGORIES_LEGEND = (
    "in brackets: the 95 % interval (Wilson). at crisis: as above, so harm_to_others counts and third_party does not.",
    "any: as any alarm above; of violence rows abuse_told counts too, as what is past was heard and believed.",
    "heard: as what the row is labelled. crisis: at crisis or above. ambiguous: asked about, at concern or above.",
    "  non_crisis: left alone, below concern. violence: told at all, at abuse_told or anything above. harm_to_others:",
    "  at harm_to_others or above. third_party: at third_party or third_party_now, where the helper is helped.",
)


def as_text(measured: Measured, shown: int, *, texts: bool) -> str:
    """Return the report for a terminal.

    Args:
        measured: The measurements.
        shown: Most misses and most false alarms to show.
        texts: Whether to show the messages.
    """
    parts = [measured.groups(), measured.by_category(), measured.by_language(), _totals(measured)]
    lines = [*_groups_table([group for part in parts for group in part]), "", *_LEGEND, ""]
    if counted := measured.categories():
        lines += [*_table([_CATEGORIES_HEAD, *map(_category_cells, counted)], names=2), "", *_CATEGORIES_LEGEND, ""]
    lines.append(
        f"time a text: p50 {measured.milliseconds(0.5):.2f} ms, p99 {measured.milliseconds(0.99):.2f} ms, longest "
        f"{measured.milliseconds(1):.2f} ms; the very first {measured.first_ms:.0f} ms"
    )
    for title, reads in (("misses", measured.misses()), ("false alarms", measured.false_alarms())):
        lines += ["", f"{title}: {len(reads)}{f', the worst {shown}' if len(reads) > shown else ''}"]
        lines += [_line(read, texts=texts) for read in reads[:shown]]
    return "\n".join(lines)


def as_json(measured: Measured, *, texts: bool) -> str:
    """Return all measurements as JSON."""
    data = {
        "groups": [_group_data(group) for group in measured.groups()],
        "categories": [_group_data(group) for group in measured.by_category()],
        "by_category": [_counted_data(counted) for counted in measured.categories()],
        "languages": [_group_data(group) for group in measured.by_language()],
        "totals": [_group_data(group) for group in _totals(measured)],
        "milliseconds": {
            "first": measured.first_ms,
            **{name: measured.milliseconds(share) for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1))},
        },
        "misses": [_read_data(read, texts=texts) for read in measured.misses()],
        "false_alarms": [_read_data(read, texts=texts) for read in measured.false_alarms()],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _totals(measured: Measured) -> list[Group]:
    return [total for label in Label if (total := measured.total(label))]


def _groups_table(groups: Sequence[Group]) -> list[str]:
    return _table([_HEAD, *(_cells(group) for group in groups)], names=3)


def _table(rows: Sequence[tuple[str, ...]], names: int) -> list[str]:
    """Return lines of columns, the first `names` of them left-aligned."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_padded(cell, width, at >= names)
                      for at, (cell, width) in enumerate(zip(row, widths, strict=True)))
            for row in rows]  # fmt: skip


def _category_cells(counted: Counted) -> tuple[str, ...]:
    shares = map(str, (counted.at_crisis, counted.any_alarm, counted.heard))
    return (_plain(counted.language), counted.category, str(counted.at_crisis.of), *shares)


def _cells(group: Group) -> tuple[str, ...]:
    label, category, language = group.name
    counts = (str(group.outcomes[outcome] or "·") for outcome in _OUTCOMES)
    named = (label, _plain(category) or "all", _plain(language) or "all", str(group.rows))
    return (*named, *counts, f"{group.at_crisis:.1%}", f"{group.alarmed:.1%}")


def _line(read: Read, *, texts: bool) -> str:
    row = read.row
    rules = ", ".join(read.found.rule_ids) or "no rule"
    named = row.known_category or _plain(row.category)
    head = f"  {read.found.outcome:<15}  {named} · {_plain(row.language)} · {rules}"
    return f"{head}\n      {_clipped(_plain(row.text))}" if texts else head


def _group_data(group: Group) -> dict[str, str | int | float | dict[str, int]]:
    label, category, language = group.name
    return {
        "label": label,
        "category": category,
        "lang": language,
        "rows": group.rows,
        "outcomes": {outcome.value: group.outcomes[outcome] for outcome in _OUTCOMES},
        "at_crisis": group.at_crisis,
        "any_alarm": group.alarmed,
    }


def _counted_data(counted: Counted) -> dict[str, str | int | dict[str, float]]:
    shares = {"at_crisis": counted.at_crisis, "any": counted.any_alarm, "heard": counted.heard}
    return {
        "lang": counted.language,
        "category": counted.category.value,
        "rows": counted.at_crisis.of,
        **{name: _share_data(share) for name, share in shares.items()},
    }


def _share_data(share: Share) -> dict[str, float]:
    low, high = share.interval
    return {"share": share.value, "low": low, "high": high}


def _read_data(read: Read, *, texts: bool) -> dict[str, str | list[str]]:
    row = read.row
    data: dict[str, str | list[str]] = {"label": row.label.value, "category": row.category, "lang": row.language}
    data |= {"outcome": read.found.outcome.value, "rules": list(read.found.rule_ids)}
    return data | {"text": row.text} if texts else data


def _plain(text: str) -> str:
    """Return a text in one line without control characters."""
    return "".join(char if char.isprintable() else "\ufffd" for char in " ".join(text.split()))


def _clipped(text: str) -> str:
    kept: list[str] = []
    used = 0
    for char in text:
        used += _width(char)
        if used > _CLIPPED:
            return "".join(kept) + "…"
        kept.append(char)
    return text


def _padded(cell: str, width: int, to_the_right: bool) -> str:
    blank = " " * (width - _width(cell))
    return blank + cell if to_the_right else cell + blank


def _width(text: Iterable[str]) -> int:
    """Count the columns of a text: a Hangul syllable takes two."""
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)
