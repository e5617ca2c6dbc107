"""`session_words.yaml`: words about closing, going on and declining."""

import re

from pydantic import Field, model_validator

from shared.lexicon.lexicon_file import BilingualPhrases
from shared.model import Model

_FRAGMENT = re.compile(r"%([a-z_]+)%")


class ExemplifiedPhrases(BilingualPhrases):
    """Patterns with test sentences.

    Attributes:
        examples: Sentences that match.
        others: Similar sentences that do not match.
    """

    examples: tuple[str, ...] = Field(min_length=1)
    others: tuple[str, ...] = Field(min_length=1)


class SessionWordsFile(Model):
    """All lists. `%name%` in a pattern stands for the fragment of that name."""

    fragments: dict[str, str]
    asks_to_end: ExemplifiedPhrases
    asks_to_wrap_up: ExemplifiedPhrases
    other_object: BilingualPhrases
    wants_more: ExemplifiedPhrases
    wants_more_not: BilingualPhrases
    wants_to_stay: ExemplifiedPhrases
    says_misread: ExemplifiedPhrases
    corrects_value: ExemplifiedPhrases
    announces_correction: ExemplifiedPhrases
    first_time: ExemplifiedPhrases
    asks_for_experience: BilingualPhrases
    declines: ExemplifiedPhrases
    declines_name: ExemplifiedPhrases
    declines_filler: BilingualPhrases
    wants_none: ExemplifiedPhrases

    @model_validator(mode="after")
    def _fragments_exist(self) -> "SessionWordsFile":
        for field in type(self).model_fields:
            phrases = getattr(self, field)
            named = _FRAGMENT.findall(" ".join(phrases.all)) if isinstance(phrases, BilingualPhrases) else []
            if unknown := set(named) - set(self.fragments):
                raise ValueError(f"unknown fragment %{min(unknown)}%")
        return self

    def join(self, phrases: BilingualPhrases) -> str:
        """Return one alternation of a list's patterns, fragments filled in."""
        return "|".join(self._filled(f"(?:{pattern})") for pattern in phrases.all)

    def _filled(self, pattern: str) -> str:
        while _FRAGMENT.search(pattern):
            pattern = _FRAGMENT.sub(lambda found: self.fragments[found[1]], pattern)
        return pattern
