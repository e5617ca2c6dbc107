"""Requests for embeddings that the API refuses, and what the simulator's vectors are."""

import math

import pytest

from local.gemini.embedding import embed
from local.gemini.problems import ApiProblem


def asked(*texts, **more):
    return {"content": {"parts": [{"text": text} for text in texts]}, "outputDimensionality": 768, **more}


def batch(*requests):
    return {"requests": list(requests)}


@pytest.mark.parametrize(
    ("model", "method", "body", "code"),
    [
        ("text-embedding-004", "embedContent", asked("가"), 404),
        ("gemini-embedding-2", "embedContent", asked(""), 400),
        ("gemini-embedding-2", "embedContent", {"content": {"parts": []}}, 400),
        ("gemini-embedding-2", "embedContent", asked("가", outputDimensionality=4000), 400),
        ("gemini-embedding-001", "embedContent", asked("가", taskType="SEARCH"), 400),
        ("gemini-embedding-2", "batchEmbedContents", batch(), 400),
        ("gemini-embedding-2", "batchEmbedContents", batch(asked("가", model="models/gemini-embedding-001")), 400),
        (
            "gemini-embedding-2",
            "batchEmbedContents",
            batch(*[asked("가", model="models/gemini-embedding-2")] * 101),
            400,
        ),
    ],
)
def test_what_the_api_refuses_is_refused(model, method, body, code):
    with pytest.raises(ApiProblem) as refused:
        embed(model, method, body)
    assert refused.value.code == code


def test_the_parts_of_one_content_become_one_vector_and_only_the_newer_model_normalises_short_ones():
    one = embed("gemini-embedding-2", "embedContent", asked("비밀", "보장"))["embedding"]["values"]
    assert one == embed("gemini-embedding-2", "embedContent", asked("비밀보장"))["embedding"]["values"]
    older = embed("gemini-embedding-001", "embedContent", asked("비밀보장"))["embedding"]["values"]
    assert (math.hypot(*one), math.hypot(*older) > 1.1) == (pytest.approx(1), True)
