"""The contract of `LanguageModel`: the adapter and its SDK against the simulator, over loopback."""

import asyncio
import json
import time
from contextlib import aclosing, asynccontextmanager
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, SecretStr

from local.gemini.faults import Injection
from local.gemini.latency import INSTANT, Latency
from local.gemini.server import serve
from shared.adapters.gemini import GeminiConnection, GeminiLanguageModel
from shared.domain import errors
from shared.domain.errors import ModelError, Refusal
from shared.engine.watched_model import look_at
from shared.ports.language_model import ModelMessage, ModelRequest
from shared.ports.model_settings import ModelSettings
from tests.support.polling import until

LONG = "오늘 하루도 정말 고생 많으셨어요. 그 마음을 조금 더 들려주실 수 있을까요?"
SECRET = "비밀스러운 이야기"
BOUND_S = 10.0
MODEL = "gemini-3.6-flash"

both_ways = pytest.mark.parametrize("streamed", [False, True])


class TaskCompletion(BaseModel):
    evidence: str
    score: Annotated[int, Field(ge=0, le=10)] | None
    done: bool


class AdapterWithSimulator:
    def __init__(self, running, model):
        self.simulator = running.simulator
        self.calls = running.simulator.calls
        self.model = model

    def fault(self, name, **fields):
        self.simulator.faults.put(Injection.model_validate({"fault": name, **fields}))

    def say(self, *texts):
        self.simulator.set_script({"Counselor": list(texts)})

    async def connected(self):
        """Make a first call, so that later ones need not connect."""
        await self.model.generate(request())

    async def answer(self, asked, *, streamed):
        """Return the reply or the last chunk, which holds the cost, and the whole text."""
        if not streamed:
            reply = await self.model.generate(asked)
            return reply, reply.text
        chunks = [chunk async for chunk in self.model.stream(asked)]
        return chunks[-1], "".join(chunk.text for chunk in chunks)

    async def failure(self, asked, *, streamed):
        async with asyncio.timeout(BOUND_S):
            with pytest.raises(ModelError) as caught:
                await self.answer(asked, streamed=streamed)
        return caught.value

    async def broken(self, asked):
        """Return the received pieces of a stream and the error that ended it."""
        texts = []
        async with asyncio.timeout(BOUND_S):
            with pytest.raises(ModelError) as caught:
                await collect(self.model.stream(asked), texts)
        return texts, caught.value

    async def simulator_sees_the_disconnect(self):
        await until(lambda: self.calls.recent[-1].outcome == "disconnected", within_s=BOUND_S)


async def collect(source, texts):
    async for chunk in source:
        texts.append(chunk.text)


def quotes_nothing(error):
    """Return whether an error shows neither a user's words nor the vendor's error, which may quote them."""
    hidden = error.__context__ is None or error.__suppress_context__
    return hidden and not any(said in str(error) for said in (SECRET, LONG[:3]))


@asynccontextmanager
async def wire(latency=INSTANT, **connection):
    fields = {"api_key": SecretStr("any"), "retry_attempts": 2, "retry_initial_delay_s": 0, "retry_jitter_s": 0}
    async with await serve(latency=latency) as running:
        model = GeminiLanguageModel(GeminiConnection(**{**fields, "base_url": running.address, **connection}))
        try:
            yield AdapterWithSimulator(running, model)
        finally:
            await model.aclose()


@pytest.fixture
async def wired():
    async with wire() as wired:
        yield wired


@pytest.fixture
async def three_attempts():
    async with wire(retry_attempts=3) as wired:
        yield wired


def request(schema=None, **settings):
    talk = [("user", "안녕하세요"), ("model", "어서 오세요"), ("user", SECRET)]
    usual = {"model": MODEL, "thinking_level": "minimal", "timeout_s": 8, "first_token_s": 8, "idle_s": 8}
    return ModelRequest(
        agent="counselor",
        system="따뜻하게 듣는다.",
        messages=tuple(ModelMessage(role=role, text=said) for role, said in talk),
        settings=ModelSettings(**{**usual, **settings}),
        response_schema=schema,
    )


