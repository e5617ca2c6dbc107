"""Finds instructions to a model in texts, so that they are not stored for later prompts.

This is the second protection. The first treats all text in a prompt's blocks as data (`shared/prompts/data.py`), so an
instruction that no rule finds can forge nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from shared.safety.deobfuscation import readings
from shared.visible_text import visible

_SENTENCE = re.compile(r".+?(?:[.!?。…]++[\"'”’)\]]*+(?=\s|$)|\n|$)", re.DOTALL)


class InstructionPattern(NamedTuple):
    """A pattern of instructions to a model; with `reported` it does not apply to a personal account."""

    id: str
    reported: bool
    pattern: re.Pattern[str]


class FilteredText(NamedTuple):
    """A text without instructions, and the number of dropped sentences."""

    text: str
    dropped: int


@dataclass(frozen=True)
class InstructionPatterns:
    """Finds sentences that are addressed to a model.

    Attributes:
        reported: Pattern of a personal account.
        addressed: Pattern of words that occur in no personal account.
    """

    reported: re.Pattern[str]
    addressed: re.Pattern[str]
    rules: tuple[InstructionPattern, ...]

    def found_in(self, text: str) -> tuple[str, ...]:
        """Return the ids of the rules that match a text."""
        found = {rule for sentence in _sentences(text) for reading in readings(sentence) for rule in self._ids(reading)}
        return tuple(rule.id for rule in self.rules if rule.id in found)

    def without_instructions(self, text: str) -> FilteredText:
        """Return a text without the sentences that are addressed to a model."""
        sentences = _sentences(text)
        kept = [sentence for sentence in sentences if not self.found_in(sentence)]
        if len(kept) == len(sentences):
            return FilteredText(text, 0)
        return FilteredText("".join(kept).strip(), len(sentences) - len(kept))

    def _ids(self, reading: str) -> Iterator[str]:
        for rule in self.rules:
            if rule.pattern.search(reading) and not (rule.reported and self._tells_of_a_life(reading)):
                yield rule.id

    def _tells_of_a_life(self, reading: str) -> bool:
        return bool(self.reported.search(reading)) and not self.addressed.search(reading)


def _sentences(text: str) -> list[str]:
    return [found for found in _SENTENCE.findall(visible(text)) if found.strip()]
