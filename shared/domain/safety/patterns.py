"""The small pattern language of the rules, and what it compiles to.

Korean spacing is a matter of mood, so in a pattern
- two Hangul syllables side by side match with or without a space between them,
- a space means "a space or none",
- `<name>` stands for a fragment.
Classes and look-behinds are left as they are. Windows are written with an upper bound (`{0,20}`), which keeps the
matching linear in the text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.prefilter import Clause, clauses, present

_GAP = " ?"
_TOKEN = re.compile(r"\(\?<[=!][^)]*\)|\[[^\]]*\]|[가-힣](?=[가-힣])| ")
_FRAGMENT = re.compile(r"<([a-z_]+)>")


@dataclass(frozen=True)
class Pattern:
    """One expanded pattern; compiled when a text first has its words, which spares a cold start most of them."""

    source: str

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The regular expression.

        Raises:
            re.error: The source is none.
        """
        return re.compile(self.source)

    @cached_property
    def needs(self) -> tuple[Clause, ...]:
        """The words without which it cannot match."""
        return clauses(self.source)

    def possible(self, words: frozenset[str]) -> bool:
        """Return whether a text with these `words` of the vocabulary can match at all."""
        return not any(clause.isdisjoint(words) for clause in self.needs)


@dataclass(frozen=True, slots=True)
class Rule:
    """One compiled rule.

    Attributes:
        exclusions: A hit that overlaps one of these does not count; other hits of the rule still do.
        unless: The rule is silent when one of these is anywhere in the message.
    """

    id: str
    outcome: CrisisOutcome
    patterns: tuple[Pattern, ...]
    exclusions: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every string that a pattern or an exclusion asks for."""
        asking = self.patterns + self.exclusions
        return frozenset().union(*(clause for pattern in asking for clause in pattern.needs))

    def hits(self, reading: str, words: frozenset[str]) -> bool:
        """Return whether the rule finds anything in one normalised reading.

        Args:
            reading: The text.
            words: Which strings of the vocabulary occur in it.
        """
        hits = [
            hit.span()
            for pattern in self.patterns
            if pattern.possible(words)
            for hit in pattern.regex.finditer(reading)
        ]
        if not hits:
            return False
        excluded = self._excluded(reading, words)
        counts = any(not any(excluded[start:end]) for start, end in hits)
        return counts and not any(silent.regex.search(reading) for silent in self.unless)

    def _excluded(self, reading: str, words: frozenset[str]) -> bytearray:
        """Mark every character that an exclusion covers; once a reading, so that many hits stay linear."""
        marks = bytearray(len(reading))
        for exclusion in self.exclusions:
            if not exclusion.possible(words):
                continue
            for found in exclusion.regex.finditer(reading):
                start, end = found.span()
                marks[start:end] = b"\x01" * (end - start)
        return marks


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules that are matched together.

    Attributes:
        vocabulary: What their patterns ask for; looked up once a text.
    """

    rules: tuple[Rule, ...]
    vocabulary: frozenset[str]

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> "RuleSet":
        """Return the set of `rules`, in their order."""
        return cls(rules=tuple(rules), vocabulary=frozenset().union(*(rule.vocabulary for rule in rules)))

    def hits(self, reading: str) -> frozenset[str]:
        """Return the ids of the rules that find something in one normalised reading."""
        words = present(reading, self.vocabulary)
        return frozenset(rule.id for rule in self.rules if rule.hits(reading, words))


def expand(pattern: str, fragments: Mapping[str, str]) -> str:
    """Return `pattern` as a regular expression.

    Raises:
        KeyError: It names a fragment that is not there.
    """
    return _TOKEN.sub(_spaced, _FRAGMENT.sub(lambda found: fragments[found[1]], pattern))


def patterns_of(written: Sequence[str], fragments: Mapping[str, str]) -> tuple[Pattern, ...]:
    """Return `written` as patterns.

    Raises:
        KeyError: One names a fragment that is not there.
    """
    return tuple(Pattern(expand(pattern, fragments)) for pattern in written)


def _spaced(found: re.Match[str]) -> str:
    piece = found[0]
    if piece == " ":
        return _GAP
    return piece if piece[0] in "([" else piece + _GAP
