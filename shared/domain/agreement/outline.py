"""Decides which lines of an agreement are its headings: by their number, their place and the other headings."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from shared.domain.agreement.headings import Form, Heading, Level, readings


class Contents(Enum):
    """A line of the table of contents, which repeats headings."""

    LINE = "line"


Outline = Mapping[int, Heading | Contents]
"""The headings by the index of their line; a line without an entry is text."""

_PASSAGES = frozenset({Form.KOREAN, Form.ARTICLE, Form.SECTION, Form.CLAUSE, Form.SUBCLAUSE})
_LEADERS = re.compile(r"(?:\.{3,400}|(?:\. ){3,200}|·{3,400}|…{1,200}|-{4,400}|_{4,400}|\t)\s{0,20}\d{1,4}$")
_CONTENTS = re.compile(r"#{0,6}\s{0,4}(?:목\s{0,4}차|차\s?례|(?:table of )?contents)$", re.IGNORECASE)
_FULL_STOP = re.compile(r"(?:[.。!?:;)\]」』>”\"'…*-]|[다요음함임것됨호항])$")
_WRAPPED = 25
"""A shorter line is no wrapped line of a sentence."""


def outline(lines: Sequence[str]) -> Outline:
    """Return the headings and the table of contents. It takes time in proportion to the text."""
    found: dict[int, Heading | Contents] = {}
    read: dict[int, tuple[Heading, ...]] = {}
    for index, line in enumerate(lines):
        end = line[-500:].rstrip()
        if _LEADERS.search(end) or (len(line) < 40 and _CONTENTS.match(line.strip())):
            found[index] = Contents.LINE
        elif headings := readings(line):
            read[index] = headings
    loose = {index for index in read if _runs_on(lines, index, read)}
    found |= _parts(read, loose)
    breaks = {index for index, heading in found.items() if isinstance(heading, Heading)}
    found |= _articles(_Lines(lines, read, loose, breaks))
    return found | _contents(lines, found)


def has_articles(found: Outline) -> bool:
    """Tell whether the document is divided into articles or clauses."""
    return any(isinstance(one, Heading) and one.form in _PASSAGES for one in found.values())


class _Lines:
    """The lines with their readings.

    Attributes:
        loose: Lines that may go on with a sentence of the line before.
        breaks: Lines with a chapter or an exhibit, after which numbers may begin again.
    """

    def __init__(
        self, lines: Sequence[str], read: Mapping[int, tuple[Heading, ...]], loose: set[int], breaks: set[int]
    ) -> None:
        self.lines = lines
        self.loose = loose
        self.breaks = breaks
        self._read = read

    def of(self, form: Form) -> Iterator[tuple[int, Heading]]:
        """Yield the readings of a form, in the order of the lines."""
        for index, headings in self._read.items():
            for heading in headings:
                if heading.form is form:
                    yield index, heading

    def indent(self, index: int) -> int:
        """Return how far the line is indented."""
        return len(self.lines[index]) - len(self.lines[index].lstrip())


def _runs_on(lines: Sequence[str], index: int, read: Mapping[int, tuple[Heading, ...]]) -> bool:
    if index == 0 or (index - 1 in read and any(one.certain for one in read[index - 1])):
        return False
    before = lines[index - 1].strip()
    return len(before) >= _WRAPPED and not _FULL_STOP.search(before[-5:])


def _parts(read: Mapping[int, tuple[Heading, ...]], loose: set[int]) -> dict[int, Heading]:
    return {
        index: heading
        for index, headings in read.items()
        for heading in headings
        if heading.form in {Form.CHAPTER, Form.EXHIBIT} and index not in loose
    }


def _articles(lines: _Lines) -> dict[int, Heading]:
    korean, article, section = (_in_order(lines, form) for form in (Form.KOREAN, Form.ARTICLE, Form.SECTION))
    if len(korean) > 1 or any(heading.certain for heading in korean.values()):
        return korean | (article if len(article) > 1 else {})
    if len(section) > 1 and len(section) >= len(article):
        return {index: _as_chapter(heading) for index, heading in article.items()} | section
    if len(article) > 1 or any(heading.certain for heading in article.values()):
        return article
    if len(section) > 1:
        return section
    for form in (Form.CLAUSE, Form.SUBCLAUSE):
        clauses = _in_order(lines, form)
        if len(clauses) > 2 and 2 * min(clauses) <= len(lines.lines):
            return clauses
    return {}


def _as_chapter(heading: Heading) -> Heading:
    title = f"Article {heading.number} {heading.title} {heading.body.strip()}".strip()
    return Heading(form=Form.CHAPTER, title=title, certain=True, level=Level.CHAPTER)


def _in_order(lines: _Lines, form: Form) -> dict[int, Heading]:
    found: dict[int, Heading] = {}
    first: tuple[int, Heading] | None = None
    last: tuple[int, ...] = ()
    broken = iter(sorted(lines.breaks))
    next_break = next(broken, None)
    fresh = True
    for index, heading in lines.of(form):
        while next_break is not None and next_break < index:
            fresh, next_break = True, next(broken, None)
        if form is Form.CLAUSE and first is not None and lines.indent(index) != lines.indent(first[0]):
            continue
        again = fresh or (first is not None and heading.title != "" and heading.title == first[1].title)
        if _fits(heading, last, again=again, loose=index in lines.loose):
            found[index] = heading
            first = first or (index, heading)
            last, fresh = heading.numbers, False
    return found


def _fits(heading: Heading, last: tuple[int, ...], *, again: bool, loose: bool) -> bool:
    begins = heading.numbers[0] == 1 and (again or heading.form is Form.KOREAN)
    follows = heading.numbers > last and heading.numbers[0] - (last[0] if last else 0) <= _reach(heading, last)
    if heading.certain:
        return not loose or follows
    return not loose and (begins or follows)


def _reach(heading: Heading, last: tuple[int, ...]) -> int:
    if heading.form in {Form.CLAUSE, Form.SUBCLAUSE}:
        return 1
    if heading.title:
        return 50
    return 1 if last else 9999


def _contents(lines: Sequence[str], found: Outline) -> dict[int, Contents]:
    """Return the runs of headings without text whose articles all come again."""
    latest = {
        (one.form, one.numbers): index
        for index, one in sorted(found.items())
        if isinstance(one, Heading) and one.form in _PASSAGES
    }
    contents: dict[int, Contents] = {}
    for run in _runs(lines, found):
        articles = [one for index in run if isinstance(one := found[index], Heading) and one.form in _PASSAGES]
        again = sum(latest[one.form, one.numbers] > run[-1] for one in articles)
        if len(articles) > 2 and again >= 0.8 * len(articles):
            contents |= dict.fromkeys(run, Contents.LINE)
    return contents


def _runs(lines: Sequence[str], found: Outline) -> Iterator[list[int]]:
    run: list[int] = []
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        one = found.get(index)
        if not isinstance(one, Heading) or (one.body.strip() and not one.body.strip().isdigit()):
            # The heading of the first article with text may end a table of contents.
            if run:
                yield run
            run = []
        elif run and one.form in _PASSAGES and one.numbers[0] == 1 and _restarts(found[run[-1]]):
            yield run
            run = [index]
        else:
            run.append(index)
    if run:
        yield run


def _restarts(before: Heading | Contents) -> bool:
    return isinstance(before, Heading) and before.form in _PASSAGES and before.numbers[0] > 1
