"""Finds what a question of intake is about, by `data/intake_words.yaml`."""

import re
from functools import cached_property

from pydantic import RootModel

from shared.lexicon.lexicon_file import ExemplifiedPhrases
from shared.lexicon.part1_words import joined


class IntakeWordsFile(RootModel[dict[str, ExemplifiedPhrases]]):
    """How a matter is asked for; a matter that a slot asks for has its name."""


class IntakeWords:
    """Reads questions, and words about them; compiled when first used."""

    def __init__(self, file: IntakeWordsFile) -> None:
        self._file = file

    def matters(self, text: str) -> frozenset[str]:
        """Return the matters that a question asks for, or that a refusal of one names."""
        return frozenset(matter for matter, pattern in self._patterns.items() if pattern.search(text))

    def knows(self, slot: str) -> bool:
        """Return whether a slot's question is recognised in any usual words."""
        return slot in self._file.root

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {matter: joined(phrases) for matter, phrases in self._file.root.items()}
