"""The port `LanguageModel`: the real adapter and the real SDK against the simulator, over loopback."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, SecretStr

from local.gemini.faults import Injection
from local.gemini.latency import INSTANT, Latency
from local.gemini.server import RunningSimulator, serve
from shared.adapters.gemini import GeminiConnection, GeminiLanguageModel
from shared.domain.errors import (
    ErrorKind,
    ModelAccessDenied,
    ModelBlocked,
    ModelEmpty,
    ModelError,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelStreamBroken,
    ModelTimeout,
    ModelTruncated,
    ModelUnavailable,
    Refusal,
)
from shared.ports.language_model import ModelMessage, ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply, Usage
from shared.ports.model_settings import ModelSettings

LONG = "오늘 하루도 정말 고생 많으셨어요. 그 마음을 조금 더 들려주실 수 있을까요?"
SECRET = "비밀스러운 이야기"
BOUND_S = 10.0


class TaskCompletion(BaseModel):
    """Whether a task is done."""

    evidence: str
    score: Annotated[int, Field(ge=0, le=10)] | None
    done: bool


class Wired:
    """The adapter beside the simulator that it talks to."""

    def __init__(self, running: RunningSimulator, model: GeminiLanguageModel) -> None:
        self.simulator = running.simulator
        self.model = model

    def fault(self, name: str, **fields: object) -> None:
        self.simulator.faults.put(Injection.model_validate({"fault": name, **fields}))

    def say(self, *texts: str) -> None:
        self.simulator.set_script({"Counselor": list(texts)})


@asynccontextmanager
async def wire(latency: Latency = INSTANT, **connection: object) -> AsyncIterator[Wired]:
    fields = {"api_key": SecretStr("any"), "retry_attempts": 2, "retry_initial_delay_s": 0, "retry_jitter_s": 0}
    async with await serve(latency=latency) as running:
        model = GeminiLanguageModel(
            GeminiConnection.model_validate({**fields, "base_url": running.address, **connection})
        )
        try:
            yield Wired(running, model)
        finally:
            await model.aclose()


@pytest.fixture
async def wired() -> AsyncIterator[Wired]:
    async with wire() as wired:
        yield wired


def request(schema: type[BaseModel] | None = None, text: str = SECRET, **settings: object) -> ModelRequest:
    return ModelRequest(
        agent="counselor",
        system="따뜻하게 듣는다.",
        messages=(
            ModelMessage(role="user", text="안녕하세요"),
            ModelMessage(role="model", text="어서 오세요"),
            ModelMessage(role="user", text=text),
        ),
        settings=ModelSettings.model_validate(
            {
                "model": "gemini-3.6-flash",
                "thinking_level": "minimal",
                "timeout_s": 8,
                "first_token_s": 8,
                "idle_s": 8,
                **settings,
            }
        ),
        response_schema=schema,
    )


async def read(wired: Wired, asked: ModelRequest) -> tuple[str, Usage | None]:
    texts, usage = [], None
    async for chunk in wired.model.stream(asked):
        texts.append(chunk.text)
        usage = chunk.usage or usage
    return "".join(texts), usage


async def read_until_error(wired: Wired, asked: ModelRequest) -> tuple[str, ModelError]:
    chunks: list[ModelChunk] = []
    with pytest.raises(ModelError) as caught:
        await collect(wired.model.stream(asked), chunks)
    return "".join(chunk.text for chunk in chunks), caught.value


async def collect(source: AsyncIterator[ModelChunk], chunks: list[ModelChunk]) -> None:
    async for chunk in source:
        chunks.append(chunk)  # noqa: PERF401 -- a comprehension would lose what came before an error


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND_S):
        while not condition():  # noqa: ASYNC110 -- another party's state, polled with a deadline
            await asyncio.sleep(0.005)


async def test_a_plain_call_returns_the_text_and_the_tokens(wired: Wired) -> None:
    wired.say(LONG)
    reply = await wired.model.generate(request())
    assert reply.text == LONG
    assert reply.usage.prompt_tokens > 5
    assert reply.usage.output_tokens > 10


async def test_a_stream_is_the_text_in_pieces_and_the_tokens_at_the_end(wired: Wired) -> None:
    wired.say(LONG)
    chunks = [chunk async for chunk in wired.model.stream(request())]
    assert "".join(chunk.text for chunk in chunks) == LONG
    assert len(chunks) > 10
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.output_tokens == len(chunks) - 1
    assert all(chunk.text for chunk in chunks[:-1])


async def test_who_closes_a_stream_early_knows_what_it_used_so_far(wired: Wired) -> None:
    wired.say(LONG)
    async with aclosing(wired.model.stream(request())) as chunks:
        seen = [await anext(chunks) for _ in range(3)]
    assert [chunk.usage and chunk.usage.output_tokens for chunk in seen] == [1, 2, 3]
    assert seen[-1].usage is not None
    assert seen[-1].usage.prompt_tokens > 5


async def test_a_stream_arrives_while_it_is_written() -> None:
    async with wire(Latency(ttft_ms=80, token_ms=20)) as wired:
        wired.say("네", LONG)
        await wired.model.generate(request())  # connects
        start = time.perf_counter()
        times = [time.perf_counter() - start async for _ in wired.model.stream(request())]
    assert times[-1] - times[0] > 0.02 * len(times) / 2, "half of the pace: a busy machine lets pieces pile up"
    assert times[0] > 0.08


async def test_an_answer_with_a_schema_is_json_of_that_schema(wired: Wired) -> None:
    reply = await wired.model.generate(request(TaskCompletion))
    assert TaskCompletion.model_validate_json(reply.text)
    text, _ = await read(wired, request(TaskCompletion))
    assert TaskCompletion.model_validate_json(text)
    assert wired.simulator.calls.agents == {"TaskCompletion": 2}


async def test_the_provider_gets_settings_system_roles_and_schema_but_not_the_agents_name(wired: Wired) -> None:
    await wired.model.generate(
        request(TaskCompletion, temperature=0.2, max_output_tokens=77, thought_tokens=1000, thinking_level="low")
    )
    sent = wired.simulator.calls.recent[0].request
    config = sent["generationConfig"]
    assert isinstance(config, dict)
    assert (config["temperature"], config["maxOutputTokens"]) == (0.2, 1077)
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == TaskCompletion.model_json_schema()
    assert list(config["thinkingConfig"].values()) == ["LOW"]  # type: ignore[union-attr]
    assert [content["role"] for content in sent["contents"]] == ["user", "model", "user"]  # type: ignore[index, union-attr, call-overload]
    assert "따뜻하게 듣는다." in json.dumps(sent["systemInstruction"], ensure_ascii=False)
    assert [setting["threshold"] for setting in sent["safetySettings"]] == ["OFF"] * 4  # type: ignore[index, union-attr, call-overload]
    assert "counselor" not in json.dumps(sent)


async def test_one_refusal_is_retried_and_not_noticed(subtests: pytest.Subtests) -> None:
    for fault in ("unavailable", "server_error"):
        with subtests.test(fault=fault):
            async with wire() as wired:
                wired.fault(fault, times=1)
                wired.say(LONG, LONG)
                assert (await wired.model.generate(request())).text == LONG
                wired.fault(fault, times=1)
                assert (await read(wired, request()))[0] == LONG
                assert wired.simulator.calls.total == 4


async def test_every_request_of_a_call_is_counted(subtests: pytest.Subtests) -> None:
    for times in (0, 1, 2):
        with subtests.test(times=times):
            async with wire(retry_attempts=3) as wired:
                if times:
                    wired.fault("server_error", times=times)
                assert (await wired.model.generate(request())).sends == times + 1
                if times:
                    wired.fault("unavailable", times=times)
                chunks = [chunk async for chunk in wired.model.stream(request())]
                assert {chunk.sends for chunk in chunks} == {times + 1}
                assert wired.simulator.calls.total == 2 * (times + 1)


async def test_a_plain_answer_that_drops_counts_as_sent(wired: Wired) -> None:
    wired.fault("cut_stream", times=1)
    assert (await wired.model.generate(request())).sends == 2


async def test_calls_side_by_side_count_their_own_requests(wired: Wired) -> None:
    asked = 12
    wired.fault("unavailable", times=asked // 2)
    replies = await asyncio.gather(
        *(wired.model.generate(request()) for _ in range(asked // 2)),
        *(_last(wired.model.stream(request())) for _ in range(asked // 2)),
        return_exceptions=True,
    )
    sends = [reply.sends for reply in replies if isinstance(reply, ModelReply | ModelChunk | ModelError)]
    assert len(sends) == asked
    assert set(sends) <= {1, 2}
    assert sum(sends) == wired.simulator.calls.total


async def _last(source: AsyncIterator[ModelChunk]) -> ModelChunk:
    chunks: list[ModelChunk] = []
    await collect(source, chunks)
    return chunks[-1]


async def test_a_call_that_failed_tells_how_often_it_was_tried(subtests: pytest.Subtests) -> None:
    for fault, sends in (("rate_limit", 1), ("unavailable", 3), ("bad_request", 1), ("hang", 1)):
        for streamed in (False, True):
            with subtests.test(fault=fault, sends=sends, streamed=streamed):
                async with wire(retry_attempts=3) as wired:
                    await wired.model.generate(request())
                    wired.fault(fault)
                    patience = 0.4 if fault == "hang" else 8
                    asked = request(timeout_s=patience, first_token_s=patience)
                    with pytest.raises(ModelError) as caught:
                        await (read(wired, asked) if streamed else wired.model.generate(asked))
                    assert caught.value.sends == sends == wired.simulator.calls.total - 1


async def test_a_call_is_sent_no_more_often_than_its_request_and_its_connection_allow(
    subtests: pytest.Subtests,
) -> None:
    for attempts, sent in ((1, 1), (2, 2), (9, 3)):
        for streamed in (False, True):
            with subtests.test(attempts=attempts, sent=sent, streamed=streamed):
                async with wire(retry_attempts=3) as wired:
                    wired.fault("unavailable")
                    asked = request().model_copy(update={"attempts": attempts})
                    with pytest.raises(ModelUnavailable) as caught:
                        await (read(wired, asked) if streamed else wired.model.generate(asked))
                    assert caught.value.sends == sent == wired.simulator.calls.total


async def test_a_429_says_for_how_long_the_provider_asks_to_be_left_alone(wired: Wired) -> None:
    wired.fault("rate_limit", retry_s=58.5)
    with pytest.raises(ModelRateLimited) as caught:
        await wired.model.generate(request())
    assert caught.value.retry_after_s == 58.5
    wired.simulator.faults.clear()
    wired.fault("rate_limit", retry_s=None)
    _, told = await read_until_error(wired, request())
    assert isinstance(told, ModelRateLimited)
    assert told.retry_after_s is None


async def test_an_answer_that_is_not_whole_tells_what_it_cost(subtests: pytest.Subtests) -> None:
    for fault in ("max_tokens", "blocked_answer", "empty", "blocked_prompt"):
        for streamed in (False, True):
            with subtests.test(fault=fault, streamed=streamed):
                async with wire() as wired:
                    wired.say(LONG)
                    wired.fault(fault)
                    with pytest.raises(ModelError) as caught:
                        await (read(wired, request()) if streamed else wired.model.generate(request()))
                    assert caught.value.prompt_tokens > 5
                    assert (caught.value.output_tokens > 5) is (fault == "max_tokens")


async def test_a_stream_that_broke_tells_what_it_cost_until_then(subtests: pytest.Subtests) -> None:
    for fault in ("cut_stream", "unfinished", "error_in_stream", "drip_stream", "garbage_body"):
        with subtests.test(fault=fault):
            async with wire() as wired:
                await read(wired, request())  # connects
                wired.say(LONG)
                wired.fault(fault, after_tokens=4, delay_ms=60_000)
                _, caught = await read_until_error(wired, request(idle_s=0.3))
                assert caught.prompt_tokens > 5
                assert caught.output_tokens in {3, 4}


REFUSED = [
    ("rate_limit", ModelRateLimited, "429 RESOURCE_EXHAUSTED"),
    ("server_error", ModelUnavailable, "500 INTERNAL"),
    ("unavailable", ModelUnavailable, "503 UNAVAILABLE"),
    ("deadline", ModelTimeout, "504 DEADLINE_EXCEEDED"),
    ("bad_request", ModelRejected, "400 INVALID_ARGUMENT"),
    ("model_gone", ModelNotFound, "404 NOT_FOUND"),
    ("forbidden", ModelAccessDenied, "403 PERMISSION_DENIED"),
    ("location", ModelAccessDenied, "400 FAILED_PRECONDITION"),
    ("hang", ModelTimeout, "in time"),
    ("blocked_prompt", ModelBlocked, "PROHIBITED_CONTENT"),
    ("blocked_answer", ModelBlocked, "SAFETY"),
    ("empty", ModelEmpty, "blank"),
    ("max_tokens", ModelTruncated, "MAX_TOKENS"),
    ("garbage_body", ModelUnavailable, "unreadable"),
]


async def test_a_plain_calls_failure_has_its_type(subtests: pytest.Subtests) -> None:
    for fault, error, reason in (*REFUSED, ("cut_stream", ModelUnavailable, "connection")):
        with subtests.test(fault=fault):
            async with wire() as wired:
                wired.fault(fault)
                async with asyncio.timeout(BOUND_S):
                    with pytest.raises(ModelError) as caught:
                        await wired.model.generate(request(timeout_s=0.4 if fault == "hang" else 8))
                assert type(caught.value) is error
                assert reason in caught.value.reason


async def test_a_streams_failure_has_its_type(subtests: pytest.Subtests) -> None:
    for fault, error, reason in REFUSED:
        with subtests.test(fault=fault):
            async with wire() as wired:
                wired.fault(fault)
                async with asyncio.timeout(BOUND_S):
                    _, caught = await read_until_error(
                        wired, request(timeout_s=8, first_token_s=0.4 if fault == "hang" else 8)
                    )
                assert type(caught) is error
                assert reason in caught.reason


async def test_what_came_before_a_failure_in_the_middle_is_delivered(subtests: pytest.Subtests) -> None:
    cases = [
        ("cut_stream", ModelStreamBroken),
        ("garbage_body", ModelStreamBroken),
        ("error_in_stream", ModelUnavailable),
        ("blocked_answer", ModelBlocked),
        ("max_tokens", ModelTruncated),
    ]
    for fault, error in cases:
        with subtests.test(fault=fault):
            async with wire() as wired:
                wired.say(LONG)
                wired.fault(fault, after_tokens=4)
                text, caught = await read_until_error(wired, request())
                assert type(caught) is error
                assert text
                assert LONG.startswith(text)
                assert text != LONG


async def test_a_cut_in_the_middle_is_not_retried(wired: Wired) -> None:
    wired.fault("cut_stream", times=1)
    await read_until_error(wired, request())
    assert wired.simulator.calls.total == 1


async def test_a_stream_that_closes_properly_without_a_finish_reason_is_broken(wired: Wired) -> None:
    wired.fault("unfinished")
    text, caught = await read_until_error(wired, request())
    assert type(caught) is ModelStreamBroken
    assert text


async def test_a_stream_that_drops_before_its_first_token_may_be_retried_by_the_caller(wired: Wired) -> None:
    wired.fault("cut_stream", after_tokens=0)
    _, caught = await read_until_error(wired, request())
    assert caught.kind is ErrorKind.RETRYABLE


async def test_a_plain_answer_that_drops_is_asked_for_again(wired: Wired) -> None:
    wired.fault("cut_stream", times=1)
    wired.say(LONG, LONG)
    assert (await wired.model.generate(request())).text == LONG
    assert wired.simulator.calls.total == 2


async def test_a_plain_answer_without_a_finish_reason_is_empty(wired: Wired) -> None:
    wired.fault("unfinished")
    with pytest.raises(ModelEmpty):
        await wired.model.generate(request())


async def test_whole_text_that_misses_the_schema_is_returned_for_the_runner_to_judge(subtests: pytest.Subtests) -> None:
    for fault in ("cut_json", "not_json", "wrong_schema"):
        with subtests.test(fault=fault):
            async with wire() as wired:
                wired.fault(fault, times=2)
                reply = await wired.model.generate(request(TaskCompletion))
                text, _ = await read(wired, request(TaskCompletion))
                assert reply.text == text
                with pytest.raises(ValueError, match="TaskCompletion"):
                    TaskCompletion.model_validate_json(text)


async def test_an_answer_longer_than_its_limit_is_truncated_after_its_text_was_given(wired: Wired) -> None:
    wired.say(LONG)
    chunks: list[ModelChunk] = []
    with pytest.raises(ModelTruncated):
        await collect(wired.model.stream(request(max_output_tokens=5)), chunks)
    assert len(chunks) == 6
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.output_tokens == 5


async def test_a_dripping_stream_ends_in_time(subtests: pytest.Subtests) -> None:
    cases = [
        ({"idle_s": 0.2}, "no next token"),
        ({"first_token_s": 0.2}, "no first token"),
        ({"timeout_s": 0.3}, "not finished"),
    ]
    for limits, reason in cases:
        with subtests.test(reason=reason):
            async with wire() as wired:
                await read(wired, request())  # connects: a first token's time includes that
                wired.fault("drip_stream", delay_ms=60_000, after_tokens=0 if "first_token_s" in limits else 2)
                async with asyncio.timeout(BOUND_S):
                    _, caught = await read_until_error(wired, request(**limits))
                assert type(caught) is ModelTimeout
                assert reason in caught.reason
                await eventually(lambda: wired.simulator.calls.recent[-1].outcome == "disconnected")


async def test_steady_drops_cannot_outlive_the_whole_calls_limit(wired: Wired) -> None:
    await read(wired, request())
    wired.say(LONG * 50)
    wired.fault("drip_stream", delay_ms=20)
    text, caught = await read_until_error(wired, request(timeout_s=1, idle_s=0.9))
    assert type(caught) is ModelTimeout
    assert text


async def test_retries_happen_inside_the_calls_limit() -> None:
    async with wire(retry_attempts=50, retry_initial_delay_s=0.2) as wired:
        wired.fault("unavailable")
        start = time.perf_counter()
        with pytest.raises(ModelTimeout):
            await wired.model.generate(request(timeout_s=0.4))
        with pytest.raises(ModelTimeout):
            await read(wired, request(first_token_s=0.4))
        assert time.perf_counter() - start < BOUND_S


async def test_a_slow_consumer_is_not_taken_for_a_slow_model(wired: Wired) -> None:
    await read(wired, request())
    wired.say(LONG)
    waited = asyncio.Event()
    asyncio.get_running_loop().call_later(1.2, waited.set)
    texts = []
    async for chunk in wired.model.stream(request(idle_s=0.5, timeout_s=1)):
        await waited.wait()
        texts.append(chunk.text)
    assert "".join(texts) == LONG


async def test_closing_the_iterator_closes_the_response() -> None:
    async with wire(Latency(ttft_ms=0, token_ms=50)) as wired:
        wired.say(LONG * 10)
        async with aclosing(wired.model.stream(request())) as chunks:
            assert (await anext(chunks)).text
        await eventually(lambda: wired.simulator.calls.recent[0].outcome == "disconnected")


async def test_cancelling_the_reader_closes_the_response(wired: Wired) -> None:
    wired.fault("drip_stream", delay_ms=60_000, after_tokens=1)
    first = asyncio.Event()

    async def reader() -> None:
        async for _ in wired.model.stream(request(timeout_s=30, idle_s=30)):
            first.set()

    task = asyncio.create_task(reader())
    await first.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await eventually(lambda: wired.simulator.calls.recent[0].outcome == "disconnected")


async def test_cancelling_a_plain_call_closes_the_connection(wired: Wired) -> None:
    wired.fault("hang")
    task = asyncio.create_task(wired.model.generate(request(timeout_s=30)))
    await eventually(lambda: wired.simulator.calls.total == 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await eventually(lambda: wired.simulator.calls.recent[0].outcome == "disconnected")


async def test_concurrent_first_calls_share_one_client(wired: Wired) -> None:
    replies = await asyncio.gather(*(wired.model.generate(request()) for _ in range(10)))
    assert len(replies) == 10


async def test_no_error_quotes_what_people_wrote(subtests: pytest.Subtests) -> None:
    for fault in ("garbage_body", "bad_request", "cut_stream", "error_in_stream"):
        with subtests.test(fault=fault):
            async with wire() as wired:
                wired.say(LONG)
                wired.fault(fault, after_tokens=2)
                _, caught = await read_until_error(wired, request())
                assert caught.__suppress_context__
                assert SECRET not in str(caught)
                assert LONG[:3] not in str(caught)


async def test_a_key_that_is_not_let_in_says_why(subtests: pytest.Subtests) -> None:
    for key, refusal in (("invalid", Refusal.KEY), ("denied", Refusal.PERMISSION), ("elsewhere", Refusal.LOCATION)):
        with subtests.test(key=key):
            async with wire(api_key=SecretStr(f"{key}-key")) as wired:
                for asked in (
                    wired.model.generate(request()),
                    read(wired, request()),
                    wired.model.check("gemini-3.6-flash"),
                ):
                    with pytest.raises(ModelAccessDenied) as caught:
                        await asked
                    assert caught.value.refusal is refusal


async def test_a_model_that_is_not_served_is_told_from_other_refusals(subtests: pytest.Subtests) -> None:
    for model in ("no-such-model", "gemini-2.5-flash", "gemini-flash-latest"):
        with subtests.test(model=model):
            async with wire() as wired:
                for asked in (wired.model.generate(request(model=model)), read(wired, request(model=model))):
                    with pytest.raises(ModelNotFound, match="404 NOT_FOUND"):
                        await asked
                with pytest.raises(ModelNotFound):
                    await wired.model.check(model)


async def test_a_model_that_is_served_passes_the_check_and_costs_no_call(wired: Wired) -> None:
    await wired.model.check("gemini-3.6-flash")
    assert wired.simulator.calls.total == 0


async def test_no_deadline_is_sent_that_the_provider_calls_too_short(subtests: pytest.Subtests) -> None:
    for seconds in (2, 5, 9.9, 10, 25):
        for streamed in (False, True):
            with subtests.test(seconds=seconds, streamed=streamed):
                async with wire() as wired:
                    await wired.model.warm()
                    asked = request(timeout_s=seconds)
                    await (read(wired, asked) if streamed else wired.model.generate(asked))


async def test_thoughts_are_counted_as_output_and_told_apart(wired: Wired) -> None:
    wired.say(LONG, LONG)
    reply = await wired.model.generate(request(thinking_level="low", thought_tokens=1024))
    assert reply.usage.thought_tokens > 50
    assert reply.usage.output_tokens > reply.usage.thought_tokens
    _, usage = await read(wired, request(thinking_level="low", thought_tokens=1024))
    assert usage == reply.usage


async def test_without_room_for_thoughts_an_answer_is_eaten_by_them(subtests: pytest.Subtests) -> None:
    for streamed in (False, True):
        with subtests.test(streamed=streamed):
            async with wire() as wired:
                asked = request(thinking_level="medium", max_output_tokens=64)
                with pytest.raises(ModelTruncated) as caught:
                    await (read(wired, asked) if streamed else wired.model.generate(asked))
                assert (caught.value.output_tokens, caught.value.thought_tokens) == (64, 64)


async def test_thinking_that_a_model_lacks_is_refused(wired: Wired, subtests: pytest.Subtests) -> None:
    for settings in ({"thinking_level": None, "thinking_budget": 0}, {"model": "gemini-3.8-flash"}):
        with subtests.test(settings=settings), pytest.raises(ModelRejected, match="400 INVALID_ARGUMENT"):
            await wired.model.generate(request(**settings))


async def test_no_server_is_unavailable() -> None:
    async with await serve(latency=INSTANT) as running:
        base_url = running.address
    model = GeminiLanguageModel(GeminiConnection(api_key=SecretStr("k"), base_url=base_url, retry_attempts=1))
    with pytest.raises(ModelUnavailable, match="ConnectError"):
        await model.generate(request())
    with pytest.raises(ModelUnavailable, match="ConnectError"):
        await anext(model.stream(request()))
    await model.aclose()


async def test_no_messages_are_rejected_before_anything_is_sent(wired: Wired) -> None:
    empty = request().model_copy(update={"messages": ()})
    with pytest.raises(ModelRejected, match="no messages"):
        await wired.model.generate(empty)
    with pytest.raises(ModelRejected, match="no messages"):
        await anext(wired.model.stream(empty))
    assert wired.simulator.calls.total == 0


async def test_what_was_not_sent_was_not_sent(wired: Wired) -> None:
    empty = request().model_copy(update={"messages": ()})
    with pytest.raises(ModelRejected) as caught:
        await wired.model.generate(empty)
    assert caught.value.sends == 0