class TestAnAnswer:
    async def test_is_streamed_in_pieces_that_count_the_tokens_so_far(self, wired):
        wired.say(LONG, LONG)
        chunks = [chunk async for chunk in wired.model.stream(request())]
        assert "".join(chunk.text for chunk in chunks) == LONG
        assert len(chunks) > 10
        assert chunks[-1].usage.output_tokens == len(chunks) - 1
        assert all(chunk.text for chunk in chunks[:-1])
        async with aclosing(wired.model.stream(request())) as chunks:
            seen = [await anext(chunks) for _ in range(3)]
        assert [(chunk.usage.output_tokens, chunk.sends) for chunk in seen] == [(1, 1), (2, 1), (3, 1)]
        assert seen[-1].usage.prompt_tokens > 5

    async def test_is_streamed_while_it_is_generated(self):
        async with wire(Latency(ttft_ms=80, token_ms=20)) as wired:
            wired.say("네", LONG)
            await wired.connected()
            start = time.perf_counter()
            times = [time.perf_counter() - start async for _ in wired.model.stream(request())]
        assert times[-1] - times[0] > 0.02 * len(times) / 2, (
            "half of the pace: on a busy machine pieces arrive together"
        )
        assert times[0] > 0.08

    @both_ways
    async def test_with_a_schema_is_json_of_that_schema(self, wired, streamed):
        _, text = await wired.answer(request(TaskCompletion), streamed=streamed)
        assert TaskCompletion.model_validate_json(text)
        assert wired.calls.agents == {"TaskCompletion": 1}

    @pytest.mark.parametrize("fault", ["cut_json", "wrong_schema"])
    @both_ways
    async def test_that_violates_the_schema_is_returned_unchecked(self, wired, fault, streamed):
        wired.fault(fault)
        _, text = await wired.answer(request(TaskCompletion), streamed=streamed)
        assert text
        with pytest.raises(ValueError, match="TaskCompletion"):
            TaskCompletion.model_validate_json(text)

    @both_ways
    async def test_counts_thought_tokens_as_output_and_also_separately(self, wired, streamed):
        wired.say(LONG)
        last, _ = await wired.answer(request(thinking_level="low", thought_tokens=1024), streamed=streamed)
        assert last.usage.thought_tokens > 50
        assert last.usage.output_tokens > last.usage.thought_tokens

    @both_ways
    async def test_is_truncated_if_thoughts_use_up_the_output_limit(self, wired, streamed):
        asked = request(thinking_level="medium", max_output_tokens=64)
        caught = await wired.failure(asked, streamed=streamed)
        assert (type(caught), caught.output_tokens, caught.thought_tokens) == (errors.ModelTruncated, 64, 64)


async def test_the_provider_gets_settings_system_roles_and_schema_but_not_the_agents_name(wired):
    limits = {"temperature": 0.2, "max_output_tokens": 77, "thought_tokens": 1000, "thinking_level": "low"}
    await wired.model.generate(request(TaskCompletion, **limits))
    sent = wired.calls.recent[0].request
    config = sent["generationConfig"]
    assert (config["temperature"], config["maxOutputTokens"]) == (0.2, 1077)
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == TaskCompletion.model_json_schema()
    assert list(config["thinkingConfig"].values()) == ["LOW"]
    assert [content["role"] for content in sent["contents"]] == ["user", "model", "user"]
    assert "따뜻하게 듣는다." in json.dumps(sent["systemInstruction"], ensure_ascii=False)
    assert [setting["threshold"] for setting in sent["safetySettings"]] == ["OFF"] * 4
    assert "counselor" not in json.dumps(sent)


