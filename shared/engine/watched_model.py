"""A language model under watch: each answer and failure is noted, and a model that was not found is left alone."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from shared.domain.errors import ModelError, ModelNotAllowed, ModelNotFound
from shared.engine.model_health import ModelHealth
from shared.ports.language_model import LanguageModel, ModelChunk, ModelReply, ModelRequest


class WatchedModel:
    """A language model under watch; one that was not found lately is not asked."""

    def __init__(self, model: LanguageModel, health: ModelHealth) -> None:
        """Take the model, and who is told of each answer and failure."""
        self._model = model
        self.health = health

    async def generate(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        self._refuse_gone(request)
        try:
            reply = await self._model.generate(request)
        except ModelError as error:
            self._failed(error, request)
            raise
        self.health.answered(request.settings.model, request.agent)
        return reply

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Yield the answer as it comes."""
        self._refuse_gone(request)
        try:
            async with aclosing(self._model.stream(request)) as chunks:
                async for chunk in chunks:
                    if chunk.text:
                        self.health.answered(request.settings.model, request.agent)
                    yield chunk
        except ModelError as error:
            self._failed(error, request)
            raise

    async def check(self, model: str) -> bool:
        """Ask whether the provider serves a model."""
        return await self._model.check(model)

    async def warm(self) -> None:
        """Load what the first call needs."""
        await self._model.warm()

    async def aclose(self) -> None:
        """Close connections."""
        await self._model.aclose()

    def _refuse_gone(self, request: ModelRequest) -> None:
        if self.health.rests(request.settings.model):
            raise ModelNotFound("404 NOT_FOUND a moment ago").billed(sends=0)

    def _failed(self, error: ModelError, request: ModelRequest) -> None:
        if isinstance(error, ModelNotAllowed) or not error.sends:
            return
        self.health.failed(error, request.settings.model, request.agent)
