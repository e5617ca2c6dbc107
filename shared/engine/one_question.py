"""Leaves out what a reply asks beyond its first question or invitation to tell, while it streams.

The first stays, and so does every sentence that asks nothing; of a sentence with several questions the first stays.
"힘드셨죠?" waits for no answer: it ends in a full stop.
A question mark in a quotation is none. It works letter by letter, so the result does not depend on the chunks of the
stream. Before the first question nothing is held back but a place where a sentence with a question word may join
another (a comma and two letters) and what is joined there; after it, each sentence until it ends.
"""

from shared.lexicon.asking import asks_without_mark
from shared.lexicon.joined_questions import (
    LONGEST_WORD,
    first_question,
    further_question,
    has_question_word,
    only_feels_with,
)

_QUESTION_MARKS = "?？⁇"
_STOPS = ".!。！" + _QUESTION_MARKS
_CLOSERS = "\"'”’」』)]"
_QUOTES = {"“": "”", "‘": "’", "「": "」", "『": "』", '"': '"', "'": "'"}
_APOSTROPHES = "'’"
_QUOTED = "○"
_ADDRESSES = ("http://", "https://", "www.")
LONGEST_QUOTE = 80
"""Letters after which an opening quotation mark that nothing closes is taken for a stray one."""


class OneQuestion:
    """Reads one reply.

    Args:
        every: Every question stays; a question that waits for no answer still ends in a full stop.

    Attributes:
        left_out: Sentences left out, and those of which further questions were left out.
    """

    def __init__(self, *, every: bool = False) -> None:
        self.left_out = 0
        self._every = every
        self._asked = False
        self._begin()

    def take(self, text: str) -> str:
        """Return the text that may be shown now."""
        return "".join(map(self._add, text))

    def end(self) -> str:
        if self._may_close:
            self._close()
        shown = ""
        while self._closer:
            shown += self._reread()
        return shown + self._judge()

    def _begin(self, shown: int = 0, strays: frozenset[int] = frozenset()) -> None:
        """Begin a sentence.

        Args:
            shown: Letters of it that were shown already, when it is read again.
            strays: Positions in it of opening marks that nothing closed.
        """
        self._text = ""
        self._own = ""  # the sentence with each quoted letter replaced
        self._wonders = False  # it has a question word
        self._shown = shown
        self._asks = False
        self._ended = ""  # the stop after which the sentence is over, unless more of the stop follows
        self._closer = ""  # the mark that closes the open quotation
        self._opened_at = 0
        self._may_close = False
        self._strays = strays
        self._doubtful: int | None = None  # end of the first question mark in the open quotation

    def _add(self, char: str) -> str:
        if self._may_close:
            self._may_close = False
            if not _is_latin(char):
                self._close()
        shown = self._judge() if self._is_over(char) else ""
        fresh = not self._closer and len(self._text) >= self._shown
        if char in _QUESTION_MARKS and fresh and only_feels_with(self._text):
            char = "."
        before = self._text[-1:]
        self._text += char
        self._own += _QUOTED if self._closer else char
        self._wonders = self._wonders or has_question_word(self._own[-LONGEST_WORD:])
        if self._closer:
            self._read_quoted(char, before)
        else:
            self._read_plain(char, before)
        if self._closer and (char == "\n" or len(self._text) - self._opened_at > LONGEST_QUOTE):
            return shown + self._reread()
        return shown + self._let_out()

    def _is_over(self, char: str) -> bool:
        if self._closer or not self._text.strip():
            return False
        if char == "\n" and self._text.endswith("\n"):
            return True
        if self._ended and self._ended in _QUESTION_MARKS:
            return char not in _STOPS + _CLOSERS + "…~"
        return bool(self._ended) and char.isspace()

    def _read_plain(self, char: str, before: str) -> None:
        if char in _QUESTION_MARKS:
            if not self._text.split()[-1].startswith(_ADDRESSES):
                self._asks, self._ended = True, char
        elif char in _STOPS:
            self._ended = self._ended or char
        elif not (self._ended and char in _CLOSERS + "…~"):
            self._ended = ""
            at = len(self._text) - 1
            if char in _QUOTES and at not in self._strays and not (char in _APOSTROPHES and before.isalnum()):
                self._closer, self._opened_at = _QUOTES[char], at

    def _read_quoted(self, char: str, before: str) -> None:
        if char == self._closer:
            self._may_close = char in _APOSTROPHES and _is_latin(before)  # don't
            if not self._may_close:
                self._close()
        elif char in _QUESTION_MARKS and self._doubtful is None:
            self._doubtful = len(self._text)

    def _close(self) -> None:
        self._closer, self._may_close, self._doubtful = "", False, None

    def _let_out(self) -> str:
        """Return what of the sentence may be shown: after the first question nothing before its end."""
        if self._asked:
            return ""
        until = len(self._text) if self._doubtful is None else self._doubtful
        joined = further_question(self._own, unfinished=True) if self._wonders else None
        until = until if joined is None else min(until, joined)
        fresh = self._text[self._shown : until]
        self._shown = max(self._shown, until)
        return fresh

    def _judge(self) -> str:
        fresh = self._text[self._shown :]
        self._asks = self._asks or asks_without_mark(self._own)
        joined = further_question(self._own) if self._asks and not self._every else None
        if self._asks and self._asked:
            self.left_out, fresh = self.left_out + 1, ""
        elif joined is not None and joined >= self._shown:
            begun = self._text[:joined]
            self.left_out, fresh = self.left_out + 1, begun[self._shown :] + first_question(begun, self._text[joined:])
        self._asked = (self._asked or self._asks) and not self._every
        self._begin(max(0, self._shown - len(self._text)))
        return fresh

    def _reread(self) -> str:
        text = self._text
        self._begin(self._shown, self._strays | {self._opened_at})
        return self.take(text)


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalpha()
