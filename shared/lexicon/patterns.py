"""The word lists of `data/lexicon.yaml` as patterns, each compiled on first use."""

import re
import unicodedata
from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from typing import Literal

from shared.lexicon.clause_text import LONGEST_CLAUSE, clauses_of
from shared.lexicon.emotion_words import EmotionReader
from shared.lexicon.lexicon_file import BilingualPhrases, LexiconFile, MeaningLexicon
from shared.lexicon.plain_answers import PlainAnswers

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
        if not _HANGUL_FIRST <= ord(word[0]) <= _HANGUL_LAST:
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


_LETTERS: dict[Literal["ko", "en"], re.Pattern[str]] = {"ko": re.compile("[가-힣ㄱ-ㅎ]"), "en": re.compile("[a-zA-Z]")}
_QUESTIONS = ("ask_if_human", "ask_with_mark")
"""The longest lists: used only if a message has a word of `about_cbot`, and compiled by language, after `ask_lead`."""
_SELDOM = frozenset(("told_before", "told_behind"))
"""Lists that are used only for such a message."""


class Patterns:
    """The lists; `said` is a normalised text."""

    def __init__(self, file: LexiconFile, answers: PlainAnswers) -> None:
        self._file = file
        self.answers = answers
        self._noise = re.compile(file.noise)
        self._compiled: dict[str, re.Pattern[str]] = {}
        self.emotion = EmotionReader(file.emotion)
        self.meaning = MeaningReader(file.meaning)

    def normalise(self, text: str) -> str:
        """Return a text in one spelling of letters, marks and blanks, without noise (`ㅋㅋ`)."""
        composed = unicodedata.normalize("NFC", text).replace("\u2019", "'").replace("？", "?").replace("！", "!")
        return " ".join(self._noise.sub(" ", composed).split())

    def phrases(self, name: str) -> re.Pattern[str]:
        return self._pattern(name, lambda: self._joined(name))

    def word(self, name: str) -> re.Pattern[str]:
        """Return the pattern of a list's phrases as whole words."""
        return self._pattern(f"{name}, by word", lambda: f"(?:{self._joined(name)})(?=\\s|$)")

    def questions(self, name: str, said: str) -> tuple[re.Pattern[str], ...]:
        """Return a list's patterns in the languages whose letters the text has; the others are not compiled."""
        return tuple(
            self._pattern(f"{name}, {language}", partial(self._file.questions, language, getattr(self._file, name)))
            for language, letters in _LETTERS.items()
            if letters.search(said)
        )

    def no_more(self) -> re.Pattern[str]:
        """Return the pattern of "nothing more" with its verb ending."""
        return self._pattern(
            "no_more, to the end", lambda: f"(?:{self._joined('no_more')})(?:요|습니다|다|네요|음|을 ?것 ?같아요)?"
        )

    def lead_in(self) -> re.Pattern[str]:
        """Return the pattern of the lead-in words at the start of a text (`그건 그렇고`)."""
        return self._pattern("lead_in, at the start", lambda: f"(?:(?:{self._joined('lead_in')})[\\s,.…~]+)+")

    def consists_of(self, clause: str, *lists: str) -> bool:
        """Return whether a clause consists only of the lists' phrases; scans forward without backtracking."""
        patterns = [self.word(name) for name in lists]
        position = 0
        while position < len(clause):
            ends = [found.end() for pattern in patterns if (found := pattern.match(clause, position))]
            if not ends or max(ends) == position:
                return False
            position = max(ends) + 1
        return True

    def a_clause_is(self, name: str, said: str) -> bool:
        """Return whether a clause of the text is a phrase of the list."""
        pattern = self.phrases(name)
        return any(pattern.fullmatch(clause) for clause in clauses_of(said) if len(clause) <= LONGEST_CLAUSE)

    def preload(self) -> None:
        """Compile the lists that nearly every message needs."""
        self._compile(_SELDOM)

    def _compile(self, without: frozenset[str]) -> None:
        for field in LexiconFile.model_fields.keys() - {"ask_lead", *_QUESTIONS} - without:
            if isinstance(getattr(self._file, field), BilingualPhrases):
                self.phrases(field)
        self.emotion.read("")
        self.meaning.read("")

    def _joined(self, name: str) -> str:
        phrases: BilingualPhrases = getattr(self._file, name)
        return self._file.join(phrases)

    def _pattern(self, key: str, source: Callable[[], str]) -> re.Pattern[str]:
        if key not in self._compiled:
            self._compiled[key] = re.compile(source(), re.IGNORECASE)
        return self._compiled[key]


def _uninflected(syllable: str) -> str:
    final = _final(syllable)
    return chr(ord(syllable) - final) if final in _INFLECTED_FINALS else syllable


def _final(syllable: str) -> int:
    return (ord(syllable) - _HANGUL_FIRST) % _FINALS
