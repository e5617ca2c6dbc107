"""Removes stage directions ("(공감하며)") and the bars of tables from a reply while it streams.

It works letter by letter, so the result does not depend on the chunks of the stream.
"""

import re

LONGEST = 24
"""Letters in brackets up to which they may be a stage direction."""
_GESTURE = "공감|경청|위로|미소|고개|끄덕|웃|한숨|숨|눈|손|목소리|말투|따뜻|부드|다정|조용|잠시|침묵|안타까|진지|차분"
_MANNER = r"(?:[하으지이쉬추]며|면서|듯이?|[하럽]게|히|로|미소|침묵|끄덕임?|끄덕끄덕|웃음|한숨|멈춤|공감|위로)"
_ENGLISH = (
    r"(?:\w+ ){0,3}(?:nod(?:s|ding)|smil(?:es|ing)|paus(?:es|ing)|sighs?|softly|gently|warmly)"
    r"|with (?:empathy|warmth|a smile)"
)
_DIRECTION = re.compile(rf"\((?:(?=[^)]*(?:{_GESTURE}))[가-힣 ]*{_MANNER}|{_ENGLISH})\s*\)")
_RULE = re.compile(r"[\s|:-]+")


class Asides:
    """Reads one reply.

    Attributes:
        left_out: Stage directions that were left out, and lines of tables that were made sentences.
    """

    def __init__(self) -> None:
        self.left_out = 0
        self._held = ""  # a bracket or a line of a table that is open
        self._begins = True  # the next letter begins a line
        self._spaced = True  # the last letter shown is a blank

    def take(self, text: str) -> str:
        """Return the text that may be shown now."""
        return "".join(map(self._add, text))

    def end(self) -> str:
        """Return the rest."""
        return self._row("") if self._held.startswith("|") else self._let_out(self._held)

    def _add(self, char: str) -> str:
        if self._held.startswith("|"):
            self._held += "" if char == "\n" else char
            return self._row("\n") if char == "\n" else ""
        if self._held or char == "(" or (char == "|" and self._begins):
            self._held += char
            return "" if char == "|" else self._in_brackets(char)
        if char == " " and self._spaced and self.left_out:
            return ""
        return self._let_out(char)

    def _in_brackets(self, char: str) -> str:
        if char == ")" and _DIRECTION.fullmatch(self._held):
            self._held, self.left_out = "", self.left_out + 1
            return ""
        return self._let_out(self._held) if char in ")\n" or len(self._held) > LONGEST else ""

    def _row(self, end: str) -> str:
        row = ", ".join(cell.strip() for cell in self._held.split("|") if cell.strip())
        self.left_out += 1
        return self._let_out("" if _RULE.fullmatch(self._held) else f"{row}.{end}")

    def _let_out(self, shown: str) -> str:
        self._held = ""
        if shown:
            self._begins, self._spaced = shown.endswith("\n"), shown[-1].isspace()
        return shown
