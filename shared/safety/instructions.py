"""Words that speak to the model instead of about a person: they are never kept where later prompts would repeat them.

They are the second line: the first is that whatever stands in a prompt's block is data (`shared/prompts/data.py`), so
that an instruction that no rule knows can still not forge anything.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from shared.safety.deobfuscation import readings
from shared.visible_text import visible

_SENTENCE = re.compile(r".+?(?:[.!?。…]+[\"'”’)\]]*(?=\s|$)|\n|$)", re.DOTALL)


class InstructionPattern(NamedTuple):
    """One way of speaking to the model; `reported`: it does not hold in a story of a life."""

    id: str
    reported: bool
    pattern: re.Pattern[str]


class Sifted(NamedTuple):
    """What is left of a text, and how many of its sentences spoke to the model."""

    text: str
    dropped: int


@dataclass(frozen=True)
class InstructionPatterns:
    """Finds sentences that speak to the model.

    Attributes:
        reported: How a story of a life is told.
        addressed: Words that are in no such telling.
    """

    reported: re.Pattern[str]
    addressed: re.Pattern[str]
    rules: tuple[InstructionPattern, ...]

    def found_in(self, text: str) -> tuple[str, ...]:
        """Return the ids of the rules that find something in a text."""
        found = {rule for sentence in _sentences(text) for reading in readings(sentence) for rule in self._ids(reading)}
        return tuple(rule.id for rule in self.rules if rule.id in found)

    def sifted(self, text: str) -> Sifted:
        """Return a text without the sentences that speak to the model."""
        sentences = _sentences(text)
        kept = [sentence for sentence in sentences if not self.found_in(sentence)]
        if len(kept) == len(sentences):
            return Sifted(text, 0)
        return Sifted("".join(kept).strip(), len(sentences) - len(kept))

    def _ids(self, reading: str) -> Iterator[str]:
        for rule in self.rules:
            if rule.pattern.search(reading) and not (rule.reported and self._tells_of_a_life(reading)):
                yield rule.id

    def _tells_of_a_life(self, reading: str) -> bool:
        return bool(self.reported.search(reading)) and not self.addressed.search(reading)


def _sentences(text: str) -> list[str]:
    return [found for found in _SENTENCE.findall(visible(text)) if found.strip()]
