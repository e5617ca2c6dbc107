"""Divides the text of an agreement into passages: articles, exhibits, and numbered paragraphs where it has none."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from shared.domain.agreement.document import AgreementDocument, Passage, PassageKind
from shared.domain.agreement.headings import Form, Heading, title_line
from shared.domain.agreement.outline import Contents, has_articles, outline
from shared.locale import Locale

LONGEST = 1500
"""Characters of a paragraph; a longer one is divided, so that a citation leads to a place."""
_LINES = 1000
"""Lines of a text without blank lines that are a paragraph each; longer texts are divided by length."""
_CHAPTERS = 4
"""Chapters without text that a passage is under; more are a list of chapters, which is text."""

_INLINE_ARTICLE = re.compile(r"(?<=[.다>)\]]) {1,4}(?=제\d{1,4}조(?:의\d{1,3})? ?[(\[【])")
_INLINE_ITEM = re.compile(r"(?<=[.。다>)\]:]) {1,4}(?=[①-⑳] ?\S)")
_SUBITEM = re.compile(r"(?<!\d\.) (\d{1,2})\. (?=\S)")
_SENTENCE_END = re.compile(r"(?<=[.。!?]) ")
_TITLES = {
    Locale.KO: {"preamble": "전문", "contents": "목차"},
    Locale.EN: {"preamble": "Preamble", "contents": "Contents"},
}


def parse(text: str, *, id: str, version: str, title: str, locale: Locale) -> AgreementDocument:  # noqa: A002
    """Divide a text; every line that is not blank becomes part of exactly one passage or of a heading.

    Only a first line that is the document's title is left to that.

    Passages before the first article are `preamble-…`, those of a table of contents `contents-…`, texts between a
    chapter's heading and its first article `intro-…`; all three are paragraphs. A number that comes again (부칙 has a
    제1조 too) has `addendum-1`, or `repeatedarticle-2-1` for its second time.
    """
    lines = list(_lines(text))
    found = outline(lines)
    builder = _Builder(locale, by_article=has_articles(found), by_line=_is_unspaced(lines))
    named = next((index for index, line in enumerate(lines) if line.strip()), None)
    for index, line in enumerate(lines):
        if index == named and line.strip("#* ") == title:
            continue
        one = found.get(index)
        if isinstance(one, Heading):
            builder.heading(one)
        else:
            builder.text(line, contents=one is Contents.LINE)
    return AgreementDocument(id=id, version=version, title=title, locale=locale, passages=builder.finish())


def _lines(text: str) -> Iterator[str]:
    # A Mac writes a Korean syllable as its letters. Compatibility forms stay: they would turn ① into 1.
    for line in unicodedata.normalize("NFC", text).replace("\ufeff", "").replace("\xa0", " ").splitlines():
        yield from _INLINE_ARTICLE.split(line.rstrip())


def _is_unspaced(lines: Sequence[str]) -> bool:
    whole = "\n".join(line.strip() for line in lines).strip()
    return "\n\n" not in whole and len(lines) <= _LINES


class _Open:
    """A passage that is being read."""

    def __init__(self, word: str, kind: PassageKind, heading: str, numbers: tuple[int, ...] = ()) -> None:
        self.word = word
        self.kind = kind
        self.heading = heading
        self.numbers = numbers
        self.number = ""
        self.title = ""
        self.lines: list[str] = []
        self.length = 0

    def add(self, line: str) -> None:
        self.lines.append(line)
        self.length += len(line)


class _Builder:
    """Collects the passages of a document, line by line."""

    def __init__(self, locale: Locale, *, by_article: bool, by_line: bool) -> None:
        self._titles = _TITLES[locale]
        self._by_article = by_article
        self._by_line = by_line
        self._passages: list[Passage] = []
        self._open: _Open | None = None
        self._chapters: list[tuple[int, str, bool]] = []
        self._heading = ""
        self._supplement = False
        self._begun = False
        self._ids: Counter[tuple[str, tuple[int, ...]]] = Counter()
        self._loose: Counter[str] = Counter()

    def heading(self, one: Heading) -> None:
        """Begin a chapter or a passage."""
        self._close()
        if one.form is Form.CHAPTER:
            self._chapter(one)
            return
        exhibit = one.form is Form.EXHIBIT
        kind = PassageKind.EXHIBIT if exhibit else PassageKind.ARTICLE
        self._begun = True
        if exhibit:
            self._supplement = False
            self._rehead(self._unused())
        word = "addendum" if self._supplement and not exhibit else kind.value
        self._open = _Open(word, kind, self._use(), one.numbers)
        self._open.number, self._open.title = one.number, one.title
        for line in _items(one.body):
            self._open.add(line)

    def text(self, line: str, *, contents: bool) -> None:
        """Add a line to the passage that is open; outside of one, begin a paragraph."""
        words = line.strip()
        if not words:
            if self._is_paragraph() and not self._by_line:
                self._close()
            return
        if self._open is not None and (self._open.word == "contents") is not contents:
            self._close()
        if self._open is not None and self._takes_title(self._open, words):
            return
        for part in _items(words):
            self._add(part, contents=contents)
        if self._by_line and self._is_paragraph():
            self._close()

    def finish(self) -> tuple[Passage, ...]:
        self._close()
        if any(not used for _, _, used in self._chapters):
            self._open = self._begin(contents=False)
            self._close()
        return tuple(self._passages)

    def _add(self, line: str, *, contents: bool) -> None:
        for piece in _pieces(line) if self._open is None or self._open.kind is PassageKind.PARAGRAPH else (line,):
            if self._is_loose() and self._open is not None and self._open.length + len(piece) > LONGEST:
                self._close()
            self._open = self._open or self._begin(contents=contents)
            self._open.add(piece)

    @staticmethod
    def _takes_title(one: _Open, words: str) -> bool:
        """Take a line in brackets right below "제5조" as its title."""
        if one.kind is PassageKind.PARAGRAPH or one.title or one.lines:
            return False
        one.title = title_line(words) or ""
        return bool(one.title)

    def _begin(self, *, contents: bool) -> _Open:
        if contents:
            word = "contents"
        elif not self._by_article:
            word = "paragraph"
        else:
            word = "intro" if self._begun else "preamble"
        self._loose[word] += 1
        count = self._loose[word]
        opened = _Open(word, PassageKind.PARAGRAPH, self._use(), (count,))
        opened.number = str(count)
        opened.title = self._titles.get(word, "")
        return opened

    def _is_loose(self) -> bool:
        return self._open is not None and self._open.kind is PassageKind.PARAGRAPH

    def _is_paragraph(self) -> bool:
        return self._open is not None and self._open.word == "paragraph"

    def _chapter(self, one: Heading) -> None:
        self._supplement = one.level == 0 and one.title[:1] in "부Ss"
        self._chapters = [kept for kept in self._chapters if kept[0] < one.level or not kept[2]]
        self._chapters.append((one.level, one.title, False))
        unused = self._unused()
        if len(unused) > _CHAPTERS:
            self._rehead([kept for kept in self._chapters if kept[2]])
            for _, title, _ in unused:
                self._add(title, contents=False)
            self._close()
        self._rehead(self._chapters)

    def _rehead(self, chapters: list[tuple[int, str, bool]]) -> None:
        self._chapters = chapters
        self._heading = " · ".join(title for _, title, _ in chapters)

    def _unused(self) -> list[tuple[int, str, bool]]:
        return [kept for kept in self._chapters if not kept[2]]

    def _use(self) -> str:
        self._chapters = [(level, title, True) for level, title, _ in self._chapters]
        return self._heading

    def _close(self) -> None:
        if (one := self._open) is None:
            return
        self._open = None
        self._ids[one.word, one.numbers] += 1
        count = self._ids[one.word, one.numbers]
        name = one.word if count == 1 else f"repeated{one.word}-{count}"
        self._passages.append(
            Passage(
                id="-".join((name, *map(str, one.numbers))),
                kind=one.kind,
                number=one.number,
                title=one.title,
                heading=one.heading,
                text="\n".join(one.lines),
            )
        )


def _items(line: str) -> Iterator[str]:
    """Divide a line before each ①, ②, … and, after "각 호", before each 1., 2. and so on."""
    for item in _INLINE_ITEM.split(line.strip()):
        if "각 호" not in item:
            if item:
                yield item
            continue
        yield from _subitems(item)


def _subitems(item: str) -> Iterator[str]:
    begin, expected = 0, 1
    cuts = []
    for match in _SUBITEM.finditer(item):
        if int(match[1]) == expected:
            cuts.append(match.start())
            expected += 1
    for cut in cuts if len(cuts) > 1 else ():
        yield item[begin:cut].strip()
        begin = cut
    yield item[begin:].strip()


def _pieces(line: str) -> Iterator[str]:
    if len(line) <= LONGEST:
        yield line
        return
    piece = ""
    for sentence in _SENTENCE_END.split(line):
        if piece and len(piece) + len(sentence) > LONGEST:
            yield piece
            piece = ""
        piece = f"{piece} {sentence}".strip()
    if piece:
        yield piece
