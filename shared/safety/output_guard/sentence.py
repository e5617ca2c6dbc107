"""A sentence as the output guard reads it, letter by letter as it is written.

Unlike `normalise`, every folded letter keeps its place in the sentence, so that a reply can be cut there; and what was
folded once stays as it is, whatever comes after it.
"""

import re
import unicodedata
from functools import lru_cache

from shared.visible_text import readable

_DROPPED = frozenset("*`'’‘´")
"""Emphasis and apostrophes stand inside words: **우울**증, don't."""
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_TERMINATORS = ".!?…。~"
_CLOSERS = "\"'”’」』)]*"
_JOINS = ",;:、，-–—"
_BULLETS = "-•·"
"""What a line of a list begins with."""
_SMILES = re.compile(r"(?:[\u2600-\u27bf\U0001f300-\U0001faff]|[ㄱ-ㅎㅏ-ㅣ]{2}|\^\^|[:;]-?[)D(])$")
"""What a model may end a sentence with in place of a full stop."""
_QUOTED = re.compile(
    r"“[^“”]{1,300}”|\"[^\"]{1,300}\"|「[^」]{1,300}」|『[^』]{1,300}』|‘[^‘’]{1,300}’|(?<!\w)'[^']{1,300}'"
)
_ONLY_QUOTED = re.compile(r"“[^“”]+”|\"[^\"]+\"|「[^」]+」|『[^』]+』|‘[^‘’]+’")
_ADDRESS = re.compile(r"[(\[<\"'“‘]*(?:https?://)?(?:www\.)?([^/?#:\s)\]>\"'”’가-힣]+)")
_SQUASHED = re.compile(r"[\W_]+")

FEWEST_WORDS = 2
"""Words of a sentence that are shown at least, if any are: one alone says nothing when the rest is cut."""
END = "\n"
"""Stands behind a folded sentence that is over; a pattern asks for it where only the end of a sentence is meant."""


class Sentence:
    """The sentence that is being written.

    Attributes:
        raw: As the model writes it, with the blanks before it.
        folded: As patterns read it: lower case, single blanks, without emphasis and apostrophes.
        places: For every letter of `folded`, where it stands in `raw`.
    """

    def __init__(self) -> None:
        self.raw = ""
        self.folded = ""
        self.places: list[int] = []

    def add(self, char: str) -> str:
        """Take a letter; return what is new in `folded`: a letter or nothing."""
        folded = folded_letter(char)
        if folded == " " and self.folded[-1:] in ("", " "):
            folded = ""
        self.raw += char
        if folded:
            self.folded += folded
            self.places.append(len(self.raw) - 1)
        return folded

    def ends_before(self, char: str) -> bool:
        """Return whether the sentence is over when `char` comes next.

        A full stop counts only before a blank (so not in "2.5" or an address), and not within quotation marks. A line
        break alone is none: it may stand anywhere. A blank line and a new line of a list are.
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
            return False  # what is said of the words may stand behind them
        within_quotes = self.raw.count("“") > self.raw.count("”") or self.raw.count('"') % 2 == 1
        if within_quotes:
            return False
        return folded_letter(self.raw.rstrip(_CLOSERS)[-1:]) in tuple(_TERMINATORS) or bool(_SMILES.search(self.raw))

    def may_end_here(self) -> bool:
        """Return whether a line break may stand for a full stop: not where a quotation may still be told of."""
        return bool(self.folded.strip()) and not _ONLY_QUOTED.fullmatch(self.raw.strip())

    def fit_to_show(self, before: int) -> int:
        """Return up to where whole words stand before a place in `raw`; 0 where they are too few to break off behind.

        A comma waits for the next word: it must not be the last that is seen.
        """
        head = self.raw[:before]
        cut = max(head.rfind(" "), head.rfind("\n"), head.rfind("\t"))
        words = head[: cut + 1].rstrip().rstrip(_JOINS) if cut >= 0 else ""
        return len(words) if len(words.split()) >= FEWEST_WORDS else 0

    def quoted(self) -> tuple[tuple[int, int], ...]:
        """Return the stretches of `raw` within quotation marks."""
        return tuple(found.span() for found in _QUOTED.finditer(self.raw))


@lru_cache(maxsize=4096)
def folded_letter(char: str) -> str:
    """Return a letter as patterns read it, or nothing; never more than one."""
    char = readable(char)
    if not char or char in _DROPPED:
        return ""
    if char.isspace():
        return " "
    plain = unicodedata.normalize("NFKC", char) if char and ord(char) in _FULL_WIDTH else char
    lower = plain.lower()
    return lower if len(lower) == 1 else plain


def squashed(text: str) -> str:
    """Return a text without blanks and marks, to ask whether somebody said it."""
    return _SQUASHED.sub("", unicodedata.normalize("NFC", text)).casefold()


def host_of(address: str) -> str:
    """Return the host of a folded address, without what Korean particles or brackets stand around it."""
    found = _ADDRESS.match(address)
    return found[1].rstrip(".,!") if found else ""


def goes_on(before: str, here: str) -> bool:
    """Return whether a letter goes on the word of the letter before it; particles join Korean to anything else."""
    if "가" <= here <= "힣":
        return "가" <= before <= "힣"
    return here.isascii() and here.isalnum() and before.isascii() and before.isalnum()
