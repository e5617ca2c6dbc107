"""Finds the content words of a message in a common form, so that two messages can be compared."""

import re
from functools import cached_property, lru_cache

from shared.lexicon.lexicon_file import MeaningLexicon

STEM_SYLLABLES = 2
"""Korean syllables of a word that are compared: endings follow them (`무시해서`, `무시했어요`)."""
STEM_LETTERS = 5
"""Latin letters of a word that are compared (`ignore`, `ignores`, `ignoring`)."""

_QUOTED = re.compile(r"""(?:["“][^"”]{2,}["”]|(?<!\w)['‘][^'’]{2,}['’](?!s\b))[가-힣]{0,3}""")
"""A quotation with its particle (`“…”라고`)."""
_WORD = re.compile(r"[가-힣]+|[a-z0-9']+")
_HANGUL_FIRST, _HANGUL_LAST, _FINALS = 0xAC00, 0xD7A3, 28
_INFLECTED_FINALS = frozenset({4, 8, 16, 17, 20})
"""ㄴ ㄹ ㅁ ㅂ ㅆ: finals that conjugation adds to a stem's last syllable (`힘들다`, `힘든`; `외롭다`, `외로워`)."""
_ENDINGS = frozenset("아어고지는은을던게다네죠")
"""Syllables after a stem of one syllable with a final consonant (`많아요`, `많고`)."""


class MeaningReader:
    """Finds content words; compiled when first used."""

    def __init__(self, words: MeaningLexicon) -> None:
        self._words = words
        self._stem = lru_cache(maxsize=4096)(self._stem_of)

    def read(self, said: str) -> frozenset[str]:
        """Return the content words of normalised text, without quotations: those were said by others, or before."""
        found = (self._stem(word) for word in _WORD.findall(_QUOTED.sub(" ", said).lower()))
        return frozenset(word for word in found if word)

    def _stem_of(self, word: str) -> str:
        if self._empty.fullmatch(word):
            return ""
        if not _is_hangul(word[0]):
            return word.strip("'")[:STEM_LETTERS] if len(word) > 1 else ""
        if word[0] in self._words.nouns and self._empty.fullmatch(word, 1):
            return word[0]
        bare = self._particle.sub("", word)
        if len(bare) == 1:
            bare = bare if bare in self._words.nouns else word
        elif self._empty.fullmatch(bare):
            return ""
        if len(bare) > 1 and bare[1] in _ENDINGS and _final(bare[0]):
            return bare[0]
        return bare[:1] + "".join(_uninflected(one) for one in bare[1:STEM_SYLLABLES])

    @cached_property
    def _empty(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{one})" for one in self._words.empty.all), re.IGNORECASE)

    @cached_property
    def _particle(self) -> re.Pattern[str]:
        longest_first = sorted(self._words.particles, key=len, reverse=True)
        return re.compile(rf"(?<=[가-힣])(?:{'|'.join(map(re.escape, longest_first))})$")


def _is_hangul(character: str) -> bool:
    return _HANGUL_FIRST <= ord(character) <= _HANGUL_LAST


def _uninflected(syllable: str) -> str:
    final = _final(syllable)
    return chr(ord(syllable) - final) if final in _INFLECTED_FINALS else syllable


def _final(syllable: str) -> int:
    """Return the number of the final consonant, 0 for none."""
    return (ord(syllable) - _HANGUL_FIRST) % _FINALS
