"""The report on what a model read: by condition, with intervals."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from local.safety_report.wilson import Share
from shared.content.conditions import load_conditions
from tests.evaluation import labels
from tests.evaluation.decisions import Decision, precision, recall, table
from tests.evaluation.labels import CODE_DECIDES, group_of, judge, unasked, wrong_ends
from tests.evaluation.recorded import Read

ALL = "all"
GROUPS = ("stories", "blind", "written", "examples")
DANGERS = tuple(f"danger {who}" for who in labels.WHO)
CHOICES = ("feeling", "intensity", "asked", "next_task", "module")
LEGEND = (
    "n: cases in which it was asked about and labelled; of told and corrects in stories slots, not cases.",
    "held: those in which it holds. In brackets: 95 % (Wilson).",
    "level: whether the highest level of a danger is the label's. told, corrects: a wrong value hurts both shares.",
)


@dataclass(frozen=True)
class Measured:
    """The decisions of a reader on cases.

    Attributes:
        stale: Cases that were answered to another prompt only.
        missing: Number of cases that were never answered.
        quiet: No line of a case is shown: whoever changes the prompt must not read those that are held back.
    """

    name: str
    reads: Sequence[Read]
    stale: Sequence[str] = ()
    missing: int = 0
    quiet: bool = False

    @cached_property
    def decisions(self) -> list[Decision]:
        return [found for one in self.reads for found in judge(one.question.case, one.question.given, one.heard)]

    @cached_property
    def ends(self) -> list[str]:
        """The wrong ends, one a line."""
        read = ((one.question.case, wrong_ends(one.question.case, one.question.given, one.heard)) for one in self.reads)
        return [
            f"{name:<14} {case.id:<32} {'' if self.quiet else ' '.join(case.text.split())}".rstrip()
            for case, names in read
            for name in names
        ]

    @cached_property
    def not_asked(self) -> Counter[str]:
        return Counter(name for one in self.reads for name in unasked(one.question.case, one.question.given))

    @property
    def broken(self) -> list[str]:
        return [one.question.case.id for one in self.reads if one.broken]

    def of(self, name: str, *, group: str = ALL) -> list[Decision]:
        """Return the decisions of a row, of one group of cases or all."""
        return [one for one in self.decisions if one.group == name and group in (ALL, self.groups[one.case_id])]

    @cached_property
    def groups(self) -> dict[str, str]:
        return {one.question.case.id: group_of(one.question.case) for one in self.reads}


def report(measured: Measured, *, errors: bool = False, only: str | None = None) -> str:
    """Return the report; `errors` lists false and missed ones, `only` leaves out the other conditions."""
    size = Counter(measured.groups.values())
    counted = ", ".join(f"{size[group]} of {group}" for group in GROUPS if size[group])
    head = [f"reader: {measured.name}", f"{len(measured.reads)} cases read: {counted or 'none'}"]
    head += [f"stale: {len(measured.stale)} cases answered to another prompt only, not used"] if measured.stale else []
    head += [f"not answered: {measured.missing} cases"] if measured.missing else []
    head += [f"broken answers, counted as nothing read: {', '.join(measured.broken)}"] if measured.broken else []
    names = [only] if only else [*load_conditions().conditions]
    shown = [name for name in names if measured.of(name)]
    parts = ["\n".join(head), table([_HEAD, *(_row(name, measured) for name in shown), *_totals(measured, names)])]
    if not only:
        parts += [_values(measured), _others(measured), _ends(measured)]
        if measured.not_asked:
            told = ", ".join(f"{name} {n}" for name, n in measured.not_asked.most_common())
            parts.append(f"labelled, but not asked about in that state (not counted above): {told}")
    parts.append("\n".join(LEGEND))
    if errors:
        parts.append("\n".join(_errors(measured, shown if only else None)))
    return "\n\n".join(part for part in parts if part)


def compared(one: Measured, other: Measured) -> str:
    """Return two readers side by side, on the cases that both answered."""
    both = one.groups.keys() & other.groups.keys()
    sides = [Measured(side.name, [r for r in side.reads if r.question.case.id in both]) for side in (one, other)]
    names = [*load_conditions().conditions, *DANGERS, *(f"{name}, level" for name in DANGERS), *CHOICES]
    head = ("", "n", "held", "precision A", "precision B", "recall A", "recall B", "only A right", "only B right")
    rows: list[tuple[str, ...]] = [head]
    for name in names:
        left, right = (side.of(name) for side in sides)
        if left:
            wrong = [Counter(d.case_id for d in side if d.wrong) for side in (left, right)]
            shares = (precision(left), precision(right), recall(left), recall(right))
            gained = [(second - first).total() for first, second in (wrong, wrong[::-1])]
            held = sum(d.wanted for d in left)
            rows.append((name, str(len(left)), str(held), *map(_share, shares), *map(str, gained)))
    stale = [
        f"{name}: {side.name}, {len(side.stale)} of its answers to another prompt"
        for name, side in (("A", one), ("B", other))
    ]
    return "\n".join([*stale, f"{len(both)} cases answered by both", "", table(rows)])


def figures(measured: Measured) -> dict[str, object]:
    """Return the figures as JSON: by row and group of cases, hits, n and bounds."""
    names = dict.fromkeys(one.group for one in measured.decisions)
    return {
        "reader": measured.name,
        "cases": Counter(measured.groups.values()),
        "stale": list(measured.stale),
        "broken": measured.broken,
        "rows": {
            name: {group: _figure(name, group, measured) for group in (ALL, *GROUPS) if measured.of(name, group=group)}
            for name in names
        },
        "wrong_ends": measured.ends,
        "not_asked": measured.not_asked,
    }


_HEAD = ("condition", "n", "held", "precision", "recall", "false", "missed")


def _row(name: str, measured: Measured, own: list[Decision] | None = None) -> tuple[str, ...]:
    found = measured.of(name) if own is None else own
    shares = (precision(found), recall(found))
    false, missed = sum(one.found and not one.hit for one in found), sum(one.wanted and not one.found for one in found)
    held = sum(one.wanted for one in found)
    return name, str(len(found)), str(held), *map(_share, shares), str(false), str(missed)


def _totals(measured: Measured, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each group of cases, over the conditions that are shown."""
    for group in GROUPS:
        own = [one for one in measured.decisions if one.group in names and measured.groups[one.case_id] == group]
        if own:
            yield _row(f"({group})", measured, own)


