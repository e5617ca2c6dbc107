"""Finds the passages of an agreement that belong to a question: BM25, and embeddings where there are some.

The ranks of both are fused (Cormack, Clarke and Büttcher 2009, reciprocal rank fusion), so that their scores need no
common scale, and words alone are enough. Ranks forget how sure a search was, so the fusion has a rule of its own: what
the words find first stays first, unless another passage fits them nearly as well and is nearest by embeddings. How near
it is tells nothing: a poor model is as sure as a good one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from shared.domain.agreement.bm25 import Bm25
from shared.domain.agreement.document import AgreementDocument, Passage
from shared.domain.agreement.tokens import normalised, units_of, weighted_units, words
from shared.domain.agreement.vocabulary import NO_VOCABULARY, Vocabulary
from shared.model import Model

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
FUSED = 20
"""Passages of each ranking that are fused."""


class Hit(Model):
    """A passage that was found.

    Attributes:
        score: Comparable within one search only.
    """

    passage: Passage
    score: float


Near = Mapping[str, float]
"""The passages whose embeddings are nearest to one query's, at most `FUSED`: their cosines by id."""


class Fusion(Model):
    """How far embeddings count beside words.

    Attributes:
        weight: Of a rank by embeddings; one by words counts 1.
        close: Share of the words' best score with which the passage that is nearest by embeddings comes first.
    """

    weight: float
    close: float


class Index:
    """A document, prepared for searches. Making one takes time in proportion to the document."""

    def __init__(self, document: AgreementDocument, vocabulary: Vocabulary = NO_VOCABULARY) -> None:
        self.document = document
        self.vocabulary = vocabulary
        self._passages = tuple(passage for passage in document.passages if _is_searched(passage))
        self._texts = Bm25([_body(passage) for passage in self._passages])
        self._titles = Bm25([Counter(units_of(passage.title)) for passage in self._passages])

    def search(
        self, queries: Sequence[str], limit: int = 5, near: Sequence[Near] = (), fusion: Fusion | None = None
    ) -> tuple[Hit, ...]:
        """Return the passages that fit the queries best, at most `limit`, the best first; fewer if no more fit at all.

        Args:
            queries: Wordings of one need; each is ranked alone, then the ranks are fused.
            limit: How many.
            near: What is near to each query by embeddings; empty searches by words alone.
            fusion: How far embeddings count; None leaves them out.
        """
        by_words = [self._bm25(query) for query in queries]
        rankings = [(_descending(found), 1.0) for found in by_words]
        best, scores = _fused(rankings)
        cosines = [found for one in near if (found := self._placed(one))]
        if cosines and fusion:
            first = _first(best[:1], by_words, cosines, fusion.close)
            best, scores = _fused([*rankings, *((_descending(found), fusion.weight) for found in cosines)])
            best = [*first, *(index for index in best if index not in first)]
        return tuple(Hit(passage=self._passages[index], score=scores[index]) for index in best[:limit])

    def mentions(self, text: str) -> bool:
        """Return whether a word of a text, or one that the vocabulary adds for it, stands in the document."""
        legal = (word for alternatives in self.vocabulary.legal_words(text) for word in alternatives)
        return any(len(word) > 1 and word in self._whole for word in (*words(text), *legal))

    @cached_property
    def _whole(self) -> str:
        return normalised("\n".join(f"{one.heading} {one.title} {one.text}" for one in self._passages))

    def _bm25(self, query: str) -> dict[int, float]:
        scores = self._score(query)
        for alternatives in self.vocabulary.legal_words(query):
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

    def _placed(self, near: Near) -> dict[int, float]:
        return {index: near[passage.id] for index, passage in enumerate(self._passages) if near.get(passage.id, 0) > 0}


def _descending(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda index: (-scores[index], index))


def _fused(rankings: Sequence[tuple[Sequence[int], float]]) -> tuple[list[int], dict[int, float]]:
    scores: dict[int, float] = dict.fromkeys({index for ranking, _ in rankings for index in ranking}, 0.0)
    for ranking, weight in rankings:
        for rank, index in enumerate(ranking[:FUSED], start=1):
            scores[index] += weight / (_RRF + rank)
    return _descending(scores), scores


def _first(
    best: Sequence[int], by_words: Sequence[Mapping[int, float]], cosines: Sequence[Mapping[int, float]], close: float
) -> Sequence[int]:
    """Return the passage that comes first: the words' best, or one nearly as good that is nearest by embeddings."""
    nearest = Counter(_descending(found)[0] for found in cosines)
    for index, _ in nearest.most_common():
        if any(found and found.get(index, 0.0) >= close * max(found.values()) for found in by_words):
            return (index,)
    return best


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
