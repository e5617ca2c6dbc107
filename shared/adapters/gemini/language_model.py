"""`LanguageModel` on Gemini: plain calls and streams with time limits and typed errors."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from shared.adapters.gemini.calls import call_of
from shared.adapters.gemini.connection import GeminiClientHolder, GeminiConnection
from shared.adapters.gemini.errors import translate, vendor_errors
from shared.adapters.gemini.pacing import Pace, paced
from shared.adapters.gemini.replies import AnswerReader
from shared.adapters.gemini.sends import Sends
from shared.domain.errors import ModelError
from shared.ports.language_model import ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply, Usage

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
