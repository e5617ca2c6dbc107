"""The port `LanguageModel`: the real adapter and the real SDK against the simulator, over loopback."""

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
from shared.ports.language_model import ModelMessage, ModelRequest
from shared.ports.model_settings import ModelSettings
from tests.support.polling import until

LONG = "오늘 하루도 정말 고생 많으셨어요. 그 마음을 조금 더 들려주실 수 있을까요?"
SECRET = "비밀스러운 이야기"
BOUND_S = 10.0
MODEL = "gemini-3.6-flash"

both_ways = pytest.mark.parametrize("streamed", [False, True])


class TaskCompletion(BaseModel):
    """Whether a task is done."""

    evidence: str
    score: Annotated[int, Field(ge=0, le=10)] | None
    done: bool


class Wired:
    """The adapter beside the simulator that it talks to."""

    def __init__(self, running, model):
        self.simulator = running.simulator
        self.calls = running.simulator.calls
        self.model = model

    def fault(self, name, **fields):
        self.simulator.faults.put(Injection.model_validate({"fault": name, **fields}))

    def say(self, *texts):
        self.simulator.set_script({"Counselor": list(texts)})

    async def connected(self):
        """Make a first call: later ones are not slowed by connecting."""
        await self.model.generate(request())

    async def answer(self, asked, *, streamed):
        """Return the last word of an answer, which tells what it cost, with the whole text."""
        if not streamed:
            reply = await self.model.generate(asked)
            return reply, reply.text
        chunks = [chunk async for chunk in self.model.stream(asked)]
        return chunks[-1], "".join(chunk.text for chunk in chunks)

    async def failure(self, asked, *, streamed):
        """Return the error of a call that fails."""
        async with asyncio.timeout(BOUND_S):
            with pytest.raises(ModelError) as caught:
                await self.answer(asked, streamed=streamed)
        return caught.value

    async def broken(self, asked):
        """Return the pieces that came of a stream, and the error that it ended with."""
        texts = []
        async with asyncio.timeout(BOUND_S):
            with pytest.raises(ModelError) as caught:
                await collect(self.model.stream(asked), texts)
        return texts, caught.value

    async def hears_the_end(self):
        await until(lambda: self.calls.recent[-1].outcome == "disconnected", within_s=BOUND_S)


async def collect(source, texts):
    async for chunk in source:
        texts.append(chunk.text)


def quotes_nothing(error):
    """Tell whether an error shows neither what people wrote nor the vendor's error, which may."""
    hidden = error.__context__ is None or error.__suppress_context__
    return hidden and not any(said in str(error) for said in (SECRET, LONG[:3]))


@asynccontextmanager
async def wire(latency=INSTANT, **connection):
    fields = {"api_key": SecretStr("any"), "retry_attempts": 2, "retry_initial_delay_s": 0, "retry_jitter_s": 0}
    async with await serve(latency=latency) as running:
        model = GeminiLanguageModel(GeminiConnection(**{**fields, "base_url": running.address, **connection}))
        try:
            yield Wired(running, model)
        finally:
            await model.aclose()


@pytest.fixture
async def wired():
    async with wire() as wired:
        yield wired


@pytest.fixture
async def thrice():
    """The adapter that sends a request three times."""
    async with wire(retry_attempts=3) as wired:
        yield wired


def request(schema=None, text=SECRET, **settings):
    talk = [("user", "안녕하세요"), ("model", "어서 오세요"), ("user", text)]
    usual = {"model": MODEL, "thinking_level": "minimal", "timeout_s": 8, "first_token_s": 8, "idle_s": 8}
    return ModelRequest(
        agent="counselor",
        system="따뜻하게 듣는다.",
        messages=tuple(ModelMessage(role=role, text=said) for role, said in talk),
        settings=ModelSettings(**{**usual, **settings}),
        response_schema=schema,
    )


