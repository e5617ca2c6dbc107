"""What callers meet when Gemini, its SDK or the network fails; what it does otherwise is the port's contract."""

import asyncio
import json
from contextlib import aclosing, asynccontextmanager

import httpx2
import pytest
from google.auth.exceptions import DefaultCredentialsError, TransportError
from google.genai.errors import APIError, ClientError, ServerError, UnknownApiResponseError
from pydantic import SecretStr, ValidationError

from shared.adapters.gemini import GeminiConnection, GeminiLanguageModel, VertexProject
from shared.adapters.gemini.errors import translate, vendor_errors
from shared.adapters.gemini.pacing import Pace, paced
from shared.domain import errors
from shared.ports.language_model import ModelMessage, ModelRequest
from shared.ports.model_settings import ModelSettings

PRIVATE = "사람이 쓴 글"
BODY = {"error": {"code": 0, "message": PRIVATE, "status": "SOME_STATUS"}}
NOT_FOUND = {"error": {"message": PRIVATE, "status": "NOT_FOUND"}}


class TestErrors:
    def test_of_the_vendor_have_one_name_and_no_text_of_their_own(self, subtests):
        cases = {
            errors.ModelRejected: [
                ClientError(400, BODY), ClientError(404, BODY), httpx2.UnsupportedProtocol(PRIVATE),
                httpx2.InvalidURL(PRIVATE),
            ],
            errors.ModelAccessDenied: [
                ClientError(401, BODY), ClientError(403, BODY), DefaultCredentialsError(PRIVATE),
            ],
            errors.ModelNotFound: [ClientError(404, NOT_FOUND)],
            errors.ModelRateLimited: [ClientError(429, BODY)],
            errors.ModelTimeout: [
                ClientError(408, BODY), ServerError(504, BODY), httpx2.ReadTimeout(PRIVATE), TimeoutError(PRIVATE),
                httpx2.ConnectTimeout(PRIVATE), httpx2.PoolTimeout(PRIVATE),
            ],
            errors.ModelUnavailable: [
                ServerError(500, BODY), APIError(302, {"message": PRIVATE, "status": PRIVATE}), TypeError(PRIVATE),
                UnknownApiResponseError(PRIVATE), json.JSONDecodeError(PRIVATE, PRIVATE, 0), TransportError(PRIVATE),
                httpx2.ConnectError(PRIVATE), httpx2.RemoteProtocolError(PRIVATE), httpx2.DecodingError(PRIVATE),
                ConnectionResetError(PRIVATE),
            ],
        }  # fmt: skip
        for expected, raised in cases.items():
            for error in raised:
                with subtests.test(error=error):
                    assert isinstance(error, vendor_errors())
                    assert type(translate(error)) is expected
                    assert PRIVATE not in translate(error).reason

    def test_in_the_middle_of_a_stream_break_it(self):
        for error in (httpx2.ReadError("x"), httpx2.RemoteProtocolError("x"), UnknownApiResponseError("x")):
            assert type(translate(error, midstream=True)) is errors.ModelStreamBroken


def test_a_connection_needs_a_key_or_a_project_and_not_both_and_does_not_show_its_key():
    vertex = VertexProject(project="p", location="l")
    for fields in ({}, {"api_key": SecretStr(" ")}, {"api_key": SecretStr("k"), "vertex": vertex}):
        with pytest.raises(ValidationError, match="exactly one"):
            GeminiConnection.model_validate(fields)
    assert "hush" not in repr(GeminiConnection(api_key=SecretStr("hush")))


@asynccontextmanager
async def model_behind(reply):
    """A model behind a server that answers everything with these bytes."""

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        model = GeminiLanguageModel(GeminiConnection(api_key=SecretStr("k"), base_url=base_url, retry_attempts=1))
        try:
            yield model
        finally:
            await model.aclose()


