"""Recognises a user's words without a model, by the lists in `data/lexicon.yaml`."""

from shared.lexicon.lexicon_file import LexiconFile
from shared.lexicon.patterns import Patterns
from shared.lexicon.plain_answers import PlainAnswers
from shared.lexicon.words import Words


class Lexicon:
    """Reads texts and names."""

    def __init__(self, file: LexiconFile, answers: PlainAnswers) -> None:
        self.patterns = Patterns(file, answers)

    def read(self, text: str) -> Words:
        return Words(text, self.patterns)

    def without_lead_in(self, text: str) -> str:
        """Return a text without its lead-in (`그건 그렇고 …`); a text that is only a lead-in stays."""
        found = self.patterns.lead_in().match(text.lstrip())
        return text.lstrip()[found.end() :] or text if found else text
