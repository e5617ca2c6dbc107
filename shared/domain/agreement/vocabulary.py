"""Everyday words, with the words that agreements use for the same thing."""

from collections.abc import Mapping

from shared.domain.agreement.tokens import normalised, words
from shared.model import Model

_FIRST = ord("가")
_SYLLABLES, _VOWELS, _FINALS = 11172, 21, 28
# ㅕ→ㅣ, ㅘ→ㅗ, ㅝ→ㅜ: how an ending contracts a stem (때려, 봐, 지워).
_CONTRACTED = {6: 20, 9: 8, 14: 13}


class Vocabulary(Model):
    """General vocabulary for search.

    Attributes:
        words: The legal words, by the beginning of an everyday word ("잘리": 해고). A key of one character is the whole
            word; a key with a space stands as it is.
    """

    words: Mapping[str, tuple[str, ...]]

    def legal_words(self, text: str) -> tuple[tuple[str, ...], ...]:
        """Return the legal words for each everyday word of a text; those of one word are alternatives."""
        plain = normalised(text)
        stems = tuple(words(plain))
        found = (legal for everyday, legal in self.words.items() if _is_said(everyday, plain, stems))
        return tuple(dict.fromkeys(found))


def _is_said(everyday: str, text: str, stems: tuple[str, ...]) -> bool:
    if len(everyday) == 1:
        return everyday in stems
    head, last = everyday[:-1], everyday[-1]
    at = text.find(head)
    while at >= 0:
        following = text[at + len(head) : at + len(head) + 1]
        if following and last in {following, _uninflected(following)} and not (at > 0 and text[at - 1].isalnum()):
            return True
        at = text.find(head, at + 1)
    return False


def _uninflected(syllable: str) -> str:
    """Return the syllable as it ends a stem: 지우 for 지운, 지울 and 지워."""
    at = ord(syllable) - _FIRST
    if not 0 <= at < _SYLLABLES:
        return syllable
    initial, vowel = divmod(at // _FINALS, _VOWELS)
    return chr(_FIRST + (initial * _VOWELS + _CONTRACTED.get(vowel, vowel)) * _FINALS)


NO_VOCABULARY = Vocabulary(words={})
