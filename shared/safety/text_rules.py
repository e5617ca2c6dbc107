"""Decides what may be stored of a text: no danger in goals or titles, no instructions to a model."""

from shared.safety.instructions import FilteredText, InstructionPatterns
from shared.safety.levels import CrisisOutcome
from shared.safety.screening import Screening


class TextRules:
    """Judges texts of a model or a user before they are stored."""

    def __init__(self, screening: Screening, instructions: InstructionPatterns) -> None:
        """Create it with the rules of danger and of instructions."""
        self._screening = screening
        self._instructions = instructions

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
