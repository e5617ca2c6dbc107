"""Predicates on the words that a rule found, which lower the finding within their clause.

A predicate looks right before and after the words found: they are denied, attributed to another person or a work, or
past. Imminent findings are only lowered if another person is the subject: then the user is told to call for help.
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
"""Letters before the words found that are searched."""


class Makes(StrEnum):
    """What a predicate turns a finding into."""

    NOTHING = "nothing"
    """The words mean something else, or it is over."""
    HINT = "hint"
    """Denied, over or of something else, as it seems: a model judges it, and without one it is asked about."""
    CONCERN = "concern"
    """To be asked about."""
    THIRD_PARTY = "third_party"
    """About another person."""


_NEVER_LOWERED = frozenset({CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED})


def may_lower(makes: Makes, outcome: CrisisOutcome) -> bool:
    """Return whether rules of an outcome may use a predicate."""
    return makes is Makes.THIRD_PARTY or outcome not in _NEVER_LOWERED


def lowered(outcome: CrisisOutcome, makes: Makes) -> CrisisOutcome:
    """Return the lowered outcome; never more pressing than before."""
    match makes:
        case Makes.NOTHING | Makes.HINT:
            return CrisisOutcome.NONE
        case Makes.CONCERN:
            into = CrisisOutcome.CONCERN
        case Makes.THIRD_PARTY:
            now = outcome in _NEVER_LOWERED
            into = CrisisOutcome.THIRD_PARTY_NOW if now else CrisisOutcome.THIRD_PARTY
        case _:
            assert_never(makes)
    return min(outcome, into, key=lambda one: one.severity)


def _compiled(name: str, within: str = "{}") -> cached_property[re.Pattern[str]]:
    return cached_property(lambda self: re.compile(within.format(self.vocabulary.source(getattr(self, name)))))


@dataclass(frozen=True, eq=False)
class Surroundings:
    """One form of a predicate.

    Attributes:
        before: Pattern that ends where the words found begin; "" for any.
        behind: Pattern that begins where they end.
        words: Pattern at the start of the words found.
        unless: Pattern that must not occur in their sentence, because the danger goes on.
        previous: Pattern that must occur in the sentence before, whose subject the words then have.
        within: Pattern that must occur in their own sentence.
        following: Pattern that must occur in the sentence after, which says what for.
    """

    before: str
    behind: str
    words: str
    vocabulary: Vocabulary
    unless: str = ""
    previous: str = ""
    within: str = ""
    following: str = ""

    def hold(self, reading: Reading, span: Span) -> bool:
        """Return whether all patterns hold around the words found, within their clause."""
        first, last = reading.clause(span)
        begin, end = span
        if self.words and not self._words.match(reading.text[begin:end]):
            return False
        if self.unless and self._unless.search(reading.text, *reading.sentence(reading.sentence_at(begin))):
            return False
        if self.previous and not self._said_in(reading, begin, -1, self._previous):
            return False
        if self.within and not self._said_in(reading, begin, 0, self._within):
            return False
        if self.following and not self._said_in(reading, end - 1, 1, self._following):
            return False
        if self.before and not self._before.search(reading.text[max(first, begin - WIDEST) : begin]):
            return False
        return not self.behind or self._behind.match(reading.text[end:last]) is not None

    def _said_in(self, reading: Reading, position: int, step: int, pattern: re.Pattern[str]) -> bool:
        """Return whether the sentence before (-1) that of a position, this one (0), or the next (1) has the pattern."""
        number = reading.sentence_at(position) + step
        if not 0 <= number < len(reading.starts) - 1:
            return False
        return pattern.search(reading.text[slice(*reading.sentence(number))]) is not None

    _within = _compiled("within")
    _following = _compiled("following")
    _previous = _compiled("previous")
    _before = _compiled("before", "(?:{}) ?$")
    _words = _compiled("words")
    _unless = _compiled("unless")
    _behind = _compiled("behind", " ?(?:{})")


@dataclass(frozen=True, eq=False)
class Predicate:
    """A named predicate.

    Attributes:
        makes: What it turns a finding into.
        any_of: Its alternative forms.
    """

    id: str
    makes: Makes
    any_of: tuple[Surroundings, ...]

    def holds(self, reading: Reading, span: Span) -> bool:
        """Return whether it holds for the words found."""
        return any(one.hold(reading, span) for one in self.any_of)
