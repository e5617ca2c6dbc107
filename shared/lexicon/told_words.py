"""Finds what the user tells that may be, or cannot be, the value of a slot of free text, by `data/told_words.yaml`."""

import re
from enum import StrEnum
from functools import cached_property

from pydantic import RootModel

from shared.lexicon.lexicon_file import ExemplifiedPhrases
from shared.lexicon.part1_words_file import joined


class Told(StrEnum):
    """What words are for a slot; the file says it in full."""

    UNASKED = "unasked"
    ASKED = "asked"
    NO_ANSWER = "no_answer"
    NEVER = "never"


class ToldWordsFile(RootModel[dict[str, dict[Told, ExemplifiedPhrases]]]):
    """The words by slot."""


class ToldWords:
    """Reads what the user tells; compiled when first used."""

    def __init__(self, file: ToldWordsFile) -> None:
        self._file = file

    def lists(self, slot: str, told: Told = Told.UNASKED) -> bool:
        """Return whether there are such words for a slot."""
        return told in self._file.root.get(slot, {})

    def tells(self, slot: str, told: Told, text: str) -> bool:
        """Return whether a text has such words for a slot; False if there are none."""
        pattern = self._patterns.get((slot, told))
        return pattern is not None and pattern.search(text) is not None

    @cached_property
    def _patterns(self) -> dict[tuple[str, Told], re.Pattern[str]]:
        slots = self._file.root.items()
        return {(slot, told): joined(phrases) for slot, lists in slots for told, phrases in lists.items()}
