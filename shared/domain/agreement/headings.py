"""Reads a line of an agreement as a heading: an article, an exhibit, a chapter, or none of them.

A reading says what the line looks like. Whether it is a heading is decided with the lines around it (`outline`).
"""

import re
from enum import IntEnum, StrEnum

from shared.model import Model


class Form(StrEnum):
    """How a heading is written."""

    KOREAN = "korean"
    """제5조, 제5조의2."""
    ARTICLE = "article"
    """Article 5."""
    SECTION = "section"
    """Section 5, Clause 5, § 5."""
    CLAUSE = "clause"
    """5. at the beginning of the line."""
    SUBCLAUSE = "subclause"
    """5.1 at the beginning of the line."""
    EXHIBIT = "exhibit"
    """별지 1, Exhibit A."""
    CHAPTER = "chapter"
    """제1장, Chapter 1, 부칙, and headings of Markdown."""


class Level(IntEnum):
    """How far a chapter reaches: to the next one of its level or above."""

    DOCUMENT = 0
    """부칙, Part, 편."""
    CHAPTER = 1
    SECTION = 2
    SUBSECTION = 3
    MARKDOWN = 4
    """Four and more: a heading of Markdown, by its number of signs."""


class Heading(Model):
    """A line that looks like a heading.

    Attributes:
        numbers: Its number, in parts: 제5조의2 has 5 and 2. A chapter has none.
        number: The number as the line writes it.
        body: The text after the title in the same line.
        certain: Written as only a heading is. Others need the right number and a place after a full sentence.
        level: Of a chapter.
    """

    form: Form
    numbers: tuple[int, ...] = ()
    number: str = ""
    title: str = ""
    body: str = ""
    certain: bool = False
    level: int = 0


TITLE = 60
"""A longer title without brackets is a sentence."""
_SHOWN = 300
"""Characters of a line that are read; a title ends before."""

_MARKDOWN = re.compile(r"(#{1,6})\s+(?=\S)")
_KOREAN = re.compile(r"제\s?(?P<n>\d{1,4})\s?조(?:\s?의\s?(?P<m>\d{1,3})(?!\d))?")
_BRACKETED = re.compile(
    r"\s{0,3}(?:\((?P<a>[^()]{1,80})\)|\[(?P<b>[^\[\]]{1,80})\]|【(?P<c>[^】]{1,80})】|（(?P<d>[^（）]{1,80})）)"
)
# After the number or the title of an article that a sentence speaks of.
_REFERENCE = re.compile(
    r"\s{0,2}(?:제\s?\d{1,4}\s?(?:항|조|호)|및\s|또는\s|내지\s|부터|까지|[,·ㆍ~∼-]\s?제|항|호|각\s?호)"
    r"|(?:에서?|의|을|를|은|는|과|와|로|으로|중|상|도|만)(?=[\s가-힣,])"
    r"|\s(?:에|의|을|를|은|는|과|와|에서|에도|에는)\s"
)
_ITEM = re.compile(r"\s{0,3}[①-⑳]")
_MARK = re.compile(r"\s{0,2}[:：.\-–—]\s{0,3}")
_SENTENCE = re.compile(r"(?:[다요][.。]?|[.。!?;,:])$")
_ENGLISH = re.compile(
    r"(?P<word>article|section|clause|sec\.|§)\s{0,2}(?P<n>\d{1,4}(?:\.\d{1,3}){0,3}|[ivxlc]{1,7}(?![a-z]))",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"[\"“‘(\[]?[A-Z가-힣]")
