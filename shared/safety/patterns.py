"""The small pattern language of the rules, and what it compiles to.

Korean spacing is a matter of mood, so in a pattern
- two Hangul syllables side by side match with or without a space between them,
- a space means "a space or none",
- `<name>` stands for a fragment.
Classes and look-behinds are left as they are. Windows are written with an upper bound (`{0,20}`), and `*` and `+` have
one: up to eight words, up to 24 letters. So no match is longer than its pattern allows, and matching takes time in
proportion to the text.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from shared.safety.prefilter import Prefilter, prefilter_of

_AS_IT_IS = re.compile(r"(\\[a-zA-Z][*+]?|\\.|\(\?<[=!][^)]*\)|\[[^\]]*\][*+]?)")
_BETWEEN_SYLLABLES = re.compile(r"(?<=[가-힣])(?=[가-힣])")
_BRACKET_OR_BAR = re.compile(r"\\.|\[\^?[^\]]*\]|[()|]")
_GROUP = "(?:"
_FRAGMENT = re.compile(r"<([a-z_]+)>")
_WORDS = {"*": "{0,8}", "+": "{1,8}"}
"""How often a group is repeated at most. Own figure: nobody writes nine intensifiers."""
_LETTERS = {"*": "{0,24}", "+": "{1,24}"}
"""How often a class is. Own figure: longer than the words of both languages."""


class Trial(NamedTuple):
    """How a pattern is tried where one of its words stands; in one piece, as a message asks for hundreds.

    Attributes:
        at_once: Whether every match begins with the word.
        look: Tries the pattern at the word, or else looks before it for the head of a match.
        nearest: Letters before the word at which a match begins, at least.
        furthest: And at most.
        reach: Letters that decide whether the head is there.
    """

    at_once: bool
    look: Callable[..., re.Match[str] | None]
    nearest: int
    furthest: int
    reach: int


@dataclass(frozen=True, eq=False)
class Pattern:
    """One expanded pattern; compiled when a text first has its words, which spares a cold start most of them."""

    source: str
    known: Prefilter | None = None

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The regular expression.

        Raises:
            re.error: The source is none.
        """
        return re.compile(self.source)

    @cached_property
    def head(self) -> re.Pattern[str]:
        """What every match begins with, quick to look for: the engine skips ahead to the letters it can begin with."""
        head, first = self.source[: self.prefilter.head], self.prefilter.first
        if first is None:
            return re.compile(head)
        letters = "".join(map(re.escape, sorted(first)))
        return re.compile(f"[{letters}](?<=(?={head})[{letters}])")

    def compile(self) -> bool:
        """Compile what a text would else have to wait for; return whether there was something left to compile."""
        searched = ("regex",) if self.begins_with_word else ("regex", "head")
        left = [name for name in searched if name not in vars(self)]
        for name in left:
            getattr(self, name)
        return bool(left)

    @cached_property
    def begins_with_word(self) -> bool:
        """Whether every match begins with one of the words that tell where it is worth a try."""
        anchor = self.prefilter.anchor
        return anchor is not None and not anchor.furthest

    @cached_property
    def trial(self) -> Trial:
        """How it is tried where one of its words stands.

        Raises:
            ValueError: It has no word.
        """
        anchor, _, _, reach = self.prefilter
        if anchor is None:
            raise ValueError(f"tried everywhere: {self.source}")
        if self.begins_with_word:
            return Trial(True, self.regex.match, 0, 0, reach)
        return Trial(False, self.head.search, anchor.nearest, anchor.furthest, reach)

    @cached_property
    def prefilter(self) -> Prefilter:
        """The words without which it cannot match."""
        return self.known or prefilter_of(self.source)


def expand(pattern: str, fragments: Mapping[str, str]) -> str:
    """Return `pattern` as a regular expression.

    Raises:
        KeyError: It names a fragment that is not there.
    """
    pieces = _AS_IT_IS.split(_filled(pattern, fragments))
    pieces[::2] = [_spaced(piece) for piece in pieces[::2]]
    pieces[1::2] = [_bounded(piece) for piece in pieces[1::2]]
    return "".join(pieces)


def _filled(pattern: str, fragments: Mapping[str, str]) -> str:
    """Return a pattern with its fragments in their places, and those that they name in theirs."""
    return _FRAGMENT.sub(lambda found: _filled(fragments[found[1]], fragments), pattern)


def alternatives(pattern: str) -> tuple[str, ...]:
    """Return the alternatives of a pattern that has some at its top, or in a group that is all of it; else itself."""
    bars: list[int] = []
    groups: list[int] = []
    depth = 0
    for found in _BRACKET_OR_BAR.finditer(pattern):
        depth += (found[0] == "(") - (found[0] == ")")
        if depth == 0 and found[0] in "|)":
            (bars if found[0] == "|" else groups).append(found.start())
    if bars:
        ends = zip([-1, *bars], [*bars, len(pattern)], strict=True)
        return tuple(chain.from_iterable(alternatives(pattern[begin + 1 : end]) for begin, end in ends))
    if pattern.startswith(_GROUP) and groups == [len(pattern) - 1]:
        return alternatives(pattern[len(_GROUP) : -1])
    return (pattern,)


def patterns_of(written: Sequence[str], fragments: Mapping[str, str]) -> tuple[Pattern, ...]:
    """Return `written` as patterns, each alternative as one of its own: it has words that the others need not have.

    Raises:
        KeyError: One names a fragment that is not there.
    """
    return tuple(Pattern(one) for pattern in written for one in alternatives(expand(pattern, fragments)))


def _spaced(piece: str) -> str:
    for sign, times in _WORDS.items():
        piece = piece.replace(f"){sign}", f"){times}")
    return _BETWEEN_SYLLABLES.sub(" ?", piece.replace(" ", " ?"))


def _bounded(piece: str) -> str:
    sign = piece[-1]
    return piece[:-1] + _LETTERS[sign] if len(piece) > 2 and sign in _LETTERS else piece
