"""What is said of the words that a rule found, in their clause, and takes the finding down.

A predicate looks right before and right behind the words found, never at a topic: they are denied, given to somebody
else or to a work, or put into a past that is over. Nothing takes down what is imminent, but that somebody else is its
subject: then it is their life, and the writer is told to call for help.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import assert_never

from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import Vocabulary
from shared.safety.reading import Reading, Span

WIDEST = 60
"""Letters before the words found that are looked at: what is said of them stands near."""


class Makes(StrEnum):
    """What a predicate makes of a finding."""

    NOTHING = "nothing"
    """The words mean something else, or nothing of it is left."""
    CONCERN = "concern"
    """It is asked about."""
    THIRD_PARTY = "third_party"
    """It is somebody else's."""


_NEVER_LOWERED = frozenset({CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED})


def may_lower(makes: Makes, outcome: CrisisOutcome) -> bool:
    """Return whether a predicate may be named by a rule of an outcome."""
    return makes is Makes.THIRD_PARTY or outcome not in _NEVER_LOWERED


def lowered(outcome: CrisisOutcome, makes: Makes) -> CrisisOutcome:
    """Return what becomes of an outcome; never more pressing than it was."""
    match makes:
        case Makes.NOTHING:
            return CrisisOutcome.NONE
        case Makes.CONCERN:
            into = CrisisOutcome.CONCERN
        case Makes.THIRD_PARTY:
            now = outcome in _NEVER_LOWERED
            into = CrisisOutcome.THIRD_PARTY_NOW if now else CrisisOutcome.THIRD_PARTY
        case _:
            assert_never(makes)
    return min(outcome, into, key=lambda one: one.severity)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """One way in which a predicate is told.

    Attributes:
        before: Pattern that ends where the words found begin; empty where it does not matter.
        behind: Pattern that begins where they end.
        words: Pattern that the words found themselves begin with.
        unless: Pattern that stands nowhere in their sentence: what goes on is not over.
    """

    before: str
    behind: str
    words: str
    vocabulary: Vocabulary
    unless: str = ""

    def hold(self, reading: Reading, span: Span) -> bool:
        """Return whether they stand around the words found, within their clause."""
        first, last = reading.clause(span)
        begin, end = span
        if self.words and not self._words.match(reading.text[begin:end]):
            return False
        if self.unless and self._unless.search(reading.text, *reading.sentence(reading.sentence_at(begin))):
            return False
        if self.before and not self._before.search(reading.text[max(first, begin - WIDEST) : begin]):
            return False
        return not self.behind or self._behind.match(reading.text[end:last]) is not None

    @cached_property
    def _before(self) -> re.Pattern[str]:
        return re.compile(f"(?:{self.vocabulary.source(self.before)}) ?$")

    @cached_property
    def _words(self) -> re.Pattern[str]:
        return re.compile(self.vocabulary.source(self.words))

    @cached_property
    def _unless(self) -> re.Pattern[str]:
        return re.compile(self.vocabulary.source(self.unless))

    @cached_property
    def _behind(self) -> re.Pattern[str]:
        return re.compile(f" ?(?:{self.vocabulary.source(self.behind)})")


@dataclass(frozen=True, eq=False)
class Predicate:
    """A named predicate.

    Attributes:
        makes: What becomes of a finding of which it holds.
        any_of: The ways in which it is told.
    """

    id: str
    makes: Makes
    any_of: tuple[Surroundings, ...]

    def holds(self, reading: Reading, span: Span) -> bool:
        """Return whether it holds of the words found."""
        return any(one.hold(reading, span) for one in self.any_of)
