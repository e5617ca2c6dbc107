"""Whether a sentence says what a passage says: its words stand there, and it does not turn one of its clauses round.

Words alone cannot tell "직원이 실시간으로 지켜봐요" from "실시간으로 지켜보는 직원이 없습니다". A clause that has most
of its words in common with one of the passage is therefore compared with it by whether both deny. A clause of which
that is not plain is compared with none. What the rules cut and let through is measured in decision 0051.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from shared.domain.agreement.tokens import normalised, units, units_of, words
from shared.domain.agreement.vocabulary import Vocabulary

LEAST = 0.3
"""Part of a sentence's words that must stand in what it cites: faithful retellings use many words of their own."""
MOST = 0.6
"""Part of a clause's words that another clause must have to be about the same."""

_KOREAN = re.compile(r"[가-힣]")
_DENIAL = r"않|없(?!어[지진질집져졌])|아니|아닙|못(?!된)|(?<![가-힣])안(?= )|(?<=지 )마[십세]|(?<=지)마[십세]"
_DENIES = re.compile(rf"{_DENIAL}|\b(?:no|not|never|nobody|none|nothing|neither|nor|cannot)\b|n['’]t\b")
_DENIAL_WORD = re.compile(rf"(?:{_DENIES.pattern}|없이)[가-힣]*|\b\w+n['’]t\b")
_WITHOUT = re.compile(r"없이|\bwithout\b")
_CLAUSE_END = re.compile(
    r"(?<=[.;])\s|\n|(?<=[가-힣])(?:며|고|지만), ?|(?:으나|아니라|않고|없고|않으며|지만|는데) |\bbut "
)
_ANSWERS = re.compile(r"^\W*(?:네|예|아니요|아뇨|맞아요|yes|no)[,.!]\s+", re.IGNORECASE)
"""A yes or no to the question says nothing about the matter."""
_AS_WRITTEN = re.compile(r"[“\"「『«][^”\"」』»]+[”\"」』»](?=이?라?고)")
"""A quotation that tells what is written. That it stands there is checked; it may end before the verb that denies."""
_ITEM = re.compile(r"\d{1,2}[.)] ")
_ENDING_WORDS = 2
"""Words at the end of a Korean clause, where its verb stands."""


class _Clause(NamedTuple):
    """`denies` is None where it is not plain, and for an item of a list, which goes with the sentence above it."""

    stems: tuple[str, ...]
    denies: bool | None


def has_words(sentence: str, text: str, vocabulary: Vocabulary) -> bool:
    """Return whether enough words of a sentence, or legal words for them, stand in a text.

    Words of another script than the text's do not count; figures have a check of their own.
    """
    plain = normalised(text)
    korean = _KOREAN.search(plain) is not None
    stems = dict.fromkeys(words(_DENIAL_WORD.sub(" ", normalised(sentence))))
    said = [stem for stem in stems if stem.isdigit() or stem.isascii() is not korean]
    found = frozenset((*units_of(plain), *filter(str.isdigit, said)))
    legal = sum(any(word in plain for word in known) for known in vocabulary.legal_words(sentence))
    return not said or _common(said, found) + legal / len(said) >= LEAST


def contradicts(sentence: str, text: str) -> bool:
    """Return whether a clause of a sentence denies what a clause of a text says, or says what that one denies."""
    standing = [(frozenset(unit for stem in one.stems for unit in units(stem)), one.denies) for one in _clauses(text)]
    for said in _clauses(_AS_WRITTEN.sub(" ", _ANSWERS.sub("", sentence))):
        if said.denies is None:
            continue
        alike = max(
            (_common(said.stems, found) for found, denies in standing if denies in (said.denies, None)), default=0
        )
        other = max(
            (_common(said.stems, found) for found, denies in standing if denies is (not said.denies)), default=0
        )
        if other >= MOST and other > alike:
            return True
    return False


def _common(stems: Sequence[str], found: frozenset[str]) -> float:
    return sum(any(unit in found for unit in units(stem)) for stem in stems) / len(stems)


def _clauses(text: str) -> Iterator[_Clause]:
    for line in normalised(text).splitlines():
        item = _ITEM.match(line) is not None
        ends = [0, *(found.end() for found in _CLAUSE_END.finditer(line)), len(line)]
        for start, end in pairwise(ends):
            clause = line[start:end]
            if stems := tuple(words(_DENIAL_WORD.sub(" ", clause))):
                yield _Clause(stems, None if item else _denies(clause))


def _denies(clause: str) -> bool | None:
    if _WITHOUT.search(clause):
        return None
    if not _DENIES.search(clause):
        return False
    ending = " ".join(clause.split()[-_ENDING_WORDS:]) if _KOREAN.search(clause) else clause
    return True if _DENIES.search(ending) else None
