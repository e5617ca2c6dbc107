"""`python -m tests.evaluation.retrieval`: prints how well the search of agreements finds the right passage."""

import sys
from collections.abc import Mapping

from shared.content.catalogue import content
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.search import Index
from tests.evaluation.retrieval.bigrams import bigram_ranking
from tests.evaluation.retrieval.measure import Question, Ranking, documents, measure, questions

LIMIT = 10
HALVES = ("development", "held out", "later", "last", "newest, read", "newest, unread", "fresh")


def rankings(document: AgreementDocument) -> Mapping[str, Ranking]:
    """Return the searches that are compared, from the plainest to the one that is shipped."""

    def ranked(index: Index) -> Ranking:
        return lambda text: [hit.passage.id for hit in index.search([text], LIMIT)]

    return {
        "BM25 on plain bigrams": bigram_ranking(document),
        "without the vocabulary": ranked(Index(document)),
        "shipped": ranked(Index(document, content().agreements.vocabulary)),
    }


def table() -> str:
    """Return the figures of each search and document."""
    texts = documents()
    lines = [f"{'document':<9} {'search':<24} {'questions':<14} {'n':>4} {'hit@1':>6} {'hit@3':>6}"]
    for name, asked in questions().items():
        for search, ranking in rankings(texts[name]).items():
            for half, chosen in _halves(asked).items():
                figures = measure(chosen, ranking)
                lines.append(
                    f"{name:<9} {search:<24} {half:<14} {figures.count:>4} {figures.first:>6.3f} {figures.third:>6.3f}"
                )
    return "\n".join(lines)


def _halves(asked: tuple[Question, ...]) -> Mapping[str, tuple[Question, ...]]:
    halves = {half: tuple(one for one in asked if one.half == half) for half in HALVES}
    first = halves["development"] + halves["held out"]
    return {half: chosen for half, chosen in {"first 200": first, **halves}.items() if chosen}


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
