"""What stands around a finding and takes it down: a story, the news, a report of somebody else's words.

A context never silences. It turns the writer's crisis into a concern, which is asked about, or into worry about a
third party, who is helped through the writer.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.patterns import Pattern
from shared.domain.safety.search import PatternIndex, Search

_LAUGHING_JAMO = re.compile(r"[ㅋㅎ](?=[ㅋㅎㅠㅜ])")
_LAUGHING_PICTURES = "😂🤣😆😅😹"
_LAUGHING_WORD = re.compile(
    r"[LlRrHh](?<!\w.)(?i:(?<=l)(?:ol)+|(?<=l)mf?ao+|(?<=r)ofl|(?<=h)a(?:ha)+)\b"  # a rare letter first: far quicker
)
_LAUGHING_WORDS = (b"lol", b"lmao", b"lmfao", b"rofl", b"haha")


class Scope(StrEnum):
    """How far a context reaches."""

    SENTENCE = "sentence"
    """The sentence in which it stands."""
    MESSAGE = "message"
    """Everything that was written with it."""


@dataclass(frozen=True)
class Context:
    """One compiled context.

    Attributes:
        turns: The outcomes that it takes down.
        into: What becomes of them.
        laughing: It counts only in a message with laughter in it.
        unless: It does not count when one of these is in its scope.
    """

    id: str
    scope: Scope
    turns: frozenset[CrisisOutcome]
    into: CrisisOutcome
    patterns: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]
    laughing: bool = False

    @property
    def all_patterns(self) -> tuple[Pattern, ...]:
        """All that is looked for, and all that speaks against it."""
        return (*self.patterns, *self.unless)

    def surrounds(self, search: Search) -> bool:
        """Return whether it holds for what is in its scope, searched for its patterns among others."""
        return search.any(self._patterns) and not search.holds(self._speaking_against)

    @cached_property
    def _patterns(self) -> frozenset[Pattern]:
        return frozenset(self.patterns)

    @cached_property
    def _speaking_against(self) -> PatternIndex:
        return PatternIndex(self.unless)


def laughs(text: str) -> bool:
    """Return whether a text, as it was typed, has laughter in it; the normaliser drops it."""
    if any(picture in text for picture in _LAUGHING_PICTURES):
        return True
    if ("ㅋ" in text or "ㅎ" in text) and _LAUGHING_JAMO.search(text):
        return True
    latin = text.encode("ascii", "ignore")
    in_small = latin.lower()
    return any(
        # Letters in another mixture of cases are rather a slip than laughter.
        word in in_small and (word in latin or word.upper() in latin or word.capitalize() in latin)
        for word in _LAUGHING_WORDS
    ) and bool(_LAUGHING_WORD.search(text))
