"""`lexicon.yaml`: the words that code recognises without a model."""

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import Field, model_validator

from shared.domain.counseling.user_state import EmotionLabel
from shared.model import Model

_FRAGMENT = re.compile(r"%([a-z_]+)%")


class BilingualPhrases(Model):
    """Regular expressions in both languages; all are tried, as Korean speakers mix in English."""

    ko: tuple[str, ...] = ()
    en: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Every pattern, Korean first."""
        return self.ko + self.en


class ExemplifiedPhrases(BilingualPhrases):
    """Patterns with test sentences.

    Attributes:
        examples: Sentences that match.
        others: Similar sentences that do not match.
    """

    examples: tuple[str, ...] = Field(min_length=1)
    others: tuple[str, ...] = Field(min_length=1)


class EmotionWords(Model):
    """Words of one emotion.

    Attributes:
        intensity: 0-10 of the plain word, without "very" or "a little".
        words: Word stems, not patterns.
        phrases: Patterns without groups, for what changes inside; each ends at a stem too.
    """

    label: EmotionLabel
    intensity: int = Field(ge=1, le=10)
    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()


class EmotionLexicon(Model):
    """Emotion words and what changes them.

    Attributes:
        examples: Sentences with a feeling of the user's own.
        others: Similar sentences without one.
        not_emotions: Words that only begin like an emotion (`불안정`).
        stronger, much_stronger, weaker: Patterns just before the word: +1, +2, -1.
        between: Adverbs that may stand inside a stem of several words.
        attached: Words that may precede an emotion without a space.
        negated_before, negated_after: Patterns around a word that negate it.
        eased_before, eased_after: Patterns around a word that say that it is less than before, or over.
        fears: Words that are no relief when eased.
        not_less: Patterns before `eased_before` that deny or only wish it ("I wish I felt less anxious").
        taken_back: Patterns behind a denied or eased word that leave the feeling ("안 무서운 건 아니에요").
        not_yet: Patterns behind an eased word that leave the feeling, too ("불안이 사라지면").
    """

    ko: tuple[EmotionWords, ...]
    en: tuple[EmotionWords, ...]
    examples: tuple[str, ...]
    others: tuple[str, ...]
    not_emotions: tuple[str, ...]
    between: tuple[str, ...]
    attached: tuple[str, ...]
    stronger: BilingualPhrases
    much_stronger: BilingualPhrases
    weaker: BilingualPhrases
    negated_before: BilingualPhrases
    negated_after: BilingualPhrases
    eased_before: BilingualPhrases
    eased_after: BilingualPhrases
    fears: tuple[str, ...]
    not_less: tuple[str, ...]
    taken_back: tuple[str, ...]
    not_yet: tuple[str, ...]


class MeaningLexicon(Model):
    """Words that do not count when two messages are compared.

    Attributes:
        particles: Endings of Korean words without a meaning of their own; not patterns.
        nouns: Nouns of one syllable that may lose a particle (`화가`, but not `휴가`); not patterns.
        empty: Patterns of whole words without meaning, with or without a particle.
    """

    particles: tuple[str, ...] = Field(min_length=1)
    nouns: tuple[str, ...] = Field(min_length=1)
    empty: BilingualPhrases


class LexiconFile(Model):
    """All lists. `%name%` in a pattern stands for the fragment of that name.

    Attributes:
        noise: Characters that carry no words (laughter, tears, tildes, emoji); removed first.
        ambiguous: Words that can be a yes as well as a no to "shall we stop here?".
    """

    noise: str
    fragments: dict[str, str]
    cancel: BilingualPhrases
    refuse: BilingualPhrases
    no_more: BilingualPhrases
    hesitant: BilingualPhrases
    ambiguous: BilingualPhrases
    agreeing_question: BilingualPhrases
    confirm: BilingualPhrases
    confirm_filler: BilingualPhrases
    end_request: BilingualPhrases
    end_exclude: BilingualPhrases
    task_done: BilingualPhrases
    all_said: BilingualPhrases
    backchannel: BilingualPhrases
    declines_one: BilingualPhrases
    resistance_strong: BilingualPhrases
    resistance_mild: BilingualPhrases
    topic_change: BilingualPhrases
    lead_in: BilingualPhrases
    about_cbot: BilingualPhrases
    ask_lead: BilingualPhrases
    ask_if_human: BilingualPhrases
    ask_with_mark: BilingualPhrases
    told_before: BilingualPhrases
    told_behind: BilingualPhrases
    emotion: EmotionLexicon
    meaning: MeaningLexicon

    @model_validator(mode="after")
    def _fragments_exist(self) -> "LexiconFile":
        for pattern in self._patterns():
            for name in _FRAGMENT.findall(pattern):
                if name not in self.fragments:
                    raise ValueError(f"unknown fragment %{name}%")
        return self

    def _patterns(self) -> Iterator[str]:
        for field in type(self).model_fields:
            value = getattr(self, field)
            if isinstance(value, BilingualPhrases):
                yield from value.all

    def join(self, phrases: BilingualPhrases) -> str:
        """Return one alternation of a list's patterns, fragments filled in."""
        return self._alternation(phrases.all)

    def questions(self, language: Literal["ko", "en"], phrases: BilingualPhrases) -> str:
        """Return an alternation of a list's patterns in one language, each after the lead-in of a question."""
        lead, asked = getattr(self.ask_lead, language), getattr(phrases, language)
        return f"(?:{self._alternation(lead)})(?:{self._alternation(asked)})"

    def _alternation(self, patterns: tuple[str, ...]) -> str:
        return "|".join(_FRAGMENT.sub(lambda found: self.fragments[found[1]], f"(?:{one})") for one in patterns)
