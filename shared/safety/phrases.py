"""Phrases that a user may say in answer to the protocol, as patterns with exclusions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from shared.safety.patterns import expand
from shared.safety.reading import Reading, Span


class Phrases:
    """Ways of saying one thing, compiled at first use."""

    def __init__(self, patterns: Iterable[str], exclusions: Iterable[str], fragments: Mapping[str, str]) -> None:
        """Create it.

        Args:
            patterns: Patterns to find.
            exclusions: A hit that overlaps one of these in its sentence does not count.
            fragments: Fragments of both.

        Raises:
            KeyError: A pattern names an unknown fragment.
        """
        self._found = [expand(one, fragments) for one in patterns]
        self._excluded = [expand(one, fragments) for one in exclusions]

    def heard(self, readings: Sequence[Reading]) -> bool:
        """Return whether one of the phrases is in one of a message's readings."""
        return any(self._counts(reading, span) for reading in readings for span in self._hits(reading))

    def _hits(self, reading: Reading) -> Iterable[Span]:
        spans = (found.span() for pattern in self._patterns for found in pattern.finditer(reading.text))
        return (span for span in spans if not reading.begins_inside_word(span))

    def _counts(self, reading: Reading, span: Span) -> bool:
        first, last = reading.sentence(reading.sentence_at(span[0]))
        stretch = reading.text[first : max(last, span[1])]
        begin, end = span[0] - first, span[1] - first
        matches = (found for pattern in self._exclusions for found in pattern.finditer(stretch))
        return not any(found.start() < end and begin < found.end() for found in matches)

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [re.compile(source) for source in self._found]

    @cached_property
    def _exclusions(self) -> list[re.Pattern[str]]:
        return [re.compile(source) for source in self._excluded]
