"""Finds sentences that count otherwise than the user's words, or that the user took back later.

Whether a sentence says in other words what its quote says is the model's to read.
"""

import re
from collections.abc import Mapping

from functions.session_manager.facts import sentences
from functions.session_manager.figures import figures
from shared.content.catalogue import Content

_DENIED = re.compile(
    r"(?<![가-힣])(?:안|못) ?(?P<verb>[가-힣]+)"
    r"|(?P<stem>[가-힣]{1,20})[지진질] ?(?:는|도|를)? ?(?:않|못|마)"
    r"|(?P<did>[가-힣]{1,20}) ?(?:적|일)[은이도]? ?없"
    r"|(?P<doing>[가-힣]{1,20})[는은] ?(?:게|것이|건|것은) ?(?:아니|아닌)"
    r"|(?P<thing>[가-힣]{2,20}?)[이가]? ?(?:아니|아닌)"
    r"|\b(?:not|never|no longer|don't|didn't|doesn't|isn't|wasn't) (?:\w+ )?(?P<english>\w+)",
    re.IGNORECASE,
)
"""A word and its denial."""


class Fidelity:
    """Compares a sentence with the figures of the user's words that it rests on, and with what they corrected later.

    Args:
        said: The user's messages by turn.
    """

    def __init__(self, said: Mapping[int, str], content: Content) -> None:
        self._said = said
        self._lexicon = content.lexicon
        self._session_words = content.session_words

    def is_wrong(self, seq: int, quote: str, text: str) -> bool:
        """Return whether a sentence has another figure than the words of turn `seq`, or was taken back since."""
        told = self.whole(seq, quote)
        return self._other_figure(told, text) or self._taken_back(seq, told, text)

    def whole(self, seq: int, quote: str) -> str:
        """Return the whole sentences of a quote, since a quote may leave out who or not."""
        lines = sentences(self._said.get(seq, ""))
        return " ".join(line for line in lines if quote.strip(" .!?~") in line or line.strip(" .!?~") in quote) or quote

    def _other_figure(self, told: str, text: str) -> bool:
        counted = {each.unit: each.value for each in figures(told) if each.unit}
        return any(counted.get(each.unit, each.value) != each.value for each in figures(text) if each.unit)

    def _taken_back(self, seq: int, told: str, text: str) -> bool:
        later = (line for turn, words in self._said.items() if turn > seq for line in sentences(words))
        denied = (self._denied(clause) for line in later for clause in self._session_words.corrections(line))
        stated = (self._words(told) & self._words(text)) - self._denied(text)
        return any(words & stated for words in denied)

    def _denied(self, text: str) -> frozenset[str]:
        found = (next(filter(None, match.groupdict().values())) for match in _DENIED.finditer(text))
        return frozenset().union(*map(self._words, found))

    def _words(self, text: str) -> frozenset[str]:
        return self._lexicon.read(text).content_words
