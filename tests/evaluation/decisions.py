"""Counts what agents decided on written cases: precision and recall by group and language, with their intervals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from local.safety_report.wilson import Share
from shared.locale import Locale
from tests.evaluation.agent_cases import locale_of


class Group(StrEnum):
    """What is decided; the order is that of the table."""

    EXTRACTED = "booking values"
    RED_ITEM = "red item"
    VIOLATION = "restriction broken"
    IMPROVEMENT = "needs improvement"
    LOW_SCORE = "low score"
    FACTS = "facts kept"


@dataclass(frozen=True)
class Decision:
    """One decision of an agent on a case.

    Attributes:
        wanted: The case has what the group is about.
        found: The agent says that it has.
        right: If the agent says which one, as of several tasks: it is the right one.
        about: What it is about and what the agent said, for the list of wrong decisions.
        answered: The model gave a usable answer; otherwise nothing counts as found.
        by_quote: It is right only because it quotes the same words; its own are other ones.
    """

    group: str
    case_id: str
    wanted: bool
    found: bool
    about: str
    right: bool = True
    answered: bool = True
    by_quote: bool = False

    @property
    def hit(self) -> bool:
        return self.wanted and self.found and self.right

    @property
    def wrong(self) -> bool:
        return not self.hit if self.wanted else self.found


def precision(decisions: Iterable[Decision]) -> Share:
    """Return the share that is right of what was found."""
    found = [one for one in decisions if one.found]
    return Share(sum(one.hit for one in found), len(found))


def recall(decisions: Iterable[Decision]) -> Share:
    """Return the share that was found, and right, of what should have been found."""
    wanted = [one for one in decisions if one.wanted]
    return Share(sum(one.hit for one in wanted), len(wanted))


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


HEAD = ("group", "lang", "n", "wanted", "precision", "recall", "no answer")
LEGEND = (
    "n: decisions; one case can hold several (values, scores, facts). wanted: those that should be found. In brackets:",
    "95 % interval (Wilson). A value, emotion, task or technique found but wrong counts against both shares.",
    "no answer: the model gave none that could be used; nothing counts as found, as in a talk.",
)


def report(decisions: Sequence[Decision]) -> str:
    """Return the table, and each wrong decision below it."""
    groups = [group for group in Group if any(one.group is group for one in decisions)]
    rows = [HEAD, *(_cells(group, lang, decisions) for group in groups for lang in (*Locale, None))]
    wrong = [f"  ✗ {one.group.value:<18} {one.case_id:<20} {one.about}" for one in decisions if one.wrong]
    return "\n".join([table(rows), "", *LEGEND, "", f"decided wrongly: {len(wrong)} of {len(decisions)}", *wrong])


def _cells(group: Group, locale: Locale | None, decisions: Sequence[Decision]) -> tuple[str, ...]:
    """Return a row of the table; without a locale, of both together."""
    own = [one for one in decisions if one.group is group and locale in (None, locale_of(one.case_id))]
    silent = sum(not one.answered for one in own)
    lang = locale.value if locale else "all"
    wanted = sum(one.wanted for one in own)
    shares = (str(share) if share.of else "·" for share in (precision(own), recall(own)))
    return group.value, lang, str(len(own)), str(wanted), *shares, str(silent or "·")
