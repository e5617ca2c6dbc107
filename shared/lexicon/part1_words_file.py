"""`part1_words.yaml`: the reasons for coming and the signs of a level, as users say them."""

import re
from typing import Self

from pydantic import Field, model_validator

from shared.domain.counseling.reason import Reason
from shared.lexicon.lexicon_file import BilingualPhrases, ExemplifiedPhrases
from shared.model import Model


class ReasonPhrases(ExemplifiedPhrases):
    """How users say a reason.

    Attributes:
        own: It counts only as the user's own trouble, not as another person's.
    """

    own: bool


class LevelPhrases(Model):
    """How users say the signs of a level (`LevelSign`)."""

    experience: ExemplifiedPhrases
    depth: ExemplifiedPhrases
    change: ExemplifiedPhrases
    begun: ExemplifiedPhrases


class Part1WordsFile(Model):
    """All lists.

    Attributes:
        slots: Slots that hold the reason for coming.
        others: Another person as the subject before a word, up to the word.
        negated_after: What follows a word and denies it.
    """

    slots: tuple[str, ...] = Field(min_length=1)
    others: BilingualPhrases
    negated_after: BilingualPhrases
    reasons: dict[Reason, ReasonPhrases]
    level: LevelPhrases

    @model_validator(mode="after")
    def _has_every_reason(self) -> Self:
        if missing := set(Reason) - set(self.reasons):
            raise ValueError(f"no words for {min(missing)}")
        return self


def joined(phrases: BilingualPhrases) -> re.Pattern[str]:
    """Return one pattern of a list."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in phrases.all), re.IGNORECASE)
