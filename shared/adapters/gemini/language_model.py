"""`LanguageModel` on Gemini: plain calls and streams with time limits and typed errors."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from enum import Enum
from typing import TYPE_CHECKING, Literal, TypeVar

from shared.adapters.gemini.calls import call_of
from shared.adapters.gemini.connection import GeminiClientHolder, GeminiConnection
from shared.adapters.gemini.errors import translate, vendor_errors
from shared.adapters.gemini.sends import Sends
from shared.domain.errors import (
    ModelBlocked,
    ModelEmpty,
    ModelError,
    ModelStreamBroken,
    ModelTimeout,
    ModelTruncated,
    ModelUnavailable,
)
from shared.model import Model
from shared.ports.language_model import ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply, Usage

if TYPE_CHECKING:
    from google.genai import types

# https://ai.google.dev/api/generate-content#FinishReason
_BLOCKED = frozenset(
    {
        "SAFETY",
        "PROHIBITED_CONTENT",
        "BLOCKLIST",
        "SPII",
        "RECITATION",
        "ESCALATION",
        "MODEL_ARMOR",
        "PUP_LIMITED_DISABLED",
    }
)


class AnswerReader:
    """One answer, from one response (plain call) or many (stream).

    Attributes:
        usage: Tokens as last reported; the provider counts up from chunk to chunk.
    """

    def __init__(self) -> None:
        self.usage: Usage | None = None
        self._texts: list[str] = []
        self._finish: str | None = None

    @property
    def text(self) -> str:
        return "".join(self._texts)

    def take(self, response: "types.GenerateContentResponse") -> str:
        """Add a response and return its text without thoughts; may be "".

        Raises:
            ModelBlocked: The prompt was blocked.
        """
        self.usage = _usage(response) or self.usage
        feedback = response.prompt_feedback
        if feedback is not None and feedback.block_reason is not None:
            raise ModelBlocked(f"prompt blocked: {feedback.block_reason.value}")
        if not response.candidates:
            return ""
        candidate = response.candidates[0]
        if candidate.finish_reason is not None:
            self._finish = candidate.finish_reason.value
        parts = (candidate.content and candidate.content.parts) or []
        text = "".join(part.text for part in parts if part.text and not part.thought)
        self._texts.append(text)
        return text

    def check_whole(self, *, streamed: bool) -> None:
        """Check the finished answer.

        Args:
            streamed: The answer is a stream: without a finish reason it was cut. A plain reply without one is empty.

        Raises:
            ModelBlocked: A filter stopped the answer.
            ModelTruncated: It reached max_output_tokens; the text so far is its beginning.
            ModelStreamBroken: A stream without a finish reason.
            ModelEmpty: It finished normally without text, or there is no candidate.
            ModelUnavailable: The model stopped for another reason (OTHER, LANGUAGE, …).
        """
        finish = self._finish
        if finish is None:
            raise ModelStreamBroken("no finish reason") if streamed else ModelEmpty("no finished candidate")
        if finish in _BLOCKED:
            raise ModelBlocked(f"answer blocked: {finish}")
        if finish in {"MAX_TOKENS", "CONTINUATION"}:
            raise ModelTruncated(f"answer cut: {finish}")
        if finish != "STOP":
            raise ModelUnavailable(f"finish reason {finish}")
        if not self.text.strip():
            raise ModelEmpty("blank text with STOP")


T = TypeVar("T")


class Pace(Model):
    """Time limits, seconds: for the first item, for each next one, and in total."""

    first_s: float
    idle_s: float
    total_s: float


class _Mark(Enum):
    END = "end"


if TYPE_CHECKING:
    from google import genai
    from google.genai import types


class GeminiLanguageModel:
    """Calls Gemini; connects on first use and belongs to the event loop that uses it.

    The client is built before a call's time starts and before `vendor_errors` is called: importing the SDK is our
    delay, not the provider's, and a second thread must not enter it half-way. The caller handles
    `ModelSettings.fallback`.
    """

    def __init__(self, connection: GeminiConnection) -> None:
        self._connection = connection
        self._client = GeminiClientHolder(connection)

    async def generate(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer within `timeout_s`, the SDK's retries included.

        Raises:
            ModelError: See the port.
        """
        client = await self._client.get()
        reading, sends = AnswerReader(), Sends()
        sends.begin()
        try:
            reading.take(await self._response(client, request))
            reading.check_whole(streamed=False)
        except ModelError as error:
            _bill(error, reading, sends)
            raise
        return ModelReply(text=reading.text, usage=reading.usage or Usage(), sends=sends.count)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Yield text as it arrives, then one chunk without text; then raise if the answer is incomplete.

        Retries happen before the first chunk only, within `first_token_s`. Closing or cancelling the generator closes
        the HTTP response before it returns.

        Raises:
            ModelError: See the port. `ModelTruncated` and a blocked answer (`ModelBlocked`) are raised after the text
                that the provider released was yielded.
        """
        settings = request.settings
        pace = Pace(first_s=settings.first_token_s, idle_s=settings.idle_s, total_s=settings.timeout_s)
        client = await self._client.get()
        reading, sends = AnswerReader(), Sends()
        try:
            async with aclosing(paced(self._responses(client, request, sends), pace)) as responses:
                async for response in responses:
                    if text := reading.take(response):
                        yield ModelChunk(text=text, usage=reading.usage, sends=sends.count)
            yield ModelChunk(text="", usage=reading.usage, sends=sends.count)
            reading.check_whole(streamed=True)
        except ModelError as error:
            _bill(error, reading, sends)
            raise

    async def _response(self, client: "genai.Client", request: ModelRequest) -> "types.GenerateContentResponse":
        try:
            async with asyncio.timeout(request.settings.timeout_s):
                call = call_of(request, self._connection)
                return await client.aio.models.generate_content(**call)
        except vendor_errors() as error:
            raise translate(error) from None

    async def _responses(
        self, client: "genai.Client", request: ModelRequest, sends: Sends
    ) -> "AsyncGenerator[types.GenerateContentResponse, None]":
        # In the reading task and not in `stream`, since a generator shares its consumer's context.
        sends.begin()
        begun = False
        try:
            call = call_of(request, self._connection)
            async for response in await client.aio.models.generate_content_stream(**call):
                begun = True
                yield response
        except vendor_errors() as error:
            raise translate(error, midstream=begun) from None

    async def warm(self) -> None:
        """Import the SDK and build the client, in a thread."""
        await self._client.get()

    async def aclose(self) -> None:
        """Close connections."""
        await self._client.aclose()


def _bill(error: ModelError, reading: AnswerReader, sends: Sends) -> None:
    """Record the cost of a failed call and what arrived of its answer in its error."""
    error.arrived = reading.text
    used = reading.usage or Usage()
    error.billed(
        prompt_tokens=used.prompt_tokens,
        output_tokens=used.output_tokens,
        thought_tokens=used.thought_tokens,
        sends=sends.count,
    )


def _usage(response: "types.GenerateContentResponse") -> Usage | None:
    counts = response.usage_metadata
    if counts is None:
        return None
    thoughts = counts.thoughts_token_count or 0
    return Usage(
        prompt_tokens=counts.prompt_token_count or 0,
        output_tokens=(counts.candidates_token_count or 0) + thoughts,  # thoughts are billed as output
        thought_tokens=thoughts,
    )


async def paced(source: AsyncGenerator[T, None], pace: Pace) -> AsyncGenerator[T, None]:
    """Yield the items of `source`, or raise `ModelTimeout` if one is late.

    A task of its own reads `source`, so that a slow consumer does not count, and closing or cancelling this generator
    always reaches the source: closing the outermost of the SDK's nested generators would leave the inner ones and the
    HTTP response to the garbage collector. The answer's max_output_tokens bounds the queue.
    """
    items: asyncio.Queue[T | Literal[_Mark.END]] = asyncio.Queue()
    reader = asyncio.create_task(_read_and_close(source, pace, items.put_nowait))
    reader.add_done_callback(lambda _: items.put_nowait(_Mark.END))
    try:
        while (item := await items.get()) is not _Mark.END:
            yield item
        await reader
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)


async def _read_and_close(source: AsyncGenerator[T, None], pace: Pace, put: Callable[[T], None]) -> None:
    now = asyncio.get_running_loop().time
    end = now() + pace.total_s
    patience = pace.first_s
    async with aclosing(source):
        while True:
            late = asyncio.timeout_at(min(end, now() + patience))
            try:
                async with late:
                    item = await anext(source, _Mark.END)
            except TimeoutError:
                raise ModelTimeout(_late_for(first=patience is pace.first_s, ended=now() >= end)) from None
            if item is _Mark.END:
                return
            put(item)
            patience = pace.idle_s


def _late_for(*, first: bool, ended: bool) -> str:
    if ended:
        return "stream not finished in time"
    return "no first token in time" if first else "no next token in time"
