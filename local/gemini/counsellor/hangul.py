"""Splits Hangul syllables, and selects particles that agree with the preceding word."""

import re
from typing import NamedTuple

_FIRST, _LAST = 0xAC00, 0xD7A3
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
# In speech 0 1 3 6 7 8 and the letters L M N R end in a consonant.
_CLOSED_OTHERS = frozenset("013678lmnrLMNR")
_LIEUL_OTHERS = frozenset("178lrLR")
_PLACE = re.compile(r"\{(\w+)(?::([^{}]+))?\}")

PARTICLES = {
    "은": ("은", "는"),
    "이": ("이", "가"),
    "을": ("을", "를"),
    "과": ("과", "와"),
    "이랑": ("이랑", "랑"),
    "이에요": ("이에요", "예요"),
    "이라고": ("이라고", "라고"),
    "이라는": ("이라는", "라는"),
    "이군요": ("이군요", "군요"),
    "이나": ("이나", "나"),
    "아": ("아", "야"),
    "으로": ("으로", "로"),
}
"""Key: the form after a consonant. Value: forms after a consonant and after a vowel."""


class Syllable(NamedTuple):
    """A syllable's letters; `final` is "" for an open one."""

    initial: str
    vowel: str
    final: str

    def __str__(self) -> str:
        index = _INITIALS.index(self.initial) * 588 + _VOWELS.index(self.vowel) * 28
        return chr(_FIRST + index + _FINALS.index(self.final or " "))


def take_apart(character: str) -> Syllable | None:
    """Return the letters of a Hangul syllable; None for another character."""
    if len(character) != 1 or not _FIRST <= ord(character) <= _LAST:
        return None
    index = ord(character) - _FIRST
    return Syllable(_INITIALS[index // 588], _VOWELS[index // 28 % 21], _FINALS[index % 28].strip())


def final_of(word: str) -> str:
    """Return the last syllable's final consonant, or ""."""
    last = take_apart(word[-1:])
    return last.final if last else ""


def is_closed(word: str) -> bool:
    """Tell whether the word ends in a consonant in speech."""
    last = word.rstrip()[-1:]
    syllable = take_apart(last)
    return bool(syllable.final) if syllable else last in _CLOSED_OTHERS


def particle(word: str, after_consonant: str) -> str:
    """Return the form of a particle after the word; the particle is named by its form after a consonant."""
    closed, opened = PARTICLES[after_consonant]
    if after_consonant == "으로" and (final_of(word) == "ㄹ" or word[-1:] in _LIEUL_OTHERS):
        return opened
    return closed if is_closed(word) else opened


def with_particle(word: str, after_consonant: str) -> str:
    """Return the word with its particle."""
    return word + particle(word, after_consonant)


def fill(template: str, values: dict[str, str]) -> str:
    """Fill `{name}` and `{name:particle}`, e.g. `{who:이}`; a name without a value stays."""

    def put(found: re.Match[str]) -> str:
        value = values.get(found[1])
        if value is None:
            return found[0]
        return with_particle(value, found[2]) if found[2] in PARTICLES else value

    return _PLACE.sub(put, template)


def names_in(template: str) -> frozenset[str]:
    """Return the names of a template."""
    return frozenset(found[1] for found in _PLACE.finditer(template))


def literals(template: str) -> tuple[str, ...]:
    """Return the texts between a template's names."""
    return tuple(part.strip() for part in _PLACE.sub("\0", template).split("\0"))
