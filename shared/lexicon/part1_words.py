"""Finds the reason for coming and the signs of a counselling level in the user's words, without a model."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Self

from pydantic import Field, model_validator

from shared.domain.counseling.level import LevelSign
from shared.domain.counseling.reason import Reason, ReasonHeard
from shared.lexicon.clause_text import clauses_of
from shared.lexicon.lexicon_file import BilingualPhrases, ExemplifiedPhrases
from shared.lexicon.patterns import Patterns
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


QUOTE_LENGTH = 200
"""Maximum stored characters of a quote."""
BEFORE = 60
"""Characters before a word in which another person may be its subject."""
GIVEN_COUNTS = 2
"""How often a clause counts that the user gave as the reason for coming."""


class Part1Words:
    """Reads the user's words of Part 1; compiled when first used."""

    def __init__(self, file: Part1WordsFile, patterns: Patterns) -> None:
        self._file, self._patterns = file, patterns

    def reason(self, words: str, slots: Mapping[str, object]) -> ReasonHeard | None:
        """Return the reason that most of the user's clauses name, or None; `slots` are the values that they gave."""
        given = [value for name in self._file.slots if isinstance(value := slots.get(name), str)]
        told = [*(clause for text in given for clause in self._clauses(text))] * GIVEN_COUNTS + self._clauses(words)
        found = {reason: [one for one in told if self._names(reason, one)] for reason in self._file.reasons}
        best = max(found, key=lambda reason: len(found[reason]))
        return ReasonHeard(reason=best, quote=found[best][0][:QUOTE_LENGTH]) if found[best] else None

    def sign(self, sign: LevelSign, words: str) -> str:
        """Return the clause that shows a sign, or an empty text; signs without a word list are never shown."""
        pattern, own = self._signs.get(sign), sign is LevelSign.EXPERIENCE
        shown = (one for one in self._clauses(words) if pattern and self._stands(pattern.finditer(one), one, own=own))
        return next(shown, "")[:QUOTE_LENGTH]

    def _clauses(self, text: str) -> list[str]:
        return [clause for line in text.splitlines() for clause in clauses_of(self._patterns.normalise(line))]

    def _names(self, reason: Reason, clause: str) -> bool:
        own = self._file.reasons[reason].own
        return self._stands(self._reasons[reason].finditer(clause), clause, own=own)

    def _stands(self, found: Iterable[re.Match[str]], clause: str, *, own: bool = False) -> bool:
        """Return whether a word is neither denied nor, for the user's own trouble, said of another person."""
        return any(
            not self._negated.match(clause, one.end()) and not (own and self._of_another(clause, one.start()))
            for one in found
        )

    def _of_another(self, clause: str, start: int) -> bool:
        return bool(self._others.search(clause[max(0, start - BEFORE) : start]))

    @cached_property
    def _reasons(self) -> dict[Reason, re.Pattern[str]]:
        return {reason: joined(phrases) for reason, phrases in self._file.reasons.items()}

    @cached_property
    def _signs(self) -> dict[LevelSign, re.Pattern[str]]:
        level = self._file.level
        lists: Sequence[tuple[LevelSign, re.Pattern[str]]] = (
            (LevelSign.EXPERIENCE, joined(level.experience)),
            (LevelSign.DEPTH, joined(level.depth)),
            (LevelSign.CHANGE, joined(level.change)),
            (LevelSign.BEGUN, joined(level.begun)),
        )
        return dict(lists)

    @cached_property
    def _others(self) -> re.Pattern[str]:
        return joined(self._file.others)

    @cached_property
    def _negated(self) -> re.Pattern[str]:
        return joined(self._file.negated_after)


def joined(phrases: BilingualPhrases) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in phrases.all), re.IGNORECASE)
