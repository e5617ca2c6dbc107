"""What a text must contain before a pattern is worth trying.

Trying hundreds of patterns on 4,000 characters costs tens of milliseconds; asking first where their words come together
costs one. `clauses` reads a pattern of our own language (groups, classes, quantifiers; see patterns.py) into
clauses "one of these strings occurs", all of which must hold. It may ask for too little, never for too much. Spaces are
left out, of the strings here and of the text there (reading.py), since nearly all of them are optional.
"""

import re
from typing import TypeAlias

from shared.domain.safety.reading import Clause

Strings: TypeAlias = frozenset[str]
_QUANTIFIER = re.compile(r"(?:([?*])|\+|\{(\d+)(?:,\d*)?\})\??")
_CLASS = re.compile(r"\[(\^?)([^\]]*)\]")
_LITERAL = re.compile(r"[^\\()\[\]|?*+{}.^$]")
_LOOKAROUND = re.compile(r"\?(?:<?[=!])")


def clauses(pattern: str) -> tuple[Clause, ...]:
    """Return what every text that `pattern` matches contains, its spaces left out: one string of each clause.

    The most telling come first.
    """
    needed = sorted(dict.fromkeys(_Reader(pattern).alternatives()), key=_strength, reverse=True)
    return tuple(Clause(strings, frozenset(string[:2] for string in strings)) for strings in needed)


class _Reader:
    """Reads one pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def alternatives(self) -> list[Strings]:
        """Read to the end or to the bracket that closes the group, which is consumed."""
        branches = [self._branch()]
        while self._at < len(self._pattern):
            closing = self._pattern[self._at] == ")"
            self._at += 1
            if closing:
                break
            branches.append(self._branch())
        if len(branches) == 1:
            return branches[0]
        if not all(branches):
            return []
        return [frozenset().union(*(max(branch, key=_strength) for branch in branches))]

    def _branch(self) -> list[Strings]:
        found: list[Strings] = []
        run = ""
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            literal = _LITERAL.match(self._pattern, self._at)
            atom = self._atom()
            quantifier = _QUANTIFIER.match(self._pattern, self._at)
            if quantifier:
                self._at = quantifier.end()
            if literal and literal[0] == " ":
                continue
            if literal and not quantifier:
                run += literal[0]
                continue
            found.extend(_clause_of(run))
            run = ""
            if not (quantifier and (quantifier[1] or quantifier[2] == "0")):
                found.extend(atom)
        return found + _clause_of(run)

    def _atom(self) -> list[Strings]:
        char = self._pattern[self._at]
        if char == "(":
            return self._group()
        if found := _CLASS.match(self._pattern, self._at):
            self._at = found.end()
            plain = not found[1] and not set("-\\") & set(found[2])
            return [frozenset(found[2])] if plain and " " not in found[2] else []
        self._at += 2 if char == "\\" else 1
        return _clause_of(char) if _LITERAL.fullmatch(char) else []

    def _group(self) -> list[Strings]:
        self._at += 1
        look = _LOOKAROUND.match(self._pattern, self._at)
        self._at = look.end() if look else self._at + 2 * self._pattern.startswith("?:", self._at)
        inside = self.alternatives()
        return [] if look else inside


def _clause_of(run: str) -> list[Strings]:
    return [frozenset((run,))] if run else []


def _strength(clause: Strings) -> tuple[int, int]:
    return min(map(len, clause)), -len(clause)
