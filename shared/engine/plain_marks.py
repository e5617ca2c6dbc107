"""Removes headings, emphasis, list marks and emoji from a reply while it streams; a list item becomes a sentence.

It works letter by letter, so the result does not depend on the chunks of the stream. Only letters that may be a mark,
and the blanks before them, are held back.
"""

import re

from shared.engine.mended import Mended

_LIST = re.compile(r"(?:[-+*]|\d{1,2}[.)])\s|\d\u20e3|[•‣▪◦●·①-⑳]")
_HEADING = re.compile(r"#{1,6}\s|##+(?=[^#\s])")
_QUOTE = re.compile(r">\s")
_MAY_BE_MARK = re.compile(r"(?:[-+>=]|\d{1,2}[.)]?|#{1,6})(?:\*+|_+)?|\*|[-=]{2,}")
_EMPHASIS_IN_MARK = re.compile(r"(?<=[^*_])(?:\*{2,}|_{2,})(?=[^*_]$)")
_EMPTY = re.compile(r"[-+*>]|#{1,6}")
"""A mark that is all of its line."""
_RULED = re.compile(r"[-=]{3,}")
EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u231a-\u23ff\u2b00-\u2bff\u20e3]")
_NUMBERS = re.compile("[①-⑳]")
"""At the start of a line they make an item; after a blank they are left out."""
_ENDS = ".!?…。！？~:;,、ㅠㅜㅋㅎ^"
_CLOSERS = "\"'”’」』)]"


class PlainMarks:
    """Removes the marks of one reply.

    Attributes:
        mended: What was removed.
    """

    def __init__(self) -> None:
        self.mended: set[Mended] = set()
        self._out: list[str] = []
        self._lead: str | None = ""  # the start of a line while it may be a mark; None within the line
        self._gap = ""  # blanks that wait for the next visible letter
        self._run = ""  # asterisks or underscores that wait for the next letter
        self._last = ""  # the last visible letter
        self._word_end = ""  # the last visible letter that is no closing mark
        self._empty = True  # nothing of the line was put out yet
        self._item = False
        self._pictured = False  # an emoji was removed since the last visible letter
        self._stop_due = False  # it may have stood for a full stop
        self._emphasised = False

    def take(self, text: str) -> str:
        """Return the text that may be shown now."""
        for char in text:
            self._add(char)
        return self._shown()

    def end(self) -> str:
        self._end_line()
        self._out.append("" if self._pictured else self._gap)
        self._gap = ""
        return self._shown()

    def _shown(self) -> str:
        shown = "".join(self._out)
        self._out.clear()
        return shown

    def _add(self, char: str) -> None:
        if char == "\n":
            self._end_line()
            self._gap = self._gap.rstrip(" ") + char if self._pictured else self._gap + char
            self._lead, self._empty, self._pictured = "", True, False
        elif self._lead is None:
            self._read(char)
        elif self._lead == "" and char.isspace():
            self._gap += "" if self._item or self._pictured else char
        else:
            self._read_lead(char)

    def _read_lead(self, char: str) -> None:
        lead, emphasised = _EMPHASIS_IN_MARK.subn("", f"{self._lead}{char}")
        if emphasised:
            self.mended.add(Mended.MARKS)
        if _LIST.fullmatch(lead):
            self._begin_item(Mended.LIST)
        elif _HEADING.fullmatch(lead):
            self._begin_item(Mended.MARKS)
        elif _QUOTE.fullmatch(lead):
            self._lead = ""
            self.mended.add(Mended.MARKS)
        elif _MAY_BE_MARK.fullmatch(lead):
            self._lead = lead
        elif self._lead and (char == "`" or EMOJI.match(char)):
            self.mended.add(Mended.MARKS if char == "`" else Mended.EMOJI)
        else:
            heading = _HEADING.match(lead)
            if heading:
                self._begin_item(Mended.MARKS)
                lead = lead[heading.end() :]
            self._read_all(lead)

    def _begin_item(self, mended: Mended) -> None:
        self.mended.add(mended)
        self._lead, self._item = "", True
        self._gap = " " if self._last else ""

    def _read_all(self, lead: str) -> None:
        self._lead = None
        for char in lead:
            self._add(char)

    def _read(self, char: str) -> None:
        if self._run and char != self._run[0]:
            self._settle_run(char)
            if self._lead is not None:
                self._add(char)
                return
        if char in {"*", "_"}:
            self._run += char
        elif char == "`":
            self._drop(Mended.MARKS)
        elif _NUMBERS.match(char) and self._gap:
            self._drop(Mended.LIST)
            self._pictured = True
        elif EMOJI.match(char):
            self._drop(Mended.EMOJI)
            self._pictured = True
            self._stop_due = bool(self._last) and "\n" not in self._gap
        elif char.isspace():
            self._gap += "" if self._pictured and self._gap else char
        else:
            self._put(char)

    def _settle_run(self, following: str) -> None:
        """Remove asterisks and underscores that emphasise; a single one between blanks, or within a word, stays."""
        run, self._run = self._run, ""
        after_blank = bool(self._gap) or not self._last
        opens = after_blank and bool(following) and not following.isspace()
        if len(run) == 1 and (run == "_" or not (opens or self._emphasised)):
            self._put(run)
            return
        if len(run) == 1:
            self._emphasised = not self._emphasised
        self._drop(Mended.MARKS)

    def _drop(self, mended: Mended) -> None:
        """Note a mark that is not put out; at the start of a line another may follow."""
        self.mended.add(mended)
        self._lead = "" if self._empty else None

    def _put(self, char: str) -> None:
        if self._stop_due and self._gap:
            self._stop()
        if self._pictured and not self._last:
            self._gap = ""
        self._pictured = self._stop_due = False
        self._out.append(self._gap + char)
        self._gap, self._last, self._empty = "", char, False
        if char not in _CLOSERS:
            self._word_end = char

    def _stop(self) -> None:
        if self._last and self._word_end not in _ENDS:
            self._out.append(".")
            self._last = self._word_end = "."

    def _end_line(self) -> None:
        if self._lead:
            if _RULED.fullmatch(self._lead):
                self.mended.add(Mended.MARKS)
            elif _EMPTY.fullmatch(self._lead):
                self.mended.add(Mended.LIST)
            else:
                self._read_all(self._lead)
        if self._run:
            self._settle_run("")
        if self._item or self._stop_due:
            self._stop()
        self._item = self._stop_due = self._emphasised = False