class TestAnAnswer:
    async def test_streams_in_pieces_with_the_tokens_at_the_end_and_so_far(self, wired):
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

    async def test_arrives_while_it_is_written(self):
        async with wire(Latency(ttft_ms=80, token_ms=20)) as wired:
            wired.say("네", LONG)
            await wired.connected()
            start = time.perf_counter()
            times = [time.perf_counter() - start async for _ in wired.model.stream(request())]
        assert times[-1] - times[0] > 0.02 * len(times) / 2, "half of the pace: a busy machine lets pieces pile up"
        assert times[0] > 0.08

    @both_ways
    async def test_with_a_schema_is_json_of_that_schema(self, wired, streamed):
        _, text = await wired.answer(request(TaskCompletion), streamed=streamed)
        assert TaskCompletion.model_validate_json(text)
        assert wired.calls.agents == {"TaskCompletion": 1}

    @pytest.mark.parametrize("fault", ["cut_json", "wrong_schema"])
    @both_ways
    async def test_that_misses_the_schema_is_returned_for_the_runner_to_judge(self, wired, fault, streamed):
        wired.fault(fault)
        _, text = await wired.answer(request(TaskCompletion), streamed=streamed)
        assert text
        with pytest.raises(ValueError, match="TaskCompletion"):
            TaskCompletion.model_validate_json(text)

    @both_ways
    async def test_counts_thoughts_as_output_and_tells_them_apart(self, wired, streamed):
        wired.say(LONG)
        last, _ = await wired.answer(request(thinking_level="low", thought_tokens=1024), streamed=streamed)
        assert last.usage.thought_tokens > 50
        assert last.usage.output_tokens > last.usage.thought_tokens

    @both_ways
    async def test_without_room_for_thoughts_is_eaten_by_them(self, wired, streamed):
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
    async def test_that_were_refused_are_sent_again_counted_and_not_noticed(self, thrice, times, streamed):
        thrice.say(LONG)
        if times:
            thrice.fault("unavailable", times=times)
        last, text = await thrice.answer(request(), streamed=streamed)
        assert (text, last.sends) == (LONG, times + 1)
        assert thrice.calls.total == times + 1

    async def test_are_sent_again_for_a_plain_answer_that_drops_and_not_for_a_stream_cut_in_the_middle(self, wired):
        wired.fault("cut_stream", times=1)
        wired.say(LONG, LONG)
        reply = await wired.model.generate(request())
        assert (reply.text, reply.sends, wired.calls.total) == (LONG, 2, 2)
        wired.fault("cut_stream", times=1)
        await wired.broken(request())
        assert wired.calls.total == 3

    @pytest.mark.parametrize(("attempts", "sent"), [(1, 1), (9, 3)])
    @both_ways
    async def test_are_no_more_than_the_call_and_its_connection_allow(self, thrice, attempts, sent, streamed):
        thrice.fault("unavailable")
        asked = request().model_copy(update={"attempts": attempts})
        caught = await thrice.failure(asked, streamed=streamed)
        assert (type(caught), caught.sends, thrice.calls.total) == (errors.ModelUnavailable, sent, sent)

    @both_ways
    async def test_are_repeated_inside_the_calls_limit(self, streamed):
        async with wire(retry_attempts=50, retry_initial_delay_s=0.2) as wired:
            wired.fault("unavailable")
            caught = await wired.failure(request(timeout_s=0.4, first_token_s=0.4), streamed=streamed)
            assert type(caught) is errors.ModelTimeout

    @pytest.mark.parametrize("seconds", [2, 10])
    @both_ways
    async def test_carry_no_deadline_that_the_provider_calls_too_short(self, wired, seconds, streamed):
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
    async def test_have_their_type(self, wired, fault, error, reason, streamed):
        wired.fault(fault)
        limits = {"first_token_s" if streamed else "timeout_s": 0.4 if fault == "hang" else 8}
        caught = await wired.failure(request(**limits), streamed=streamed)
        assert type(caught) is error
        assert reason in caught.reason

    @pytest.mark.parametrize(
        ("fault", "error"), [("cut_stream", errors.ModelUnavailable), ("unfinished", errors.ModelEmpty)]
    )
    async def test_of_a_plain_answer_that_is_cut_have_their_type(self, wired, fault, error):
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
    async def test_in_the_middle_deliver_what_came_tell_what_it_cost_and_quote_nothing(self, wired, fault, error):
        await wired.connected()
        wired.say(LONG)
        wired.fault(fault, after_tokens=4, delay_ms=60_000)
        pieces, caught = await wired.broken(request(idle_s=0.3))
        text = "".join(pieces)
        assert type(caught) is error
        assert text
        assert LONG.startswith(text)
        assert text != LONG
        assert caught.prompt_tokens > 5
        assert caught.output_tokens in {3, 4} or error in {errors.ModelBlocked, errors.ModelTruncated}
        assert quotes_nothing(caught)

    @pytest.mark.parametrize("fault", ["max_tokens", "blocked_answer", "bad_request"])
    @both_ways
    async def test_of_an_answer_that_is_not_whole_tell_what_it_cost_and_quote_nothing(self, wired, fault, streamed):
        wired.say(LONG)
        wired.fault(fault)
        caught = await wired.failure(request(), streamed=streamed)
        assert (caught.prompt_tokens > 5) is (fault != "bad_request")
        assert (caught.output_tokens > 5) is (fault == "max_tokens")
        assert quotes_nothing(caught)

    @pytest.mark.parametrize("seconds", [58.5, None])
    @both_ways
    async def test_with_429_say_for_how_long_the_provider_asks_to_be_left_alone(self, wired, seconds, streamed):
        wired.fault("rate_limit", retry_s=seconds)
        caught = await wired.failure(request(), streamed=streamed)
        assert (type(caught), caught.retry_after_s) == (errors.ModelRateLimited, seconds)


