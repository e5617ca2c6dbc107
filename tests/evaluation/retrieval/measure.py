"""Reads the questions, ranks the passages, and counts how often the right one is first or among the first three."""

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shared.content.catalogue import content
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.parsing import parse
from shared.locale import Locale
from tests.builders.sentences import plain_yaml

QUESTIONS = Path(__file__).parent / "questions.yaml"
LATER = Path(__file__).parent / "later.yaml"
LAST = Path(__file__).parent / "last.yaml"
FRESH = Path(__file__).parent / "fresh.yaml"
NEWEST = Path(__file__).parent / "newest.yaml"
STATUTE = Path(__file__).parents[2] / "fixtures" / "agreements" / "labor_standards_act.txt"

Ranking = Callable[[str], Sequence[str]]
"""Returns the ids of passages for a question, the best first."""


@dataclass(frozen=True)
class Question:
    """A question with the passage that answers it.

    Attributes:
        half: `development`; `held out`: its misses were not looked at; `later`: written when the search was finished;
            `fresh`: written after its newest change, and measured once;
            `newest, read` and `newest, unread`: written before its newest change, divided by a hash.
    """

    text: str
    passage: str
    half: str


@dataclass(frozen=True)
class Figures:
    """The share of questions whose passage is first, or among the first three."""

    count: int
    first: float
    third: float


def questions() -> Mapping[str, tuple[Question, ...]]:
    """Return the questions of each document."""
    asked: dict[str, list[Question]] = {}
    for path, halves in (
        (QUESTIONS, ("development", "held out")),
        (LATER, ("later",) * 2),
        (LAST, ("last",) * 2),
        (FRESH, ("fresh",) * 2),
    ):
        written: dict[str, dict[str, list[str]]] = plain_yaml(path)
        for document, passages in written.items():
            asked.setdefault(document, []).extend(
                Question(text, passage, halves[index % 2])
                for passage, texts in passages.items()
                for index, text in enumerate(texts)
            )
    for document, by_passage in plain_yaml(NEWEST).items():
        asked[document] += [
            Question(text, passage, _half(text)) for passage, texts in by_passage.items() for text in texts
        ]
    return {document: tuple(found) for document, found in asked.items()}


def _half(text: str) -> str:
    return ("newest, read", "newest, unread")[zlib.crc32(text.encode()) % 2]


def documents() -> Mapping[str, AgreementDocument]:
    """Return the documents that the questions are about."""
    labor = parse(STATUTE.read_text(encoding="utf-8"), id="labor", version="1", title="근로기준법", locale=Locale.KO)
    consents = content().consents
    service, english = (
        content().agreements.service(locale, consents.operator(locale, None)) for locale in (Locale.KO, Locale.EN)
    )
    return {"service": service, "labor": labor, "english": english}


def measure(asked: Iterable[Question], ranking: Ranking) -> Figures:
    """Return the figures of a search."""
    return measure_each(asked, lambda question: ranking(question.text))


def measure_each(asked: Iterable[Question], ranking: Callable[[Question], Sequence[str]]) -> Figures:
    """Return the figures of a search that a question is given to whole."""
    places = []
    for question in asked:
        ranked = list(ranking(question))
        places.append(ranked.index(question.passage) if question.passage in ranked else 999)
    count = len(places)
    return Figures(count, sum(at == 0 for at in places) / count, sum(at < 3 for at in places) / count)
