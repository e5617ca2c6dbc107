"""Collects the faults of a proposal while it is validated."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.domain.counseling.plans import Fault, PlanFinding
from shared.safety.text_rules import TextRules

WHAT_LENGTH = 60
"""Maximum characters of the text that is stored with a fault."""


@dataclass
class ProposalErrors:
    """The faults of one proposal, in the order in which they were found."""

    rules: TextRules
    found: list[PlanFinding] = field(default_factory=list)

    def note(self, fault: Fault, what: str = "") -> None:
        """Note a fault; alarming or instructive text is not stored."""
        named = " ".join(what.split())[:WHAT_LENGTH]
        self.found.append(
            PlanFinding(fault=fault, what="" if self.rules.alarming(named) or self.rules.instructive(what) else named)
        )

    def unfit(self, *wordings: str) -> Fault | None:
        """Return the fault of alarming or instructive texts, which are no subject of a plan, or None."""
        if self.rules.alarming(*wordings):
            return Fault.ALARMING
        return Fault.INSTRUCTIVE if self.rules.instructive(*wordings) else None

    def text(self, text: str, length: int) -> str:
        """Return a text on one line, cut to its length."""
        words = " ".join(text.split())
        if len(words) <= length:
            return words
        self.note(Fault.CUT, words)
        return words[: length - 1].rstrip() + "…"


def counted(found: Sequence[PlanFinding]) -> dict[Fault, int]:
    """Return how often each fault was found."""
    return dict(Counter(finding.fault for finding in found))
