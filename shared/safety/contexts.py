"""What is said of the found words themselves and takes them down: somebody else's, a work's, or a past that is over.

A context never silences. It turns the writer's crisis into a concern, which is asked about, or into worry about a
third party, who is helped through the writer. It never touches what is imminent, an attempt or violence now.
"""

from dataclasses import dataclass
from functools import cached_property

from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import Pattern
from shared.safety.search import PatternIndex

LOWERED = frozenset({CrisisOutcome.CRISIS, CrisisOutcome.HARM_TO_OTHERS, CrisisOutcome.THIRD_PARTY})
"""The outcomes that a context may take down."""


@dataclass(frozen=True)
class Context:
    """One compiled context.

    Attributes:
        turns: The outcomes that it takes down.
        into: What becomes of them.
        patterns: A match counts where it overlaps the found words and begins in their clause.
        unless: It does not count when one of these is anywhere in the message.
    """

    id: str
    turns: frozenset[CrisisOutcome]
    into: CrisisOutcome
    patterns: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]

    @property
    def all_patterns(self) -> tuple[Pattern, ...]:
        """All that is looked for, and all that speaks against it."""
        return (*self.patterns, *self.unless)

    @cached_property
    def speaking_against(self) -> PatternIndex:
        """The index of `unless`."""
        return PatternIndex(self.unless)
