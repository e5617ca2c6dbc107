"""Cleans a model's prose for display and storage: plain characters, few blank lines, whole sentences.

A form works letter by letter, so the result does not depend on the chunks of the stream.
"""

import re

from shared.domain.errors import ModelSchemaMismatch
from shared.engine.mended import Mended
from shared.engine.plain_marks import PlainMarks
from shared.visible_text import MOST_BREAKS, UNREADABLE, readable

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


_LABELS = (
    *("cbot", "counselor", "counsellor", "assistant", "reply", "response", "answer", "final answer"),
    *("상담사", "상담자", "답변", "응답", "최종 답변"),
)
_COLON = re.compile("[:：]")
_MARKS = " \n*_#[]"


class SpeakerLabel:
    """Reads one reply.

    Attributes:
        left_out: A label was removed.
    """

    def __init__(self) -> None:
        self.left_out = False
        self._held = ""
        self._begun = False  # the words of the reply have begun

    def take(self, text: str) -> str:
        """Return the text that may be shown now."""
        if self._begun:
            return text
        self._held += text
        if not self.left_out:
            before, *behind = _COLON.split(self._held, maxsplit=1)
            begun = before.strip(_MARKS).casefold()
            if not behind and any(label.startswith(begun) for label in _LABELS):
                return ""
            if behind and begun in _LABELS:
                self._held, self.left_out = behind[0], True
        if self.left_out:
            self._held = self._held.lstrip(_MARKS)
        return self.end() if self._held else ""

    def end(self) -> str:
        rest, self._held, self._begun = self._held, "", True
        return rest


class ReplyForm:
    """Mends the form of one reply."""

    def __init__(self) -> None:
        self._label = SpeakerLabel()
        self._asides = Asides()
        self._marks = PlainMarks()

    @property
    def mended(self) -> tuple[Mended, ...]:
        """What was mended so far."""
        found = self._marks.mended | ({Mended.MARKS} if self._asides.left_out or self._label.left_out else set())
        return tuple(each for each in Mended if each in found)

    def take(self, text: str) -> str:
        """Add the next piece; return the text that may be shown now."""
        return self._marks.take(self._asides.take(self._label.take(text)))

    def end(self) -> str:
        labelled = self._asides.take(self._label.end()) + self._asides.end()
        return self._marks.take(labelled) + self._marks.end()


WHOLE_ENOUGH = 20
"""Shortest text of whole sentences for which a cut reply is kept: one short Korean sentence."""

_SENTENCE_END = re.compile(r"[.!?…。？！~](?=[\s\"'”’)]|$)")
_GAP = " … "
_FENCE = "```"
_NO_PROSE = ("{", _FENCE)


class Prose:
    """A reply that grows piece by piece.

    Attributes:
        text: All text taken so far that may be shown.
        form: Mends its form.
    """

    def __init__(self) -> None:
        self.text = ""
        self.form = ReplyForm()
        self._began = False
        self._held = ""
        self._breaks = 0
        self._returned = False

    def take(self, piece: str) -> str:
        """Return the text that may be shown now; a start that may become a fence is held back, and what the form holds.

        Raises:
            ModelSchemaMismatch: The reply begins with JSON or a fenced block.
        """
        fresh = self._held + self._plain(piece)
        self._held = ""
        if not self._began:
            fresh = fresh.lstrip()
            if fresh.startswith(_NO_PROSE):
                raise ModelSchemaMismatch("prose was asked, and JSON or a fenced block came")
            if _FENCE.startswith(fresh):
                self._held = fresh
                return ""
            self._began = True
        return self._grown(self.form.take(fresh))

    def end(self) -> str:
        """Return the rest that the form held back."""
        return self._grown(self.form.end())

    def _grown(self, fresh: str) -> str:
        self.text += fresh
        return fresh

    def _plain(self, piece: str) -> str:
        """Keep visible characters, and no more than one blank line in a row."""
        seen = map(self._seen, piece)
        return "".join(char for char in seen if char and not self._one_break_too_many(char))

    def _seen(self, raw: str) -> str:
        """Normalise a character; a two-character line break becomes one."""
        second = raw == "\n" and self._returned
        self._returned = raw == "\r"
        char = "" if second else readable(raw)
        return "" if char == UNREADABLE else char

    def _one_break_too_many(self, char: str) -> bool:
        if char == "\n":
            self._breaks += 1
        elif not char.isspace():
            self._breaks = 0
        return char == "\n" and self._breaks > MOST_BREAKS


def whole_sentences(text: str) -> str:
    """Return the text up to its last whole sentence, or "" if that is too short for a reply."""
    whole = text[: end_of_sentences(text)].rstrip()
    return whole if len(whole) >= WHOLE_ENOUGH else ""


def end_of_sentences(text: str) -> int:
    """Return the end index of the last whole sentence, or 0."""
    return max((match.end() for match in _SENTENCE_END.finditer(text)), default=0)


def shortened(text: str, limit: int) -> str:
    """Return the whole sentences within `limit` characters; without any, the words followed by "…"."""
    head = text[:limit]
    whole = whole_sentences(head)
    if whole:
        return whole
    words = head[:-1].rpartition(" ")[0]
    return (words if len(words) > limit // 2 else head[:-1]).rstrip() + "…"


def excerpt(text: str, limit: int) -> str:
    """Return a text within `limit` characters: a longer one keeps its head and its tail."""
    if len(text) <= limit:
        return text
    half = (limit - len(_GAP)) // 2
    return text[:limit] if half < 1 else text[:half] + _GAP + text[-half:]