class TestTheCheck:
    @pytest.mark.parametrize(
        ("key", "refusal"), [("invalid", Refusal.KEY), ("denied", Refusal.PERMISSION), ("elsewhere", Refusal.LOCATION)]
    )
    async def test_and_every_call_say_why_a_key_is_not_let_in(self, key, refusal):
        async with wire(api_key=SecretStr(f"{key}-key")) as wired:
            with pytest.raises(errors.ModelAccessDenied) as caught:
                await wired.model.check(MODEL)
            failures = [await wired.failure(request(), streamed=streamed) for streamed in (False, True)]
            assert [one.refusal for one in (caught.value, *failures)] == [refusal] * 3


class TestTime:
    @pytest.mark.parametrize(
        ("limits", "reason"),
        [
            ({"idle_s": 0.2}, "no next token"),
            ({"first_token_s": 0.2}, "no first token"),
            ({"timeout_s": 0.3}, "not finished"),
        ],
    )
    async def test_of_a_dripping_stream_has_an_end(self, wired, limits, reason):
        await wired.connected()
        wired.fault("drip_stream", delay_ms=60_000, after_tokens=0 if "first_token_s" in limits else 2)
        _, caught = await wired.broken(request(**limits))
        assert type(caught) is errors.ModelTimeout
        assert reason in caught.reason
        await wired.hears_the_end()

    async def test_that_a_consumer_takes_is_not_the_models(self, wired):
        await wired.connected()
        wired.say(LONG)
        waited = asyncio.Event()
        asyncio.get_running_loop().call_later(1.2, waited.set)
        texts = []
        async for chunk in wired.model.stream(request(idle_s=0.5, timeout_s=1)):
            await waited.wait()
            texts.append(chunk.text)
        assert "".join(texts) == LONG


class TestLeaving:
    async def test_closing_the_iterator_closes_the_response(self):
        async with wire(Latency(ttft_ms=0, token_ms=50)) as wired:
            wired.say(LONG * 10)
            async with aclosing(wired.model.stream(request())) as chunks:
                assert (await anext(chunks)).text
            await wired.hears_the_end()

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
        await wired.hears_the_end()
