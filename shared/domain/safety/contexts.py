"""What stands around a finding and takes it down: a story, the news, a report of somebody else's words.

A context never silences. It turns the writer's crisis into a concern, which is asked about, or into worry about a
third party, who is helped through the writer.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.patterns import Pattern
from shared.domain.safety.reading import Reading

_LAUGHTER = re.compile(
    r"[ㅋㅎ]{2}|[ㅋㅎ](?=[ㅠㅜ])|\b(?:l(?:ol)+|lmf?ao+|rofl|ha(?:ha)+)\b|[😂🤣😆😅😹]", re.IGNORECASE
)

_HINTS = ("ㅋ", "ㅎ", "lo", "LO", "Lo", "lm", "LM", "Lm", "rof", "ROF", "ha", "HA", "Ha", *"😂🤣😆😅😹")
"""What laughter has in it; far quicker to look for."""


class Scope(StrEnum):
    """How far a context reaches."""

    SENTENCE = "sentence"
    """The sentence in which it stands."""
    MESSAGE = "message"
    """Everything that was written with it."""


@dataclass(frozen=True, slots=True)
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

    def surrounds(self, reading: Reading, sentence: int) -> bool:
        """Return whether the context holds for one sentence of a text."""
        if self.scope is Scope.MESSAGE:
            return _anywhere(self.patterns, reading) and not _anywhere(self.unless, reading)
        start, end = reading.sentences[sentence]
        if not any(pattern.regex.search(reading.text, start, end) for pattern in self.patterns):
            return False
        return not any(pattern.regex.search(reading.text, start, end) for pattern in self.unless)


def _anywhere(patterns: Iterable[Pattern], reading: Reading) -> bool:
    return any(pattern.spans(reading) for pattern in patterns)


def laughs(text: str) -> bool:
    """Return whether a text, as it was typed, has laughter in it; the normaliser drops it."""
    return any(hint in text for hint in _HINTS) and _LAUGHTER.search(text) is not None
