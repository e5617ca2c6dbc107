"""Splits a short message into clauses, and matches whole clauses."""

import re
from collections.abc import Sequence

LONGEST_CLAUSE = 120
"""Maximum characters; a longer clause is more than a short answer or request."""

_CLAUSE_END = re.compile(r"[.!?,;~…。、\n]+")


def clauses_of(said: str) -> list[str]:
    """Return the clauses of a text without punctuation."""
    return [clause for part in _CLAUSE_END.split(said) if (clause := bare(part))]


def one_of(patterns: Sequence[re.Pattern[str]], clause: str) -> bool:
    """Return whether a pattern matches the whole clause."""
    return len(clause) <= LONGEST_CLAUSE and any(pattern.fullmatch(clause) for pattern in patterns)


def bare(part: str) -> str:
    """Strip blanks, quotation marks and brackets."""
    return part.strip(" \"'()")


def word_starts(clause: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer(r"\s", clause))]
