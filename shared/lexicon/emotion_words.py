"""Reads the emotion that a user names: its intensity, and whether it is denied or another person's."""

import re
from collections.abc import Callable, Iterator
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
RELIEVED = Feeling(EmotionLabel.RELIEF, CLEAR_EMOTION)
"""A painful feeling that is less than before, or over."""


def _any_of(phrases: BilingualPhrases) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in phrases.all), re.IGNORECASE)


def _just_before(phrases: BilingualPhrases) -> re.Pattern[str]:
    joined = "|".join(f"(?:{one})" for one in phrases.all)
    return re.compile(rf"(?:^|[^가-힣\w])(?:{joined})\s*$", re.IGNORECASE)


def _compiled(name: str, compiled: Callable[[BilingualPhrases], re.Pattern[str]]) -> cached_property[re.Pattern[str]]:
    return cached_property(lambda self: compiled(getattr(self._words, name)))


class EmotionReader:
    """Finds emotion words; compiled when first used."""

    def __init__(self, words: EmotionLexicon) -> None:
        self._words = words

    def read(self, said: str) -> tuple[Feeling, ...]:
        """Return the feelings in normalised text, the strongest first; of equals the painful, then the earliest."""
        return tuple(
            sorted((one for _, one in self._all(said)), key=lambda one: (-one.intensity, one.label in PLEASANT))
        )

    def _all(self, said: str) -> Iterator[tuple[str, Feeling]]:
        """Yield the words that name feelings; what says that one has eased names no other ("마음이 가라앉았어요")."""
        end = 0
        for found in self._pattern.finditer(said):
            word = self._between.sub(" ", found[0].lower())
            plain = self._of_phrase[found.lastgroup] if found.lastgroup else self._known.get(word)
            before = said[max(0, found.start() - _BEFORE) : found.start()]
            if plain is None or found.start() < end:
                continue
            if eased := self._eased_to(said, found, before):
                end = eased
                if plain.label not in PLEASANT and word not in self._words.fears:
                    yield found[0], RELIEVED
            elif not self._denied(said, found, before):
                yield found[0], self._changed(plain, before)

    def _eased_to(self, said: str, found: re.Match[str], before: str) -> int | None:
        """Return where the words end which say that the feeling is less or over; None if nothing says so."""
        less = self._eased_before.search(before)
        if less and not self._not_less.search(before[: less.start() + 1]):
            return None if self._not_yet.match(said, found.end()) else found.end()
        after = self._eased_after.match(said, found.end())
        return after.end() if after and not self._not_yet.match(said, after.end()) else None

    def _denied(self, said: str, found: re.Match[str], before: str) -> bool:
        """Return whether the feeling is denied, or another's; "안 무서운 건 아니에요" denies none."""
        if self._negated_before.search(before):
            return not self._taken_back.match(said, found.end())
        after = self._negated_after.match(said, found.end())
        return after is not None and not self._taken_back.match(said, after.end())

    def _changed(self, plain: Feeling, before: str) -> Feeling:
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

    _negated_before = _compiled("negated_before", _just_before)
    _negated_after = _compiled("negated_after", _any_of)
    _eased_before = _compiled("eased_before", _just_before)

    @cached_property
    def _not_less(self) -> re.Pattern[str]:
        return re.compile("|".join(self._words.not_less), re.IGNORECASE)

    _eased_after = _compiled("eased_after", _any_of)

    @cached_property
    def _taken_back(self) -> re.Pattern[str]:
        return re.compile("|".join(self._words.taken_back), re.IGNORECASE)

    @cached_property
    def _not_yet(self) -> re.Pattern[str]:
        return re.compile("|".join(self._words.taken_back + self._words.not_yet), re.IGNORECASE)

    _stronger = _compiled("stronger", _just_before)
    _much_stronger = _compiled("much_stronger", _just_before)
    _weaker = _compiled("weaker", _just_before)


def _longest_first(words: list[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
