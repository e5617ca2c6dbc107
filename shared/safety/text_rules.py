"""What may be kept of a text: no danger in a goal or a title, and no instructions to a model in a prompt."""

from shared.safety.instructions import InstructionPatterns, Sifted
from shared.safety.levels import CrisisOutcome
from shared.safety.screening import Screening


class TextRules:
    """Judges texts that a model wrote or that a user said, before they are stored."""

    def __init__(self, screening: Screening, instructions: InstructionPatterns) -> None:
        """Take the rules of danger and those of instructions."""
        self._screening = screening
        self._instructions = instructions

    def danger(self, text: str) -> CrisisOutcome:
        """Return what the rules of danger find in a text."""
        return self._screening.screen(text).crisis.outcome

    def alarming(self, *texts: str) -> bool:
        """Return whether the rules of danger find anything at all in one of the texts.

        Such words are answered and followed through. They never become a goal, an item of a plan or a title.
        """
        return any(self.danger(text) is not CrisisOutcome.NONE for text in texts)

    def instructive(self, *texts: str) -> bool:
        """Return whether one of the texts speaks to the model."""
        return any(self._instructions.found_in(text) for text in texts)

    def sifted(self, text: str) -> Sifted:
        """Return a text without the sentences that speak to the model."""
        return self._instructions.sifted(text)
