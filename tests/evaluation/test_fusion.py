"""Embeddings beside words: those of the simulator cost no first hits, and those of a model that knows meanings help."""

import pytest

from tests.evaluation.retrieval.embedders import fused, knowing, shipped_fusion, simulated
from tests.evaluation.retrieval.measure import documents, measure_each, questions

NOISE = 0.03
"""Share of the questions: within what a few questions more or less make."""


@pytest.fixture(scope="module", params=["service", "labor"])
def hard(request):
    """The document, its questions that the search was not tuned on, and how many of them words alone answer."""
    document = documents()[request.param]
    asked = [one for one in questions()[request.param] if one.half not in {"development", "held out"}]
    return document, asked, measure_each(asked, fused(document, None, shipped_fusion()))


def test_the_vectors_of_the_simulator_cost_no_hits_beyond_noise(hard):
    document, asked, by_words = hard
    figures = measure_each(asked, fused(document, simulated(document), shipped_fusion()))
    assert figures.first >= by_words.first - NOISE, (figures, by_words)
    assert figures.third >= by_words.third - NOISE, (figures, by_words)


def test_an_embedder_that_knows_four_meanings_in_five_finds_more_than_words_do(hard):
    document, asked, by_words = hard
    figures = measure_each(asked, fused(document, knowing(document, 0.8), shipped_fusion()))
    assert figures.first > by_words.first + NOISE, (figures, by_words)
    assert figures.third > by_words.third, (figures, by_words)
