"""The contract of `Embedder`: the adapter and its SDK against the simulator, over loopback."""

import math
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from local.gemini.faults import Injection
from local.gemini.latency import INSTANT
from local.gemini.server import serve
from shared.adapters.gemini import GeminiConnection, GeminiEmbedder
from shared.config.settings import ModelAccess
from shared.domain import errors
from shared.platform.language_model import embedder_settings
from shared.ports.document_nearness import cosine
from shared.ports.embedder import Embedded, EmbedTask, EmbedText

SETTINGS = embedder_settings(ModelAccess())


@asynccontextmanager
async def wire(**settings):
    async with await serve(latency=INSTANT) as running:
        connection = GeminiConnection(api_key=SecretStr("any"), base_url=running.address, retry_attempts=1)
        embedder = GeminiEmbedder(connection, SETTINGS.model_copy(update=settings))
        try:
            yield running.simulator, embedder
        finally:
            await embedder.aclose()


async def embed(embedder, *texts, task=EmbedTask.DOCUMENT, timeout_s=8.0):
    return await embedder.embed([EmbedText(text=text) for text in texts], task, timeout_s)


async def test_each_text_has_a_vector_in_its_place_and_the_cost_is_counted():
    async with wire() as (simulator, embedder):
        found = await embed(embedder, "상담 내용은 비밀로 합니다.", "돈을 돌려드립니다.")
        asked = await embed(embedder, "비밀로 하나요?", task=EmbedTask.QUERY)
    assert {len(vector) for vector in found.vectors} == {SETTINGS.dimension}
    near = [cosine(asked.vectors[0], vector) for vector in found.vectors]
    assert near[0] > near[1]
    assert found.cost_krw > 0
    sent = [one["content"]["parts"][0]["text"] for call in simulator.calls.recent for one in call.request["requests"]]
    assert sent[1:] == ["title: none | text: 돈을 돌려드립니다.", "task: search result | query: 비밀로 하나요?"]


async def test_every_vector_has_length_one_and_the_older_model_is_told_the_task_by_a_parameter():
    for model, tasks in (("gemini-embedding-2", "prefix"), ("gemini-embedding-001", "parameter")):
        async with wire(model=model, tasks=tasks) as (simulator, embedder):
            found = await embed(embedder, "상담 내용은 비밀로 합니다.")
            (sent,) = next(iter(simulator.calls.recent)).request["requests"]
        assert math.hypot(*found.vectors[0]) == pytest.approx(1)
        assert (sent.get("taskType"), sent["content"]["parts"][0]["text"].startswith("title:")) == (
            ("RETRIEVAL_DOCUMENT", False) if tasks == "parameter" else (None, True))  # fmt: skip


async def test_more_texts_than_one_request_may_have_are_sent_in_several_and_keep_their_order():
    texts = [f"제{number}조" for number in range(SETTINGS.batch * 2 + 1)]
    async with wire() as (_, embedder):
        found = await embed(embedder, *texts)
        last = await embed(embedder, texts[-1])
    assert found.sends == 3
    assert (len(found.vectors), found.vectors[-1]) == (len(texts), last.vectors[0])


async def test_a_batch_above_the_limit_of_the_provider_is_refused():
    async with wire(batch=SETTINGS.batch + 1) as (_, embedder):
        with pytest.raises(errors.ModelRejected):
            await embed(embedder, *["가"] * (SETTINGS.batch + 1))


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("rate_limit", errors.ModelRateLimited),
        ("unavailable", errors.ModelUnavailable),
        ("model_gone", errors.ModelNotFound),
        ("forbidden", errors.ModelAccessDenied),
        ("hang", errors.ModelTimeout),
    ],
)
async def test_a_failure_is_an_error_of_ours_in_time(fault, error):
    async with wire() as (simulator, embedder):
        await embed(embedder, "연결")
        simulator.faults.put(Injection(fault=fault, agent="embedder"))
        with pytest.raises(error) as caught:
            await embed(embedder, "비밀", timeout_s=0.3)
        simulator.stopping.set()
    assert caught.value.sends == 1
    assert "비밀" not in str(caught.value)


async def test_no_text_costs_no_request_and_a_blank_one_is_refused_before_it_is_sent():
    async with wire() as (simulator, embedder):
        assert await embed(embedder) == Embedded()
        with pytest.raises(errors.ModelRejected):
            await embed(embedder, "가", " ")
    assert simulator.calls.total == 0