class TestRequests:
    @pytest.mark.parametrize("times", [0, 2])
    @both_ways
    async def test_that_were_refused_are_retried_and_counted_in_sends(self, three_attempts, times, streamed):
        three_attempts.say(LONG)
        if times:
            three_attempts.fault("unavailable", times=times)
        last, text = await three_attempts.answer(request(), streamed=streamed)
        assert (text, last.sends) == (LONG, times + 1)
        assert three_attempts.calls.total == times + 1

    async def test_are_retried_after_a_cut_plain_answer_and_not_after_a_cut_stream(self, wired):
        wired.fault("cut_stream", times=1)
        wired.say(LONG, LONG)
        reply = await wired.model.generate(request())
        assert (reply.text, reply.sends, wired.calls.total) == (LONG, 2, 2)
        wired.fault("cut_stream", times=1)
        await wired.broken(request())
        assert wired.calls.total == 3

    @pytest.mark.parametrize(("attempts", "sent"), [(1, 1), (9, 3)])
    @both_ways
    async def test_are_sent_no_more_often_than_the_call_and_the_connection_allow(
        self, three_attempts, attempts, sent, streamed
    ):
        three_attempts.fault("unavailable")
        asked = request().model_copy(update={"attempts": attempts})
        caught = await three_attempts.failure(asked, streamed=streamed)
        assert (type(caught), caught.sends, three_attempts.calls.total) == (errors.ModelUnavailable, sent, sent)

    @both_ways
    async def test_are_retried_only_within_the_time_limit_of_the_call(self, streamed):
        async with wire(retry_attempts=50, retry_initial_delay_s=0.2) as wired:
            wired.fault("unavailable")
            caught = await wired.failure(request(timeout_s=0.4, first_token_s=0.4), streamed=streamed)
            assert type(caught) is errors.ModelTimeout

    @pytest.mark.parametrize("seconds", [2, 10])
    @both_ways
    async def test_with_a_short_time_limit_are_accepted_by_the_provider(self, wired, seconds, streamed):
        await wired.model.warm()
        await wired.answer(request(timeout_s=seconds), streamed=streamed)


class TestFailures:
    @pytest.mark.parametrize(
        ("fault", "error", "reason"),
        [
            ("rate_limit", errors.ModelRateLimited, "429 RESOURCE_EXHAUSTED"),
            ("unavailable", errors.ModelUnavailable, "503 UNAVAILABLE"),
            ("bad_request", errors.ModelRejected, "400 INVALID_ARGUMENT"),
            ("model_gone", errors.ModelNotFound, "404 NOT_FOUND"),
            ("forbidden", errors.ModelAccessDenied, "403 PERMISSION_DENIED"),
            ("location", errors.ModelAccessDenied, "400 FAILED_PRECONDITION"),
            ("hang", errors.ModelTimeout, "in time"),
            ("blocked_prompt", errors.ModelBlocked, "PROHIBITED_CONTENT"),
            ("blocked_answer", errors.ModelBlocked, "SAFETY"),
            ("empty", errors.ModelEmpty, "blank"),
            ("max_tokens", errors.ModelTruncated, "MAX_TOKENS"),
            ("garbage_body", errors.ModelUnavailable, "unreadable"),
        ],
    )
    @both_ways
    async def test_of_each_kind_have_their_type_report_the_cost_and_quote_nothing(
        self, wired, fault, error, reason, streamed
    ):
        wired.say(LONG)
        wired.fault(fault)
        limits = {"first_token_s" if streamed else "timeout_s": 0.4 if fault == "hang" else 8}
        caught = await wired.failure(request(**limits), streamed=streamed)
        assert type(caught) is error
        assert reason in caught.reason
        assert (caught.prompt_tokens > 5) is (fault in {"blocked_prompt", "blocked_answer", "empty", "max_tokens"})
        assert (caught.output_tokens > 5) is (fault == "max_tokens")
        assert bool(caught.arrived) is (fault == "max_tokens"), "the beginning of an answer that was cut is kept"
        assert LONG.startswith(caught.arrived)
        assert quotes_nothing(caught)

    @pytest.mark.parametrize(
        ("fault", "error"), [("cut_stream", errors.ModelUnavailable), ("unfinished", errors.ModelEmpty)]
    )
    async def test_of_a_cut_plain_answer_have_their_error_type(self, wired, fault, error):
        wired.fault(fault)
        caught = await wired.failure(request(), streamed=False)
        assert type(caught) is error
        assert fault == "unfinished" or "connection" in caught.reason

    @pytest.mark.parametrize(
        ("fault", "error"),
        [
            ("cut_stream", errors.ModelStreamBroken),
            ("unfinished", errors.ModelStreamBroken),
            ("error_in_stream", errors.ModelUnavailable),
            ("drip_stream", errors.ModelTimeout),
            ("max_tokens", errors.ModelTruncated),
        ],
    )
    async def test_in_the_middle_of_a_stream_keep_the_received_text_report_the_cost_and_quote_nothing(
        self, wired, fault, error
    ):
        await wired.connected()
        wired.say(LONG)
        wired.fault(fault, after_tokens=4, delay_ms=60_000)
        pieces, caught = await wired.broken(request(idle_s=0.3))
        text = "".join(pieces)
        assert type(caught) is error
        assert 0 < len(text) < len(LONG)
        assert LONG.startswith(text)
        assert caught.arrived == text
        assert caught.prompt_tokens > 5
        assert caught.output_tokens in {3, 4} or error is errors.ModelTruncated
        assert quotes_nothing(caught)

    @pytest.mark.parametrize("seconds", [58.5, None])
    @both_ways
    async def test_with_429_report_the_retry_delay_of_the_provider(self, wired, seconds, streamed):
        wired.fault("rate_limit", retry_s=seconds)
        caught = await wired.failure(request(), streamed=streamed)
        assert (type(caught), caught.retry_after_s) == (errors.ModelRateLimited, seconds)


