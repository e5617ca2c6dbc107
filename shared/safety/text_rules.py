"""Judges texts by rule: danger, instructions to a model, another person in danger."""

import re
from collections.abc import Iterable

from shared.safety.instructions import FilteredText, InstructionPatterns
from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import expand
from shared.safety.screening import Screening


class TextRules:
    """Judges texts of a model or a user, most of them before they are stored."""

    def __init__(self, screening: Screening, instructions: InstructionPatterns, of_others: Iterable[str]) -> None:
        """Create it with the rules of danger and of instructions, and patterns for danger to another person."""
        self._screening = screening
        self._instructions = instructions
        self._of_others = re.compile("|".join(map(expand, of_others)))

    def danger(self, text: str) -> CrisisOutcome:
        """Return the outcome of the danger rules for a text."""
        return self._screening.screen(text).crisis.outcome

    def alarming(self, *texts: str) -> bool:
        """Return whether the danger rules find a danger in one of the texts.

        Such a text is answered and followed through, but never stored as a goal, a plan item or a title.
        """
        return any(self.danger(text) is not CrisisOutcome.NONE for text in texts)

    def instructive(self, *texts: str) -> bool:
        """Return whether one of the texts has a sentence that is addressed to a model."""
        return any(self._instructions.found_in(text) for text in texts)

    def without_instructions(self, text: str) -> FilteredText:
        """Return a text without the sentences that are addressed to a model."""
        return self._instructions.without_instructions(text)

    def tells_of_others(self, text: str) -> bool:
        """Return whether the user writes of another person who is in danger or has died."""
        return self._of_others.search(text.lower()) is not None
