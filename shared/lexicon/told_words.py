"""Finds a wish that a slot of free text asks for, by `data/told_words.yaml`."""

import re
from functools import cached_property

from pydantic import RootModel

from shared.lexicon.lexicon_file import ExemplifiedPhrases
from shared.lexicon.part1_words_file import joined


class ToldWordsFile(RootModel[dict[str, ExemplifiedPhrases]]):
    """The words by slot."""


class ToldWords:
    """Reads what the user tells; compiled when first used."""

    def __init__(self, file: ToldWordsFile) -> None:
        self._file = file

    def tells(self, slot: str, text: str) -> bool:
        """Return whether a text has such words for a slot; False if there are none."""
        pattern = self._patterns.get(slot)
        return pattern is not None and pattern.search(text) is not None

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {slot: joined(phrases) for slot, phrases in self._file.root.items()}
