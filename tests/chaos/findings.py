"""What a run did and what it found."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Finding:
    """A promise that was broken.

    Attributes:
        promise: Its number in docs/reliability.md.
        what: What was seen, the same words for the same defect.
        where: Conversation, message or file.
    """

    promise: int
    what: str
    where: str = ""


@dataclass
class Record:
    """What happened in a run; clients, faults and checks write into it."""

    done: Counter[str] = field(default_factory=Counter)
    found: list[Finding] = field(default_factory=list)

    def did(self, what: str) -> None:
        """Count something that was done."""
        self.done[what] += 1

    def broken(self, promise: int, what: str, where: str = "") -> None:
        """Note a broken promise."""
        self.found.append(Finding(promise, what, where))


EXAMPLES = 3


def report(record: Record, seed: int, minutes: float) -> str:
    """Return what was done and found, for a person."""
    lines = ["done:", *(f"  {count:6} {what}" for what, count in sorted(record.done.items()))]
    if not record.found:
        return "\n".join([*lines, f"every promise held (seed {seed}, {minutes:g} minutes)"])
    lines.append(f"BROKEN PROMISES (seed {seed}; again: make chaos SEED={seed} MINUTES={minutes:g}):")
    for (promise, what), count in sorted(Counter((one.promise, one.what) for one in record.found).items()):
        where = [one.where for one in record.found if (one.promise, one.what) == (promise, what) and one.where]
        lines.append(f"  promise {promise}: {what}: {count} ×  {', '.join(where[:EXAMPLES])}")
    return "\n".join(lines)
