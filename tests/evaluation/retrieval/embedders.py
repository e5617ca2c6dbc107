"""Embeddings without a model, for questions with a known answer: the simulator's, and doubles that know meanings."""

import random
from collections.abc import Callable, Mapping

from local.gemini.embedding import embed
from shared.config.agents import agent_models
from shared.content.catalogue import content
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.search import FUSED, Fusion, Index
from shared.ports.document_nearness import cosine
from tests.evaluation.retrieval.measure import Question

Cosines = Callable[[Question], Mapping[str, float]]
"""Returns how near each passage is to a question."""


def shipped_fusion() -> Fusion:
    """Return the configured weight and lead."""
    of = agent_models().catalogue.embedding
    return Fusion(weight=of.weight, close=of.close)


def simulated(document: AgreementDocument) -> Cosines:
    """Return the cosines of the simulator's vectors, which are near where texts share pairs of letters."""
    size = agent_models().catalogue.embedding.dimension

    def vector(text: str) -> tuple[float, ...]:
        asked = {"content": {"parts": [{"text": text}]}, "outputDimensionality": size}
        return tuple(embed("gemini-embedding-2", "embedContent", asked)["embedding"]["values"])

    passages = {
        one.id: vector(f"title: {one.title or 'none'} | text: {one.text}") for one in document.passages if one.text
    }

    def near(question: Question) -> Mapping[str, float]:
        asked = vector(f"task: search result | query: {question.text}")
        return {name: cosine(asked, found) for name, found in passages.items()}

    return near


def knowing(document: AgreementDocument, right: float, spread: float = 0.03) -> Cosines:
    """Return an embedder of meanings that places a share of the questions nearest to their passage.

    All cosines lie close together, as those of large models do; the nearest one is two to four spreads ahead of most.
    """
    names = [one.id for one in document.passages if one.text]

    def near(question: Question) -> Mapping[str, float]:
        chance = random.Random(question.text)
        meant = question.passage if chance.random() < right else chance.choice(names)
        cosines = {name: 0.6 + chance.gauss(0, spread) for name in names}
        return {**cosines, meant: 0.6 + spread * chance.uniform(2, 4)}

    return near


def fused(
    document: AgreementDocument, cosines: Cosines | None, fusion: Fusion | None
) -> Callable[[Question], list[str]]:
    """Return the search by words and embeddings, as the service runs it; by words alone without embeddings."""
    index = Index(document, content().agreements.vocabulary)

    def ranking(question: Question) -> list[str]:
        near = []
        if cosines is not None:
            found = cosines(question)
            near = [{name: found[name] for name in sorted(found, key=lambda one: -found[one])[:FUSED]}]
        return [hit.passage.id for hit in index.search([question.text], 10, near, fusion)]

    return ranking
