"""Reads the text of a .docx file as Word shows it: accepted changes, numbers of lists, tables.

python-docx opens the package and its styles; its `Paragraph.text` leaves out inserted text and list numbers, so the
paragraphs are read here.
"""

import io
from collections.abc import Iterator

from docx import Document
from docx.document import Document as WordDocument
from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement as Element

from shared.adapters.document_files.numbering import Numbering

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
        """Collect the text of an element, and the text boxes that hang on it."""
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
    """Return whether it is a run that Word does not show."""
    if element.tag != _RUN:
        return False
    mark = element.find(f"{qn('w:rPr')}/{_VANISH}")
    return mark is not None and mark.get(qn("w:val"), "true") not in ("0", "false", "off")
