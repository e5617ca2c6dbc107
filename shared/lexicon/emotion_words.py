"""Reads the emotion that a user names: its intensity, and whether it is denied or another person's."""

import re
from functools import cached_property
from typing import NamedTuple

from shared.domain.counseling.user_state import CLEAR_EMOTION, PLEASANT, STRONG_EMOTION, EmotionLabel
from shared.lexicon.lexicon_file import BilingualPhrases, EmotionLexicon

_BEFORE = 30
"""Characters examined before a word."""
_STRONGEST = 10


class Feeling(NamedTuple):
    """An emotion and its intensity (0-10)."""

    label: EmotionLabel
    intensity: int


NEUTRAL = Feeling(EmotionLabel.NEUTRAL, 0)


class EmotionReader:
    """Finds emotion words; compiled when first used."""

    def __init__(self, words: EmotionLexicon) -> None:
        self._words = words

    def read(self, said: str) -> tuple[Feeling, ...]:
        """Return the feelings in normalised text, the strongest first, the earliest of equals."""
        feelings = (self._feeling(said, found) for found in self._pattern.finditer(said))
        return tuple(sorted((one for one in feelings if one), key=lambda one: -one.intensity))

    def painful_words(self, said: str) -> frozenset[str]:
        """Return the words of normalised text that name a clear unpleasant feeling."""
        feelings = ((found[0], self._feeling(said, found)) for found in self._pattern.finditer(said))
        return frozenset(
            word for word, one in feelings if one and one.intensity >= CLEAR_EMOTION and one.label not in PLEASANT
        )

    def _feeling(self, said: str, found: re.Match[str]) -> Feeling | None:
        word = self._between.sub(" ", found[0].lower())
        plain = self._of_phrase[found.lastgroup] if found.lastgroup else self._known.get(word)
        before = said[max(0, found.start() - _BEFORE) : found.start()]
        if plain is None or self._negated_before.search(before) or self._negated_after.match(said, found.end()):
            return None
        intensity = min(max(plain.intensity + self._change(before), 1), _STRONGEST)
        if plain.label in PLEASANT:
            # Strong joy needs no regulation, which STRONG_EMOTION would call for.
            intensity = min(intensity, STRONG_EMOTION - 1)
        return Feeling(plain.label, intensity)

    def _change(self, before: str) -> int:
        if self._much_stronger.search(before):
            return 2
        if self._stronger.search(before):
            return 1
        return -1 if self._weaker.search(before) else 0

    @cached_property
    def _known(self) -> dict[str, Feeling]:
        groups = self._words.ko + self._words.en
        return {word.lower(): Feeling(group.label, group.intensity) for group in groups for word in group.words}

    @cached_property
    def _of_phrase(self) -> dict[str, Feeling]:
        return {f"p{n}": Feeling(one.label, one.intensity) for n, one in enumerate(self._words.ko) if one.phrases}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        stems = [word for group in self._words.ko for word in group.words]
        korean = _longest_first(stems + list(self._words.not_emotions)).replace(r"\ ", self._between.pattern)
        english = _longest_first([word for group in self._words.en for word in group.words])
        attached = "|".join(f"(?<={re.escape(word)})" for word in self._words.attached)
        phrases = "|".join(f"(?P<p{n}>{'|'.join(one.phrases)})" for n, one in enumerate(self._words.ko) if one.phrases)
        return re.compile(rf"(?:(?<![가-힣])|{attached})(?:{phrases}|{korean})|\b(?:{english})\b", re.IGNORECASE)

    @cached_property
    def _between(self) -> re.Pattern[str]:
        """Match a blank inside a stem of several words, with an adverb in it ("숨이 턱 막혀요")."""
        return re.compile(rf" (?:(?:{'|'.join(self._words.between)}) )?")

    @cached_property
    def _negated_before(self) -> re.Pattern[str]:
        return _just_before(self._words.negated_before)

    @cached_property
    def _negated_after(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{one})" for one in self._words.negated_after.all), re.IGNORECASE)

    @cached_property
    def _stronger(self) -> re.Pattern[str]:
        return _just_before(self._words.stronger)

    @cached_property
    def _much_stronger(self) -> re.Pattern[str]:
        return _just_before(self._words.much_stronger)

    @cached_property
    def _weaker(self) -> re.Pattern[str]:
        return _just_before(self._words.weaker)


def _longest_first(words: list[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _just_before(phrases: BilingualPhrases) -> re.Pattern[str]:
    joined = "|".join(f"(?:{one})" for one in phrases.all)
    return re.compile(rf"(?:^|[^가-힣\w])(?:{joined})\s*$", re.IGNORECASE)
