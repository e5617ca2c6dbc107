"""Reads the text of a .docx file as Word shows it: accepted changes, numbers of lists, tables.

python-docx opens the package and its styles; its `Paragraph.text` leaves out inserted text and list numbers, so the
paragraphs are read here.

Numbers that Word gives to paragraphs stand in no text, and many contracts number their articles so.
"""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from docx import Document
from docx.document import Document as WordDocument
from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement as Element

_LEVELS = 9
_SYLLABLES = "가나다라마바사아자차카타파하"
_INITIALS = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROMAN = ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_MOST_ROMAN = 89
_LISTS: Mapping[str, str] = {
    "ganada": _SYLLABLES,
    "chosung": _INITIALS,
    "decimalEnclosedCircle": _CIRCLED,
    "lowerLetter": _LETTERS,
    "upperLetter": _LETTERS.upper(),
}
_BULLET, _NONE = "bullet", "none"
_MOST_LINKS = 20
"""Styles based on each other, in a row."""


@dataclass(frozen=True)
class _Level:
    form: str = "decimal"
    text: str = ""
    start: int = 1


@dataclass
class Numbering:
    """The lists of a document, and how far each was counted."""

    levels: Mapping[str, Mapping[int, _Level]]
    of_styles: Mapping[str, tuple[str, int]]
    _counted: dict[str, dict[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, document: WordDocument) -> "Numbering":
        """Read the definitions of a document."""
        root = next(
            (part.element for part in document.part.package.iter_parts() if part.partname == "/word/numbering.xml"),
            None,
        )
        abstract: dict[str, dict[int, _Level]] = {}
        lists: dict[str, dict[int, _Level]] = {}
        for found in root.iter(qn("w:abstractNum")) if root is not None else ():
            abstract[found.get(qn("w:abstractNumId"), "")] = dict(map(_level, found.findall(qn("w:lvl"))))
        for found in root.iter(qn("w:num")) if root is not None else ():
            base = abstract.get(_value(found, "w:abstractNumId"), {})
            changed = dict(map(_level, found.findall(f"{qn('w:lvlOverride')}/{qn('w:lvl')}")))
            lists[found.get(qn("w:numId"), "")] = {**base, **changed}
        return cls(lists, _of_styles(document.styles.element))

    def label(self, paragraph: Element) -> str:
        """Count a paragraph and return its number as Word shows it; "" for none."""
        place = self._place(paragraph)
        levels = self.levels.get(place[0], {}) if place else {}
        if place is None or place[1] not in levels:
            return ""
        name, depth = place
        counted = self._counted.setdefault(name, {})
        counted[depth] = counted[depth] + 1 if depth in counted else levels[depth].start
        for deeper in [level for level in counted if level > depth]:
            del counted[deeper]
        level = levels[depth]
        if level.form == _BULLET:
            return "-"
        if level.form == _NONE:
            return ""
        shown = level.text
        for other in range(depth + 1):
            kept = levels.get(other, _Level())
            shown = shown.replace(f"%{other + 1}", _formatted(counted.get(other, kept.start), kept.form))
        return shown.strip()

    def _place(self, paragraph: Element) -> tuple[str, int] | None:
        """Return a paragraph's list and level: its own, or its style's."""
        style = _value(paragraph, f"w:pPr/{'w:pStyle'}")
        inherited = self.of_styles.get(style)
        own = _numbered(paragraph)
        if own is None:
            return inherited
        name, level = own
        return (name or (inherited[0] if inherited else ""), level) if name != "0" else None


MOST_DEPTH = 40
"""Nested tables and content controls."""
_NOT_SHOWN = frozenset(map(qn, ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:sectPr", "w:tblPr", "w:tblGrid")))
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""Repeats what its `Choice` has, for older programs."""
_PARAGRAPH, _TABLE, _ROW, _CELL = map(qn, ("w:p", "w:tbl", "w:tr", "w:tc"))
_RUN, _TEXT = map(qn, ("w:r", "w:t"))
_VANISH = qn("w:vanish")
_MARKS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_BETWEEN_CELLS = " | "


def read_word(data: bytes) -> str:
    """Return the text, a paragraph a line.

    Raises:
        Exception: python-docx and lxml raise many kinds for a damaged file.
    """
    document: WordDocument = Document(io.BytesIO(data))
    reader = _Reader(Numbering.of(document))
    return "\n".join(reader.blocks(document.element.body, 0))


class _Reader:
    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering

    def blocks(self, parent: Element, depth: int) -> Iterator[str]:
        """Yield the lines of the paragraphs and tables below an element."""
        if depth > MOST_DEPTH:
            raise ValueError("nested too deeply")
        for child in parent:
            if child.tag == _PARAGRAPH:
                yield from self._paragraph(child, depth)
            elif child.tag == _TABLE:
                yield from self._rows(child, depth + 1)
            elif child.tag not in _NOT_SHOWN and child.tag != _FALLBACK:
                yield from self.blocks(child, depth + 1)

    def _rows(self, table: Element, depth: int) -> Iterator[str]:
        """Yield a line for each row; a row whose cells have several lines yields them all."""
        for row in table.iter(_ROW):
            if next(row.iterancestors(_TABLE)) is not table:
                continue
            cells = [[line for line in self.blocks(cell, depth + 1) if line.strip()] for cell in row.iter(_CELL)
                     if next(cell.iterancestors(_ROW)) is row]  # fmt: skip
            filled = [cell for cell in cells if cell]
            if all(len(cell) == 1 for cell in filled):
                yield _BETWEEN_CELLS.join(cell[0] for cell in filled)
            else:
                yield from (line for cell in filled for line in cell)

    def _paragraph(self, paragraph: Element, depth: int) -> Iterator[str]:
        pieces: list[str] = []
        boxes: list[Element] = []
        self._runs(paragraph, pieces, boxes, depth)
        text = "".join(pieces)
        label = self._numbering.label(paragraph) if text.strip() else ""
        yield f"{label} {text}" if label else text
        for box in boxes:
            yield from self.blocks(box, depth + 1)

    def _runs(self, parent: Element, pieces: list[str], boxes: list[Element], depth: int) -> None:
        if depth > MOST_DEPTH:
            raise ValueError("nested too deeply")
        for child in parent:
            if child.tag == _TEXT:
                pieces.append(child.text or "")
            elif child.tag in _MARKS:
                pieces.append(_MARKS[child.tag])
            elif child.tag == qn("w:txbxContent"):
                boxes.append(child)
            elif child.tag not in _NOT_SHOWN and child.tag != _FALLBACK and not _hidden(child):
                self._runs(child, pieces, boxes, depth + 1)


def _hidden(element: Element) -> bool:
    if element.tag != _RUN:
        return False
    mark = element.find(f"{qn('w:rPr')}/{_VANISH}")
    return mark is not None and mark.get(qn("w:val"), "true") not in ("0", "false", "off")


def _level(element: Element) -> tuple[int, _Level]:
    form, start = _value(element, "w:numFmt") or "decimal", _value(element, "w:start")
    level = _Level(form, _value(element, "w:lvlText")[:40], _number(start, 1))
    return _number(element.get(qn("w:ilvl"), ""), 0), level


def _of_styles(root: Element) -> dict[str, tuple[str, int]]:
    styles = {style.get(qn("w:styleId"), ""): style for style in root.findall(qn("w:style"))}
    found: dict[str, tuple[str, int]] = {}
    for name, style in styles.items():
        element: Element | None = style
        for _ in range(_MOST_LINKS):
            if element is None:
                break
            numbered = _numbered(element)
            if numbered is not None:
                if numbered[0] not in ("", "0"):
                    found[name] = numbered
                break
            element = styles.get(_value(element, "w:basedOn"))
    return found


def _numbered(element: Element) -> tuple[str, int] | None:
    properties = element.find(f"{qn('w:pPr')}/{qn('w:numPr')}")
    if properties is None:
        return None
    return _value(properties, "w:numId"), _number(_value(properties, "w:ilvl"), 0)


def _value(element: Element, path: str) -> str:
    found = element.find("/".join(map(qn, path.split("/"))))
    return found.get(qn("w:val"), "") if found is not None else ""


def _number(text: str, default: int) -> int:
    return min(int(text), 10_000) if text.isdecimal() and text.isascii() and len(text) < _LEVELS else default


def _formatted(number: int, form: str) -> str:
    signs = _LISTS.get(form)
    if signs is not None and 1 <= number <= len(signs):
        return signs[number - 1]
    if form in ("lowerRoman", "upperRoman") and 1 <= number <= _MOST_ROMAN:
        roman, rest = "", number
        for value, sign in _ROMAN:
            roman += sign * (rest // value)
            rest %= value
        return roman.upper() if form == "upperRoman" else roman
    return str(number)
