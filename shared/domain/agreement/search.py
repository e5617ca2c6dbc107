"""Finds the passages of an agreement that belong to a question: BM25, and embeddings where there are some.

The ranks of both are fused (Cormack, Clarke and Büttcher 2009, reciprocal rank fusion), so that their scores need no
common scale, and words alone are enough.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from shared.domain.agreement.bm25 import Bm25
from shared.domain.agreement.document import AgreementDocument, Passage
from shared.domain.agreement.tokens import units_of, weighted_units
from shared.domain.agreement.vocabulary import NO_VOCABULARY, Vocabulary
from shared.model import Model

Vector = Sequence[float]

_TITLE = 1.0
"""Weight of the title, which is scored as a field of its own."""
_HEADING = 1
"""Times that a word of the chapter's heading counts in the text."""
_EXPANDED = 0.5
"""Weight of a legal word that the vocabulary adds for an everyday one."""
_TITLE_LINE = 60
"""Characters; a longer preamble is text."""
_RRF = 60
"""The constant of reciprocal rank fusion, as published."""
_FUSED = 20
"""Passages of each ranking that are fused."""


class Hit(Model):
    """A passage that was found.

    Attributes:
        score: Comparable within one search only.
    """

    passage: Passage
    score: float


class Vectors(Model):
    """Embeddings for one search, of one model and task each.

    Attributes:
        passages: By the passage's id; a passage may lack one.
        queries: In the order of the queries.
    """

    passages: Mapping[str, tuple[float, ...]]
    queries: tuple[tuple[float, ...], ...]


class Index:
    """A document, prepared for searches. Making one takes time in proportion to the document."""

    def __init__(self, document: AgreementDocument, vocabulary: Vocabulary = NO_VOCABULARY) -> None:
        self.document = document
        self._vocabulary = vocabulary
        self._passages = tuple(passage for passage in document.passages if _is_searched(passage))
        self._texts = Bm25([_body(passage) for passage in self._passages])
        self._titles = Bm25([Counter(units_of(passage.title)) for passage in self._passages])

    def search(self, queries: Sequence[str], limit: int = 5, vectors: Vectors | None = None) -> tuple[Hit, ...]:
        """Return the passages that fit the queries best, at most `limit`, the best first; fewer if no more fit at all.

        Args:
            queries: Wordings of one need; each is ranked alone, then the ranks are fused.
            limit: How many.
            vectors: Embeddings of the passages and of these queries; None searches by words alone.
        """
        rankings = [self._by_words(query) for query in queries]
        if vectors is not None:
            rankings += [self._by_vector(query, vectors.passages) for query in vectors.queries]
        scores: dict[int, float] = dict.fromkeys({index for ranking in rankings for index in ranking}, 0.0)
        for ranking in rankings:
            for rank, index in enumerate(ranking[:_FUSED], start=1):
                scores[index] += 1 / (_RRF + rank)
        best = sorted(scores, key=lambda index: (-scores[index], index))
        return tuple(Hit(passage=self._passages[index], score=scores[index]) for index in best[:limit])

    def words_score(self, query: str) -> dict[str, float]:
        """Return the BM25 score of each passage that has words of the query, by the passage's id."""
        return {self._passages[index].id: score for index, score in self._bm25(query).items()}

    def _by_words(self, query: str) -> list[int]:
        scores = self._bm25(query)
        return sorted(scores, key=lambda index: (-scores[index], index))

    def _bm25(self, query: str) -> dict[int, float]:
        scores = self._score(query)
        for alternatives in self._vocabulary.legal_words(query):
            # The best alternative counts: the sum would let a word with many of them drown the rest.
            best: dict[int, float] = {}
            for word in alternatives:
                for index, score in self._score(word).items():
                    best[index] = max(score, best.get(index, 0.0))
            for index, score in best.items():
                scores[index] = scores.get(index, 0.0) + _EXPANDED * score
        return scores

    def _score(self, text: str) -> dict[int, float]:
        asked = weighted_units(text)
        scores = self._texts.scores(asked)
        for index, score in self._titles.scores(asked).items():
            scores[index] = scores.get(index, 0.0) + _TITLE * score
        return scores

    def _by_vector(self, query: Vector, passages: Mapping[str, Vector]) -> list[int]:
        near = {
            index: cosine(query, vector)
            for index, passage in enumerate(self._passages)
            if (vector := passages.get(passage.id)) is not None
        }
        return sorted((index for index in near if near[index] > 0), key=lambda index: (-near[index], index))


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors; 0.0 if either has no direction.

    Raises:
        ValueError: They differ in length: two models or versions are mixed.
    """
    product = sum(a * b for a, b in zip(one, other, strict=True))
    size = math.sqrt(sum(a * a for a in one)) * math.sqrt(sum(b * b for b in other))
    return product / size if size else 0.0


def _is_searched(passage: Passage) -> bool:
    """Leave out a table of contents, and a preamble that is only a title."""
    if passage.id.startswith("preamble-"):
        return len(passage.text) > _TITLE_LINE or passage.text.endswith((".", "다", "요"))
    return not passage.id.startswith("contents-")


def _body(passage: Passage) -> Counter[str]:
    counts = Counter(units_of(passage.text))
    for unit in units_of(passage.heading):
        counts[unit] += _HEADING
    return counts
