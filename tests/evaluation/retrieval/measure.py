"""Reads the questions, ranks the passages, and counts how often the right one is first or among the first three."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from shared.content.catalogue import content
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.parsing import parse
from shared.locale import Locale

QUESTIONS = Path(__file__).parent / "questions.yaml"
LATER = Path(__file__).parent / "later.yaml"
LAST = Path(__file__).parent / "last.yaml"
STATUTE = Path(__file__).parents[2] / "fixtures" / "agreements" / "labor_standards_act.txt"

Ranking = Callable[[str], Sequence[str]]
"""Returns the ids of passages for a question, the best first."""


@dataclass(frozen=True)
class Question:
    """A question with the passage that answers it.

    Attributes:
        half: `development`; `held out`: its misses were not looked at; `later`: written when the search was finished.
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
    for path, halves in ((QUESTIONS, ("development", "held out")), (LATER, ("later",) * 2), (LAST, ("last",) * 2)):
        written: dict[str, dict[str, list[str]]] = yaml.safe_load(path.read_text(encoding="utf-8"))
        for document, passages in written.items():
            asked.setdefault(document, []).extend(
                Question(text, passage, halves[index % 2])
                for passage, texts in passages.items()
                for index, text in enumerate(texts)
            )
    return {document: tuple(found) for document, found in asked.items()}


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
    places = []
    for question in asked:
        ranked = list(ranking(question.text))
        places.append(ranked.index(question.passage) if question.passage in ranked else 999)
    count = len(places)
    return Figures(count, sum(at == 0 for at in places) / count, sum(at < 3 for at in places) / count)
