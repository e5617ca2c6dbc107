"""`Embedder` on Gemini: batches within the provider's limits, one time limit, typed errors."""

import asyncio
import math
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Literal

from shared.adapters.gemini.calls import SHORTEST_DEADLINE_S
from shared.adapters.gemini.connection import GeminiClientHolder, GeminiConnection, retry_options
from shared.adapters.gemini.errors import translate, vendor_errors
from shared.adapters.gemini.sends import Sends
from shared.domain.errors import ModelEmpty, ModelError, ModelRejected
from shared.model import Model
from shared.ports.embedder import Embedded, EmbedTask, EmbedText

if TYPE_CHECKING:
    from google import genai
    from google.genai import types

_AT_ONCE = 8
"""Requests of one call that run in parallel."""
_TASKS = {EmbedTask.DOCUMENT: "RETRIEVAL_DOCUMENT", EmbedTask.QUERY: "RETRIEVAL_QUERY"}
_UNTITLED = "none"
_LETTERS_PER_TOKEN = 2
"""Korean has about two syllables per token; used where the provider does not report the tokens."""


class EmbedderSettings(Model):
    """The model and its limits, from config.

    Attributes:
        tasks: Whether the model reads the task in a prefix of the text, or in a parameter.
        batch: Most texts of one request to the Gemini API; Vertex AI takes one.
        longest: Characters of a text that are sent; the model reads no more.
        price: Won per million tokens.
    """

    model: str
    dimension: int
    tasks: Literal["prefix", "parameter"]
    batch: int
    longest: int
    price: float


class GeminiEmbedder:
    """Embeds with Gemini; connects on first use and belongs to the event loop that uses it."""

    def __init__(self, connection: GeminiConnection, settings: EmbedderSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._client = GeminiClientHolder(connection)

    @property
    def name(self) -> str:
        """See the port."""
        return f"{self._settings.model}/{self._settings.dimension}"

    async def embed(self, texts: Sequence[EmbedText], task: EmbedTask, timeout_s: float) -> Embedded:
        """See the port."""
        if not all(one.text.strip() for one in texts):
            raise ModelRejected("a blank text cannot be embedded")
        if not texts:
            return Embedded()
        client = await self._client.get()
        sends = Sends()
        sends.begin()
        cut = [self._as_sent(one, task) for one in texts]
        try:
            replies = await self._replies(client, self._batches(cut), task, timeout_s)
            vectors = tuple(self._vector(one) for reply in replies for one in reply.embeddings or ())
            if len(vectors) != len(texts):
                raise ModelEmpty("not one vector for each text")
        except ModelError as error:
            error.billed(prompt_tokens=0, output_tokens=0, thought_tokens=0, sends=sends.count)
            raise
        tokens = sum(_tokens(reply) for reply in replies) or sum(len(text) // _LETTERS_PER_TOKEN + 1 for text in cut)
        cost = round(tokens * self._settings.price / 1_000_000, 4)
        return Embedded(vectors=vectors, tokens=tokens, sends=sends.count, cost_krw=cost)

    async def aclose(self) -> None:
        """Close connections."""
        await self._client.aclose()

    def _as_sent(self, one: EmbedText, task: EmbedTask) -> str:
        text = one.text[: self._settings.longest]
        if self._settings.tasks == "parameter":
            return f"{one.title}\n{text}".strip()
        return (
            f"task: search result | query: {text}"
            if task is EmbedTask.QUERY
            else f"title: {one.title or _UNTITLED} | text: {text}"
        )

    def _batches(self, texts: Sequence[str]) -> list[list[str]]:
        size = 1 if self._connection.vertex else self._settings.batch
        return [list(texts[start : start + size]) for start in range(0, len(texts), size)]

    async def _replies(
        self, client: "genai.Client", batches: Sequence[list[str]], task: EmbedTask, timeout_s: float
    ) -> "list[types.EmbedContentResponse]":
        from google.genai import types  # noqa: PLC0415 -- with the SDK, on first use (see connection.py)

        config = types.EmbedContentConfig(
            task_type=_TASKS[task] if self._settings.tasks == "parameter" else None,
            output_dimensionality=self._settings.dimension,
            http_options=types.HttpOptions(
                timeout=round(max(timeout_s, SHORTEST_DEADLINE_S) * 1000),
                retry_options=retry_options(self._connection, self._connection.retry_attempts),
            ),
        )
        free = asyncio.Semaphore(_AT_ONCE)

        async def one(batch: list[str]) -> "types.EmbedContentResponse":
            async with free:
                # A `Content` each: of plain strings the SDK makes parts of one, which become one vector.
                contents: list[types.ContentUnion] = [types.Content(parts=[types.Part(text=text)]) for text in batch]
                return await client.aio.models.embed_content(
                    model=self._settings.model, contents=contents, config=config
                )

        try:
            async with asyncio.timeout(timeout_s):
                return await _all([one(batch) for batch in batches])
        except vendor_errors() as error:
            raise translate(error) from None

    def _vector(self, found: "types.ContentEmbedding") -> tuple[float, ...]:
        vector = tuple(found.values or ())
        if len(vector) != self._settings.dimension:
            raise ModelEmpty(f"a vector of {len(vector)} numbers instead of {self._settings.dimension}")
        length = math.hypot(*vector)
        if not math.isfinite(length) or not length:
            raise ModelEmpty("a vector without a direction")
        return tuple(value / length for value in vector)


async def _all(
    calls: "Sequence[Coroutine[None, None, types.EmbedContentResponse]]",
) -> "list[types.EmbedContentResponse]":
    """Wait for all calls; the first error cancels the others."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()


def _tokens(reply: "types.EmbedContentResponse") -> int:
    """Return the tokens as the provider reports them; 0 if it does not."""
    if reply.usage_metadata is not None and reply.usage_metadata.prompt_token_count:
        return reply.usage_metadata.prompt_token_count
    counts = [one.statistics.token_count or 0 for one in reply.embeddings or () if one.statistics]
    return round(sum(counts))
