"""A sentence that the output guard reads letter by letter.

Unlike in `normalise`, every folded letter keeps its position, so that a reply can be cut there, and later letters never
change earlier ones.
"""

import re
import unicodedata
from functools import lru_cache

from shared.visible_text import readable

_DROPPED = frozenset("*`'’‘´")
"""Emphasis and apostrophes inside words: **우울**증, don't."""
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_TERMINATORS = ".!?…。~"
_CLOSERS = "\"'”’」』)]*"
_JOINS = ",;:、，-–—"
_BULLETS = "-•·"
"""Start of a list item."""
_SMILES = re.compile(r"(?:[\u2600-\u27bf\U0001f300-\U0001faff]|[ㄱ-ㅎㅏ-ㅣ]{2}|\^\^|[:;]-?[)D(])$")
"""Endings in place of a full stop."""
_QUOTED = re.compile(
    r"“[^“”]{1,300}”|\"[^\"]{1,300}\"|「[^」]{1,300}」|『[^』]{1,300}』|‘[^‘’]{1,300}’|(?<!\w)'[^']{1,300}'"
)
_ONLY_QUOTED = re.compile(r"“[^“”]+”|\"[^\"]+\"|「[^」]+」|『[^』]+』|‘[^‘’]+’")
_ADDRESS = re.compile(r"[(\[<\"'“‘]*(?:https?://)?(?:www\.)?([^/?#:\s)\]>\"'”’가-힣]+)")
_SQUASHED = re.compile(r"[\W_]+")

FEWEST_WORDS = 2
"""Fewest words of a cut sentence to show."""
END = "\n"
"""Appended to a finished folded sentence, so that a pattern can require the end of a sentence."""


class Sentence:
    """The current sentence.

    Attributes:
        raw: As written by the model, with leading blanks.
        folded: For patterns: lower case, single blanks, without emphasis and apostrophes.
        places: Position in `raw` of every letter of `folded`.
    """

    def __init__(self) -> None:
        self.raw = ""
        self.folded = ""
        self.places: list[int] = []

    def add(self, char: str) -> str:
        """Add a letter; return what was added to `folded`: one letter or ""."""
        folded = folded_letter(char)
        if folded == " " and self.folded[-1:] in ("", " "):
            folded = ""
        self.raw += char
        if folded:
            self.folded += folded
            self.places.append(len(self.raw) - 1)
        return folded

    def ends_before(self, char: str) -> bool:
        """Return whether the sentence is over before `char`.

        A full stop counts only before a blank (not in "2.5" or an address) and outside quotation marks. A single line
        break does not count; a blank line and a new list item do.
        """
        if not self.folded.strip():
            return False
        if self.raw.endswith("\n") and char in _BULLETS:
            return True
        if not char.isspace():
            return False
        if char == "\n" and self.raw.endswith("\n"):
            return True
        if _ONLY_QUOTED.fullmatch(self.raw.strip()):
            return False  # the words may be reported after them
        within_quotes = self.raw.count("“") > self.raw.count("”") or self.raw.count('"') % 2 == 1
        if within_quotes:
            return False
        return folded_letter(self.raw.rstrip(_CLOSERS)[-1:]) in tuple(_TERMINATORS) or bool(
            _SMILES.search(self.raw[-4:])
        )

    def may_end_here(self) -> bool:
        """Return whether a line break may end the sentence: not where a quotation may still be reported."""
        return bool(self.folded.strip()) and not _ONLY_QUOTED.fullmatch(self.raw.strip())

    def fit_to_show(self, before: int) -> int:
        """Return the end of the whole words before a position in `raw`; 0 if they are too few to show.

        A comma waits for the next word, so that it is never the last character shown.
        """
        cut = max(self.raw.rfind(blank, 0, before) for blank in " \n\t")
        words = self.raw[: cut + 1].rstrip().rstrip(_JOINS)
        return len(words) if len(words.split(maxsplit=FEWEST_WORDS - 1)) >= FEWEST_WORDS else 0

    @staticmethod
    def without_quotations(text: str) -> str:
        """Return a text without what is within quotation marks."""
        return _QUOTED.sub(" ", text)

    def quoted(self) -> tuple[tuple[int, int], ...]:
        """Return the spans of `raw` within quotation marks."""
        return tuple(found.span() for found in _QUOTED.finditer(self.raw))


@lru_cache(maxsize=4096)
def folded_letter(char: str) -> str:
    """Return the folded letter, or ""; never more than one."""
    char = readable(char)
    if not char or char in _DROPPED:
        return ""
    if char.isspace():
        return " "
    plain = unicodedata.normalize("NFKC", char) if char and ord(char) in _FULL_WIDTH else char
    lower = plain.lower()
    return lower if len(lower) == 1 else plain


def squashed(text: str) -> str:
    """Return a text without blanks and marks, for comparison."""
    return _SQUASHED.sub("", unicodedata.normalize("NFC", text)).casefold()


def host_of(address: str) -> str:
    """Return the host of a folded address, without Korean particles or brackets."""
    found = _ADDRESS.match(address)
    return found[1].rstrip(".,!") if found else ""


def goes_on(before: str, here: str) -> bool:
    """Return whether a letter continues the word of the letter before it: Korean after Korean, ASCII after ASCII."""
    if "가" <= here <= "힣":
        return "가" <= before <= "힣"
    return here.isascii() and here.isalnum() and before.isascii() and before.isalnum()
