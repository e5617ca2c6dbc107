"""Reads the numbers of articles and exhibits: 제5조, 제5조의2, 5조, Article 5, 별지 1, Exhibit 1."""

import re

from shared.domain.agreement.document import AgreementDocument, Passage, PassageKind

MOST_NUMBERS = 8
"""Numbers taken from one text or one call; a range is cut there."""

_KO = r"(?:제 ?)?(\d{1,4}) ?조(?:(?: ?의 ?| ?-)(\d{1,3}))?"
_ARTICLE = re.compile(
    rf"(?<![\d.,가-힣])(?<!법 ){_KO}(?! ?원)(?:(?: ?부터| ?~| ?-| ?에서) ?{_KO})?"
    r"|\b(?:articles?|art\.|clauses?|sections?) ?(\d{1,4})(?:[-.](\d{1,3}))?"
    r"(?: ?(?:to|-|~|through) ?(?:article )?(\d{1,4}))?",
    re.IGNORECASE,
)
_EXHIBIT = re.compile(
    r"(?:별지|별표|별첨|부속서|exhibit|annex|appendix|schedule) ?(?:제 ?)?(\d{1,3})(?: ?호)?", re.IGNORECASE
)
_OTHER_LAW = re.compile(r"(?:법|법률|시행령|시행규칙)[」』\"')]? ?$")
_BARE = re.compile(r"(?<!\d)(\d{1,4})(?:(?:의|-)(\d{1,3}))?(?!\d)", re.ASCII)
_HIGHEST = 9999


def article_numbers(text: str) -> tuple[str, ...]:
    """Return the articles that a text names, as `5` or `5의2`; those of another law ("민법 제750조") are left out."""
    found: list[str] = []
    for match in _ARTICLE.finditer(text):
        if _OTHER_LAW.search(text[: match.start()]):
            continue
        first, part = match[1] or match[5], match[2] or match[6]
        last = match[3] or match[7]
        found.append(f"{first}의{part}" if part else str(int(first)))
        if last and not part:
            found += [str(one) for one in range(int(first) + 1, min(int(last), int(first) + MOST_NUMBERS) + 1)]
    return tuple(dict.fromkeys(found))[:MOST_NUMBERS]


def exhibit_numbers(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(int(match[1])) for match in _EXHIBIT.finditer(text)))[:MOST_NUMBERS]


def number_of(value: object) -> str | None:
    """Return a number as a document writes it, from what a model may write: 5, "5", 5.0, "제5조", "article-5-2"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return str(int(value)) if 0 < value <= _HIGHEST and value % 1 == 0 else None
    text = str(value).strip()
    if named := article_numbers(text) or exhibit_numbers(text):
        return named[0]
    bare = _BARE.search(text)
    if bare is None:
        return None
    return f"{int(bare[1])}의{bare[2]}" if bare[2] else str(int(bare[1]))


def passages_numbered(document: AgreementDocument, kind: PassageKind, number: str) -> tuple[Passage, ...]:
    """Return the passages of a kind with a number; more than one where an addendum counts from 1 again."""
    wanted = _digits(number)
    return tuple(one for one in document.passages if one.kind is kind and wanted and _digits(one.number) == wanted)


def _digits(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", number))