_SENTENCE_WORDS = re.compile(r"\b(?:shall|will|may|must|is|are|has|have|agrees?|applies|apply|means)\b")
_CLAUSE = re.compile(r"(?P<n>\d{1,3})[.)]\s{1,8}(?=\S)")
_SUBCLAUSE = re.compile(r"(?P<n>\d{1,3}(?:\.\d{1,3}){1,3})[.)]?\s{1,8}(?=\S)")
_CHAPTER = re.compile(r"제\s?\d{1,3}\s?(?P<word>[편장절관])(?:\s?의\s?\d{1,2})?(?=$|[\s(\[.:])")
_ENGLISH_CHAPTER = re.compile(r"(?P<word>part|chapter)\s{1,2}(?:\d{1,3}|[ivxlc]{1,7})(?![a-z0-9])", re.IGNORECASE)
# A sentence without its end, as a line that is wrapped: no title.
_UNFINISHED = re.compile(r"[가-힣][은는] |(?:며|을|를|은|는|거나)$")
# Behind the number of an exhibit: words of a sentence that speaks of it.
_REFERS = re.compile(r"(?:참조|참고|따라|따른|같이|같은|기재|[며을를은는과와의에])\.?$|[가-힣][은는을를] ")
_SUPPLEMENT = re.compile(
    r"(?:특약\s?사항|특약)$|부\s{0,4}칙(?=$|\s?[<(\[（])|(?:supplementary provisions?|addendum)$", re.IGNORECASE
)
_EXHIBIT = re.compile(
    r"[\[<【(「]?\s?(?:별지|별표|별첨|붙임)\s{0,2}(?:제\s?)?(?P<n>\d{1,3})?"
    r"(?:\s?호)?(?:의\s?\d{1,2})?(?:\s?서식)?(?:\s?[\]>】)」])?"
)
_ENGLISH_EXHIBIT = re.compile(
    r"(?:exhibit|annex|appendix|schedule|attachment)\s{1,2}(?P<n>\d{1,3}|[a-z])(?![a-z0-9])", re.IGNORECASE
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_LEVELS = {
    "편": Level.DOCUMENT,
    "장": Level.CHAPTER,
    "절": Level.SECTION,
    "관": Level.SUBSECTION,
    "part": Level.DOCUMENT,
}


def readings(line: str) -> tuple[Heading, ...]:
    """Return the headings that a line may be; at most one of each form."""
    marks = _MARKDOWN.match(line)
    shown = _plain(line[marks.end() :] if marks else line)
    first = shown[:1]
    found: tuple[Heading | None, ...]
    if not shown:
        return ()
    if first in "제부별붙[<【「(":
        found = (_korean(shown), _chapter(shown), _exhibit(shown))
    elif first.isdigit():
        found = (_clause(shown), _subclause(shown))
    else:
        found = (_english(shown), _chapter(shown), _exhibit(shown))
    read = tuple(heading for heading in found if heading is not None)
    if marks is None:
        return read
    if not read:
        return (Heading(form=Form.CHAPTER, title=shown, certain=True, level=Level.MARKDOWN + len(marks[1])),)
    return tuple(one.model_copy(update={"certain": one.form is not Form.CLAUSE}) for one in read)


def _plain(line: str) -> str:
    line = line.strip()
    if line.startswith(("**", "__")):
        line = line[2:].replace(line[:2], " ", 1)
        line = line.strip()
    return line


def title_line(line: str) -> str | None:
    """Return the title that a line in brackets gives to the heading before it; None for any other line."""
    match = _BRACKETED.fullmatch(_plain(line))
    return next(group for group in match.groups() if group).strip() if match else None


def _korean(line: str) -> Heading | None:
    match = _KOREAN.match(line)
    if match is None:
        return None
    numbers = tuple(int(part) for part in match.groups() if part)
    number = f"{match['n']}의{match['m']}" if match["m"] else match["n"]
    rest = line[match.end() :]
    title = _BRACKETED.match(rest[:_SHOWN])
    if title is not None:
        body = rest[title.end() :]
        if _REFERENCE.match(body):
            return None
        words = next(group for group in title.groups() if group)
        return Heading(form=Form.KOREAN, numbers=numbers, number=number, title=words.strip(), body=body, certain=True)
    if rest and not rest[0].isspace() and not _MARK.match(rest) and not _ITEM.match(rest):
        return None
    if _REFERENCE.match(rest):
        return None
    found, body = _loose_title(rest)
    return Heading(form=Form.KOREAN, numbers=numbers, number=number, title=found, body=body)


def _loose_title(rest: str) -> tuple[str, str]:
    if mark := _MARK.match(rest):
        rest = rest[mark.end() :]
    if _ITEM.match(rest):
        return "", rest
    words = rest.strip()
    item = next((at for at in (words.find(f" {sign}") for sign in "①") if at >= 0), len(words))
    head = words[:item].rstrip()
    is_sentence = _SENTENCE.search(head) or _SENTENCE_WORDS.search(head) or _UNFINISHED.search(head)
    if len(head) <= TITLE and not is_sentence:
        return head, words[item:]
    return "", words


def _english(line: str) -> Heading | None:
    match = _ENGLISH.match(line)
    if match is None:
        return None
    rest = line[match.end() :]
    mark = _MARK.match(rest)
    words = rest[mark.end() :] if mark else rest.lstrip()
    joined = not mark and rest[:1] not in {"", " ", "\t", "(", "["}
    if words and (joined or not _CAPITAL.match(words)):
        return None
    title, body = _english_title(words)
    form = Form.ARTICLE if match["word"].lower() == "article" else Form.SECTION
    certain = bool(mark and title) or (match["word"].isupper() and not body)
    return Heading(form=form, numbers=_value(match["n"]), number=match["n"], title=title, body=body, certain=certain)


def _english_title(words: str) -> tuple[str, str]:
    bracketed = _BRACKETED.match(words[:_SHOWN])
    if bracketed is not None:
        return next(group for group in bracketed.groups() if group).strip(), words[bracketed.end() :]
    title, body = _loose_title(words)
    if title or not words:
        return title.strip("*_ "), body
    # "Confidentiality. The parties shall …": the title is the first of two sentences.
    end = words[: TITLE + 1].find(". ")
    if end > 0 and not _SENTENCE_WORDS.search(words[:end]):
        return words[:end].strip("*_ "), words[end + 1 :]
    return "", words


def _clause(line: str) -> Heading | None:
    match = _CLAUSE.match(line)
    if match is None:
        return None
    title, body = _english_title(line[match.end() :])
    return Heading(form=Form.CLAUSE, numbers=(int(match["n"]),), number=match["n"], title=title.rstrip("."), body=body)


def _subclause(line: str) -> Heading | None:
    match = _SUBCLAUSE.match(line)
    if match is None:
        return None
    title, body = _english_title(line[match.end() :])
    return Heading(form=Form.SUBCLAUSE, numbers=_value(match["n"]), number=match["n"], title=title, body=body)


def _chapter(line: str) -> Heading | None:
    if len(line) > TITLE:
        return None
    if _SUPPLEMENT.match(line):
        return Heading(form=Form.CHAPTER, title=line, certain=True, level=Level.DOCUMENT)
    match = _CHAPTER.match(line) or _ENGLISH_CHAPTER.match(line)
    if match is None or _SENTENCE.search(line) or _REFERENCE.match(line[match.end() :]):
        return None
    if _SENTENCE_WORDS.search(line):
        return None
    level = _LEVELS.get(match["word"].lower(), Level.CHAPTER)
    return Heading(form=Form.CHAPTER, title=line, certain=True, level=level)


def _exhibit(line: str) -> Heading | None:
    if len(line) > TITLE or _SENTENCE.search(line) or _SENTENCE_WORDS.search(line):
        return None
    match = _EXHIBIT.match(line) or _ENGLISH_EXHIBIT.match(line)
    if match is None:
        return None
    rest = line[match.end() :]
    if _REFERENCE.match(rest) or (rest and not rest[0].isspace() and rest[0] not in ".:(["):
        return None
    certain = line[0] in "[<【「("
    if not certain and rest[:1].isspace() and (match["n"] is None or _REFERS.search(rest)):
        return None
    number = match["n"] or "1"
    numbers = (int(number),) if number.isdigit() else (ord(number.lower()) - ord("a") + 1,)
    title = rest.strip(" .:-–—")
    return Heading(form=Form.EXHIBIT, numbers=numbers, number=number, title=title, certain=certain)


def _value(number: str) -> tuple[int, ...]:
    if number[0].isdigit():
        return tuple(int(part) for part in number.split("."))
    values = [_ROMAN[sign] for sign in number.lower()]
    following = [*values[1:], 0]
    return (sum(-value if value < after else value for value, after in zip(values, following, strict=True)),)