def _values(measured: Measured) -> str:
    lines = []
    for name in ("told", "corrects"):
        own = [one for one in measured.of(name) if measured.groups[one.case_id] in ("stories", "blind")]
        taken, wanted = [one for one in own if one.found], [one for one in own if one.wanted]
        wrong = Share(sum(one.wanted and not one.hit for one in taken), len(taken))
        invented = Share(sum(not one.wanted for one in taken), len(taken))
        missed = Share(sum(not one.found for one in wanted), len(wanted))
        right, quoted = sum(one.hit for one in own), sum(one.by_quote for one in own)
        lines.append(
            f"{name:<9} of {len(taken)} values taken {labels.WRONG_VALUE} {_share(wrong)},"
            f" {labels.NOT_TOLD} {_share(invented)}; {quoted} of {right} right ones by their quote only;"
            f" of {len(wanted)} told missed {_share(missed)}"
        )
    return "\n".join(lines)


def _others(measured: Measured) -> str:
    rows = [("", "n", "held", "precision", "recall", "level right")]
    for name in (*DANGERS, "feeling", "asked"):
        own, exact = measured.of(name), measured.of(f"{name}, level")
        if own:
            right = _share(recall(exact)) if exact else "–"
            held = sum(one.wanted for one in own)
            rows.append((name, str(len(own)), str(held), _share(precision(own)), _share(recall(own)), right))
    skipped = len(measured.of(CODE_DECIDES))
    beside = {"next_task": f"; {skipped} more: code decides"} if skipped else {}
    told = [
        f"{label:<52} {_share(recall(measured.of(name)))} of {len(measured.of(name))}{beside.get(name, '')}"
        for name, label in (
            ("intensity", "intensity within 2, where both name a feeling"),
            ("next_task", "next_task is the label's"),
            ("module", "module is one of the label's"),
        )
        if measured.of(name) or name in beside
    ]
    return "\n".join([table(rows), "", *told]) if len(rows) > 1 else ""


def _ends(measured: Measured) -> str:
    return "\n".join([f"wrong ends: {len(measured.ends)}", *(f"  ✗ {one}" for one in measured.ends)])


def _errors(measured: Measured, names: Iterable[str] | None) -> Iterator[str]:
    wrong = [one for one in measured.decisions if one.wrong and (names is None or one.group in names)]
    yield f"decided wrongly: {len(wrong)} of {len(measured.decisions)}"
    for one in sorted(wrong, key=lambda one: one.group):
        yield _named("missed" if not one.found else "wrong" if one.wanted else "false", one)
    quoted = [one for one in measured.decisions if one.by_quote and (names is None or one.group in names)]
    yield f"right by quote only: {len(quoted)}"
    yield from (_named("by quote only", one) for one in quoted)


def _named(kind: str, one: Decision) -> str:
    return f"  {kind:<6} {one.group:<22} {one.case_id:<36} {one.about}".replace("\n", " ")


def _figure(name: str, group: str, measured: Measured) -> dict[str, object]:
    found = measured.of(name, group=group)
    shares = {what.__name__: what(found) for what in (precision, recall)}
    return {
        "n": len(found),
        "held": sum(one.wanted for one in found),
        **{
            key: [share.hits, share.of, *(round(bound, 4) for bound in share.interval)] for key, share in shares.items()
        },
        "false": [one.case_id for one in found if one.found and not one.hit],
        "missed": [one.case_id for one in found if one.wanted and not one.found],
        "by_quote_only": [one.case_id for one in found if one.by_quote],
    }


def _share(share: Share) -> str:
    return str(share) if share.of else "·"
