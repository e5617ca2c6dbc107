"""`session_words.yaml`: words about closing, going on and corrections."""

import re

from pydantic import model_validator

from shared.lexicon.lexicon_file import BilingualPhrases, ExemplifiedPhrases
from shared.model import Model

_FRAGMENT = re.compile(r"%([a-z_]+)%")


class WordFile(Model):
    """Lists of patterns. `%name%` in a pattern stands for the fragment of that name."""

    fragments: dict[str, str]

    @model_validator(mode="after")
    def _fragments_exist(self) -> "WordFile":
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


class SessionWordsFile(WordFile):
    """All lists."""

    wants_more: ExemplifiedPhrases
    wants_more_not: BilingualPhrases
    wants_to_stay: ExemplifiedPhrases
    says_misread: ExemplifiedPhrases
    mere_correction: BilingualPhrases
    denies_wish_to_die: ExemplifiedPhrases
    says_of_a_work: ExemplifiedPhrases
    says_goodbye: ExemplifiedPhrases
    asks_about_safety: ExemplifiedPhrases
    opens_up: ExemplifiedPhrases
    asks_to_decide: ExemplifiedPhrases
    asks_to_be_heard: ExemplifiedPhrases
    common_words: BilingualPhrases
    tells_hard: ExemplifiedPhrases
