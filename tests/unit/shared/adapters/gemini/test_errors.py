import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from google.auth.exceptions import DefaultCredentialsError, TransportError
from google.genai.errors import APIError, ClientError, ServerError, UnknownApiResponseError
from pydantic import SecretStr, ValidationError

from shared.adapters.gemini import GeminiConnection, GeminiLanguageModel, VertexProject
from shared.adapters.gemini.errors import translate, vendor_errors
from shared.domain.errors import (
    ModelAccessDenied,
    ModelEmpty,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelStreamBroken,
    ModelTimeout,
    ModelUnavailable,
)
from shared.ports.language_model import ModelMessage, ModelRequest
from shared.ports.model_settings import ModelSettings

PRIVATE = "사람이 쓴 글"
BODY = {"error": {"code": 0, "message": PRIVATE, "status": "SOME_STATUS"}}
ROOT = Path(__file__).parents[5]


def test_every_vendor_error_has_one_name_and_no_text_of_its_own(subtests: pytest.Subtests) -> None:
    cases = [
        (ClientError(400, BODY), ModelRejected), (ClientError(401, BODY), ModelAccessDenied),
        (ClientError(403, BODY), ModelAccessDenied),
        (ClientError(404, {"error": {"message": PRIVATE, "status": "NOT_FOUND"}}), ModelNotFound),
        (ClientError(404, BODY), ModelRejected), (ClientError(408, BODY), ModelTimeout),
        (ClientError(429, BODY), ModelRateLimited), (ServerError(500, BODY), ModelUnavailable),
        (ServerError(504, BODY), ModelTimeout),
        (APIError(302, {"message": PRIVATE, "status": PRIVATE}), ModelUnavailable),
        (UnknownApiResponseError(PRIVATE), ModelUnavailable),
        (json.JSONDecodeError(PRIVATE, PRIVATE, 0), ModelUnavailable), (httpx2.ReadTimeout(PRIVATE), ModelTimeout),
        (httpx2.ConnectTimeout(PRIVATE), ModelTimeout), (httpx2.PoolTimeout(PRIVATE), ModelTimeout),
        (httpx2.ConnectError(PRIVATE), ModelUnavailable), (httpx2.RemoteProtocolError(PRIVATE), ModelUnavailable),
        (httpx2.DecodingError(PRIVATE), ModelUnavailable), (httpx2.UnsupportedProtocol(PRIVATE), ModelRejected),
        (httpx2.InvalidURL(PRIVATE), ModelRejected), (TimeoutError(PRIVATE), ModelTimeout),
        (ConnectionResetError(PRIVATE), ModelUnavailable), (DefaultCredentialsError(PRIVATE), ModelAccessDenied),
        (TransportError(PRIVATE), ModelUnavailable), (TypeError(PRIVATE), ModelUnavailable),
    ]  # fmt: skip
    for error, expected in cases:
        with subtests.test(error=error):
            assert isinstance(error, vendor_errors())
            translated = translate(error)
            assert type(translated) is expected
            assert PRIVATE not in translated.reason


def test_a_failure_in_the_middle_of_a_stream_is_a_broken_stream() -> None:
    cases = [httpx2.ReadError("x"), httpx2.RemoteProtocolError("x"), UnknownApiResponseError("x")]
    assert {
        error: got for error in cases if (got := type(translate(error, midstream=True))) is not ModelStreamBroken
    } == {}


def test_importing_the_adapter_does_not_import_the_sdk() -> None:
    code = "import sys, shared.adapters.gemini; print([m for m in ('google.genai', 'httpx2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_connection_needs_a_key_or_a_project_and_not_both(subtests: pytest.Subtests) -> None:
    cases = [
        {},
        {"api_key": SecretStr(" ")},
        {"api_key": SecretStr("k"), "vertex": VertexProject(project="p", location="l")},
    ]
    for fields in cases:
        with subtests.test(fields=fields), pytest.raises(ValidationError, match="exactly one"):
            GeminiConnection.model_validate(fields)


def test_a_connection_does_not_show_its_key() -> None:
    assert "hush" not in repr(GeminiConnection(api_key=SecretStr("hush")))


@asynccontextmanager
async def model_behind(reply: bytes) -> AsyncIterator[GeminiLanguageModel]:
    """A model behind a server that answers everything with these bytes."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        model = GeminiLanguageModel(
            GeminiConnection(api_key=SecretStr("k"), base_url=f"http://127.0.0.1:{port}", retry_attempts=1)
        )
        try:
            yield model
        finally:
            await model.aclose()


def http(body: str, media_type: str = "application/json") -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nConnection: close\r\n"
    return f"{head}Content-Length: {len(body.encode())}\r\n\r\n{body}".encode()


ASKED = ModelRequest(
    agent="a",
    system="",
    messages=(ModelMessage(role="user", text=PRIVATE),),
    settings=ModelSettings(model="gemini-3.6-flash", timeout_s=3),
)


async def generate(model: GeminiLanguageModel) -> object:
    return await model.generate(ASKED)


async def stream(model: GeminiLanguageModel) -> object:
    return [chunk async for chunk in model.stream(ASKED)]


ODD_BODIES = [
    "", "[]", "null", '"text"', "7", "{}", '{"candidates": 7}', '{"candidates": []}', '{"candidates": [7]}',
    '{"candidates": [{"content": "text"}]}', '{"candidates": [{"content": {"parts": [{"text": 7}]}}]}',
    '{"candidates": [{"content": {"parts": null}, "finishReason": null}]}', '{"error": "text"}', '{"error": {}}',
    '{"error": {"code": "500"}}', "\ufeff{", "<html>", "{{{{",
]  # fmt: skip


async def test_a_200_with_any_odd_body_is_a_model_error(subtests: pytest.Subtests) -> None:
    for ask in (generate, stream):
        for body in ODD_BODIES:
            with subtests.test(body=body):
                sent = (
                    http(f"data: {body}\n\n", "text/event-stream") if ask is stream and body != "<html>" else http(body)
                )
                async with model_behind(sent) as model:
                    with pytest.raises((ModelUnavailable, ModelEmpty, ModelStreamBroken)):
                        await ask(model)


async def test_a_reply_that_is_no_http_is_unavailable(subtests: pytest.Subtests) -> None:
    for ask in (generate, stream):
        with subtests.test(ask=ask):
            async with model_behind(b"\x00\x01 nonsense\r\n\r\n") as model:
                with pytest.raises(ModelUnavailable):
                    await ask(model)