@pytest.mark.parametrize(
    ("key", "refusal"), [("invalid", Refusal.KEY), ("denied", Refusal.PERMISSION), ("elsewhere", Refusal.LOCATION)]
)
async def test_the_look_and_every_call_report_why_a_key_is_refused(key, refusal):
    async with wire(api_key=SecretStr(f"{key}-key")) as wired:
        failures = [await wired.failure(request(), streamed=streamed) for streamed in (False, True)]
        assert [one.refusal for one in (await look_at(wired.model, MODEL, 5), *failures)] == [refusal] * 3


class TestTimeLimits:
    @pytest.mark.parametrize(
        ("limits", "reason"),
        [
            ({"idle_s": 0.2}, "no next token"),
            ({"first_token_s": 0.2}, "no first token"),
            ({"timeout_s": 0.3}, "not finished"),
        ],
    )
    async def test_end_a_dripping_stream(self, wired, limits, reason):
        await wired.connected()
        wired.fault("drip_stream", delay_ms=60_000, after_tokens=0 if "first_token_s" in limits else 2)
        _, caught = await wired.broken(request(**limits))
        assert type(caught) is errors.ModelTimeout
        assert reason in caught.reason
        await wired.simulator_sees_the_disconnect()

    async def test_exclude_the_time_that_the_consumer_takes(self, wired):
        await wired.connected()
        wired.say(LONG)
        waited = asyncio.Event()
        asyncio.get_running_loop().call_later(1.2, waited.set)
        texts = []
        async for chunk in wired.model.stream(request(idle_s=0.5, timeout_s=1)):
            await waited.wait()
            texts.append(chunk.text)
        assert "".join(texts) == LONG


class TestCancellation:
    async def test_closing_the_iterator_closes_the_response(self):
        async with wire(Latency(ttft_ms=0, token_ms=50)) as wired:
            wired.say(LONG * 10)
            async with aclosing(wired.model.stream(request())) as chunks:
                assert (await anext(chunks)).text
            await wired.simulator_sees_the_disconnect()

    @both_ways
    async def test_cancelling_a_call_closes_the_connection(self, wired, streamed):
        wired.fault("drip_stream" if streamed else "hang", delay_ms=60_000, after_tokens=1)
        came = []
        asked = request(timeout_s=30, idle_s=30)
        call = collect(wired.model.stream(asked), came) if streamed else wired.model.generate(asked)
        task = asyncio.create_task(call)
        await until(lambda: came if streamed else wired.calls.total == 1, within_s=BOUND_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await wired.simulator_sees_the_disconnect()
