"""The record of a run and its report."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

EXAMPLES = 3


@dataclass
class Record:
    """Clients, faults and checks of a run write into it.

    Attributes:
        done: How often each thing was done.
        found: Where each promise was broken, by its number in docs/reliability.md and what was seen.
    """

    done: Counter[str] = field(default_factory=Counter)
    found: dict[tuple[int, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def did(self, what: str) -> None:
        self.done[what] += 1

    def broken(self, promise: int, what: str, where: str = "") -> None:
        """Note a broken promise: the same words for the same defect, and the conversation, message or file."""
        self.found[promise, what].append(where)


def report(record: Record, seed: int, minutes: float) -> str:
    lines = ["done:", *(f"  {count:6} {what}" for what, count in sorted(record.done.items()))]
    if not record.found:
        return "\n".join([*lines, f"every promise held (seed {seed}, {minutes:g} minutes)"])
    lines.append(f"BROKEN PROMISES (seed {seed}; again: make chaos SEED={seed} MINUTES={minutes:g}):")
    for (promise, what), where in sorted(record.found.items()):
        examples = ", ".join([one for one in where if one][:EXAMPLES])
        lines.append(f"  promise {promise}: {what}: {len(where)} ×  {examples}")
    return "\n".join(lines)