def http(body, media_type="application/json"):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nConnection: close\r\n"
    return f"{head}Content-Length: {len(body.encode())}\r\n\r\n{body}".encode()


ASKED = ModelRequest(
    agent="a",
    system="",
    messages=(ModelMessage(role="user", text=PRIVATE),),
    settings=ModelSettings(model="gemini-3.6-flash", timeout_s=3),
)


async def generate(model):
    return await model.generate(ASKED)


async def stream(model):
    return [chunk async for chunk in model.stream(ASKED)]


@pytest.mark.parametrize("ask", [generate, stream])
async def test_a_200_with_any_odd_body_is_a_model_error_and_what_is_no_http_unavailable(ask, subtests):
    bodies = [
        "", "[]", "null", '"text"', "7", "{}", '{"candidates": 7}', '{"candidates": []}', '{"candidates": [7]}',
        '{"candidates": [{"content": "text"}]}', '{"candidates": [{"content": {"parts": [{"text": 7}]}}]}',
        '{"candidates": [{"content": {"parts": null}, "finishReason": null}]}', '{"error": "text"}', '{"error": {}}',
        '{"error": {"code": "500"}}', "\ufeff{", "<html>", "{{{{",
    ]  # fmt: skip
    for body in bodies:
        events = ask is stream and body != "<html>"
        sent = http(f"data: {body}\n\n", "text/event-stream") if events else http(body)
        with subtests.test(body=body):
            async with model_behind(sent) as model:
                with pytest.raises((errors.ModelUnavailable, errors.ModelEmpty, errors.ModelStreamBroken)):
                    await ask(model)
    async with model_behind(b"\x00\x01 nonsense\r\n\r\n") as model:
        with pytest.raises(errors.ModelUnavailable):
            await ask(model)


EASY = Pace(first_s=5, idle_s=5, total_s=5)


class Source:
    """Numbers, then an end, an error or for ever nothing; knows whether it was closed."""

    def __init__(self, count, then="end"):
        self.count = count
        self.then = then
        self.closed = False

    async def numbers(self):
        try:
            for number in range(self.count):
                yield number
            if self.then == "error":
                raise RuntimeError("broken")
            if self.then == "hang":
                await asyncio.get_running_loop().create_future()
        finally:
            self.closed = True


class TestAPacedStream:
    async def test_comes_through_in_order_and_an_error_after_what_was_before_it(self):
        assert [n async for n in paced(Source(100).numbers(), EASY)] == list(range(100))
        items = paced(Source(3, "error").numbers(), EASY)
        assert [await anext(items) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(RuntimeError, match="broken"):
            await anext(items)

    @pytest.mark.parametrize(
        ("count", "limits", "reason"),
        [
            (0, {"first_s": 0.02}, "first token"),
            (2, {"idle_s": 0.02}, "next token"),
            (2, {"total_s": 0.02}, "not finished"),
            (0, {"first_s": 0.02, "idle_s": 0.02}, "first token"),
        ],
    )
    async def test_ends_at_each_limit_and_closes_its_source(self, count, limits, reason):
        source = Source(count, "hang")
        with pytest.raises(errors.ModelTimeout, match=reason):
            async for _ in paced(source.numbers(), Pace(**{"first_s": 5, "idle_s": 5, "total_s": 5, **limits})):
                pass
        assert source.closed

    async def test_closes_its_source_when_it_is_closed_or_its_consumer_cancelled(self):
        source = Source(1, "hang")
        async with aclosing(paced(source.numbers(), EASY)) as items:
            await anext(items)
        assert source.closed
        source, got = Source(1, "hang"), asyncio.Event()

        async def consume():
            async for _ in paced(source.numbers(), EASY):
                got.set()

        task = asyncio.create_task(consume())
        await got.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert source.closed

    async def test_does_not_report_an_error_as_lost_that_is_not_waited_for(self):
        items = paced(Source(1, "error").numbers(), EASY)
        await anext(items)
        await items.aclose()
