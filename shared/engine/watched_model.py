"""A language model under watch: each answer and failure is noted, and a model that does not answer is left alone."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from shared.domain.errors import ModelError, ModelNotAllowed, ModelResting, ModelTimeout
from shared.engine.circuit_breaker import Pass
from shared.engine.model_health import ModelHealth
from shared.ports.clock import Clock
from shared.ports.language_model import LanguageModel, ModelChunk, ModelReply, ModelRequest

_PROBES_PATIENCE = 0.5
"""Of a call's own, for the one that finds out whether a silent model answers again: somebody may wait for it."""


class WatchedModel:
    """A language model under watch; one whose breaker is open is not asked."""

    def __init__(self, model: LanguageModel, health: ModelHealth) -> None:
        """Take the model, and who is told of each answer and failure."""
        self._model = model
        self.health = health
        self._clock: Clock = health.clock

    async def generate(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        request = self._admitted(request, streamed=False)
        began = self._clock.monotonic()
        try:
            reply = await self._model.generate(request)
        except ModelError as error:
            self._failed(error, request, streamed=False)
            raise
        except asyncio.CancelledError:
            self._cancelled(request, began, streamed=False)
            raise
        self.health.answered(request.settings.model, request.agent, streamed=False)
        return reply

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Yield the answer as it comes."""
        request = self._admitted(request, streamed=True)
        began, heard = self._clock.monotonic(), False
        try:
            async with aclosing(self._model.stream(request)) as chunks:
                async for chunk in chunks:
                    if chunk.text:
                        heard = True
                        self.health.answered(request.settings.model, request.agent, streamed=True)
                    yield chunk
        except ModelError as error:
            self._failed(error, request, streamed=True)
            raise
        except (asyncio.CancelledError, GeneratorExit):
            if not heard:
                self._cancelled(request, began, streamed=True)
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

    def _admitted(self, request: ModelRequest, *, streamed: bool) -> ModelRequest:
        """Return the request as it may be sent: a probe, one request, is not waited for as long as others.

        Raises:
            ModelResting: The model's breaker is open.
        """
        settings = request.settings
        match self.health.breaker(settings.model, streamed=streamed).admit():
            case Pass.REFUSED:
                raise ModelResting("left alone: it failed too often of late")
            case Pass.PROBE:
                brief = {"first_token_s": settings.first_token_s * _PROBES_PATIENCE}
                if not streamed:
                    brief = {"timeout_s": settings.timeout_s * _PROBES_PATIENCE}
                return request.model_copy(update={"settings": settings.model_copy(update=brief), "attempts": 1})
            case Pass.FREE:
                return request

    def _failed(self, error: ModelError, request: ModelRequest, *, streamed: bool) -> None:
        if isinstance(error, ModelNotAllowed) or not error.sends:
            self.health.breaker(request.settings.model, streamed=streamed).released()
            return
        self.health.failed(error, request.settings.model, request.agent, streamed=streamed)

    def _cancelled(self, request: ModelRequest, began: float, *, streamed: bool) -> None:
        """Note a call that was given up: one that was silent for longer than usual counts as one without an answer."""
        usual = request.settings.hedge_s
        if usual is not None and self._clock.monotonic() - began >= usual:
            silent = ModelTimeout("silent for longer than usual")
            self.health.failed(silent, request.settings.model, request.agent, streamed=streamed, given_up=True)
        else:
            self.health.breaker(request.settings.model, streamed=streamed).released()
