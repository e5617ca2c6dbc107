"""Counts what is wrong with a proposal while it is read."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.content.instructions import instructive
from shared.content.safety_rules import alarming
from shared.domain.counseling.plans import Fault, PlanFinding

WHAT_LENGTH = 60
"""Characters kept of what a fault was found in."""


@dataclass
class ProposalErrors:
    """The faults of one proposal, in the order in which they were found."""

    found: list[PlanFinding] = field(default_factory=list)

    def note(self, fault: Fault, what: str = "") -> None:
        """Note a fault; words that alarm or instruct are not repeated."""
        named = " ".join(what.split())[:WHAT_LENGTH]
        self.found.append(PlanFinding(fault=fault, what="" if alarming(named) or instructive(what) else named))

    def text(self, text: str, length: int) -> str:
        """Return a text on one line and within its length."""
        words = " ".join(text.split())
        if len(words) <= length:
            return words
        self.note(Fault.CUT, words)
        return words[: length - 1].rstrip() + "…"


def counted(found: Sequence[PlanFinding]) -> dict[Fault, int]:
    """Return how often each fault was found."""
    return dict(Counter(finding.fault for finding in found))
