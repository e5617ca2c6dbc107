"""Wraps a language model with its circuit breaker and its health record."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from shared.domain.errors import (
    ModelBlocked,
    ModelEmpty,
    ModelError,
    ModelNotAllowed,
    ModelRejected,
    ModelResting,
    ModelTimeout,
    ModelTruncated,
)
from shared.engine.circuit_breaker import CircuitBreaker, FailedCall, Permit, Silence
from shared.engine.model_health import LOOK_AGAIN_S, ModelHealth
from shared.ports.clock import Clock
from shared.ports.language_model import LanguageModel, ModelMessage, ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply
from shared.ports.model_settings import ModelSettings

PROBE_SHARE, PROBE_S = 0.5, 1.7
"""Timeout of a probe: a share of the configured timeout, and an upper limit in seconds. A user waits for it."""
LOOK_S = 5.0
"""Timeout for asking a model for one token, seconds: the server's start may wait for it."""
PROBES_APART_S = 8.0
"""Seconds from a failed probe to the next one of any model, so that a turn (7 s) waits for one at most."""


class WatchedModel:
    """A language model with a circuit breaker."""

    def __init__(self, model: LanguageModel, health: ModelHealth, patience: float = 1) -> None:
        """Watch a model; `patience` multiplies the times for which a probe or a look waits."""
        self._model = model
        self._patience = patience
        self._models: tuple[str, ...] = ()
        self._looking: asyncio.Task[None] | None = None
        self._look_at = 0.0
        self.health = health
        self._clock: Clock = health.clock
        self._next_probe = float("-inf")

    async def generate(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer; see `LanguageModel`."""
        breaker = self.health.breaker(request.settings.model)
        request, permit = self._admitted(request, breaker, streamed=False)
        began = self._clock.monotonic()
        try:
            reply = await self._model.generate(request)
        except ModelError as error:
            self._failed(error, request, permit, streamed=False)
            raise
        except asyncio.CancelledError:
            self._cancelled(request, began, permit, streamed=False)
            raise
        else:
            self._answered(request, streamed=False)
            return reply
        finally:
            breaker.release(permit)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Yield the answer in pieces; see `LanguageModel`."""
        breaker = self.health.breaker(request.settings.model, streamed=True)
        request, permit = self._admitted(request, breaker, streamed=True)
        began, heard = self._clock.monotonic(), False
        try:
            async with aclosing(self._model.stream(request)) as chunks:
                async for chunk in chunks:
                    if chunk.text:
                        heard = True
                        self._answered(request, streamed=True)
                    yield chunk
        except ModelError as error:
            self._failed(error, request, permit, streamed=True)
            raise
        except (asyncio.CancelledError, GeneratorExit):
            if not heard:
                self._cancelled(request, began, permit, streamed=True)
            raise
        finally:
            breaker.release(permit)

    async def look(self, models: Sequence[str]) -> None:
        """Ask each model for one token, in parallel, for the health record; its price is not counted."""
        self._models, self._look_at = tuple(models), self._clock.monotonic() + LOOK_AGAIN_S
        errors = await asyncio.gather(*(look_at(self._model, model, LOOK_S * self._patience) for model in models))
        self.health.looked_at(dict(zip(models, errors, strict=True)))

    def look_again(self) -> None:
        """Look in the background if the last look is a while ago and no model has answered since."""
        if self._models and self._clock.monotonic() >= self._look_at and not self.health.heard_lately:
            self._looking = asyncio.create_task(self.look(self._models))

    async def warm(self) -> None:
        """Load what the first call needs."""
        await self._model.warm()

    async def aclose(self) -> None:
        await self._model.aclose()

    def _failed(self, error: ModelError, request: ModelRequest, permit: Permit, *, streamed: bool) -> None:
        """Count a failed call; a call that was not sent proves nothing."""
        if isinstance(error, ModelNotAllowed) or not error.sends:
            return
        if permit.probe:
            self._next_probe = self._clock.monotonic() + PROBES_APART_S * self._patience
        silence = Silence.CUT_SHORT if request.cut_short else Silence.WAITED_OUT
        self.health.failed(error, request.settings.model, request.agent, FailedCall(streamed, silence, permit))

    def _cancelled(self, request: ModelRequest, began: float, permit: Permit, *, streamed: bool) -> None:
        """Count a cancelled call as unanswered if it was silent for longer than usual."""
        usual = request.settings.hedge_s
        if usual is not None and self._clock.monotonic() - began >= usual:
            silent = ModelTimeout("silent for longer than usual")
            call = FailedCall(streamed, Silence.GIVEN_UP, permit)
            self.health.failed(silent, request.settings.model, request.agent, call)

    def _answered(self, request: ModelRequest, *, streamed: bool) -> None:
        self._next_probe = float("-inf")
        self.health.answered(request.settings.model, request.agent, streamed=streamed)

    def _admitted(
        self, request: ModelRequest, breaker: CircuitBreaker, *, streamed: bool
    ) -> tuple[ModelRequest, Permit]:
        """Return the request to send and its permit. A probe is sent once, with a short timeout.

        Raises:
            ModelResting: The breaker is open.
        """
        settings, field = request.settings, "first_token_s" if streamed else "timeout_s"
        patience = settings.first_token_s if streamed else settings.timeout_s
        patience = min(PROBE_S * self._patience, patience if request.cut_short else patience * PROBE_SHARE)
        permit = breaker.admit(patience, may_probe=self._clock.monotonic() >= self._next_probe)
        if permit is None:
            raise ModelResting("not asked: it failed too often")
        if not permit.probe:
            return request, permit
        brief = settings.model_copy(update={field: patience})
        return request.model_copy(update={"settings": brief, "attempts": 1}), permit


async def look_at(language_model: LanguageModel, model: str, within_s: float) -> ModelError | None:
    """Ask a model for one token, as a turn would; return why it does not answer, or None."""
    settings = ModelSettings(model=model, max_output_tokens=1, timeout_s=within_s)
    request = ModelRequest(agent="", system="", messages=(ModelMessage(role="user", text="1"),), settings=settings)
    try:
        await language_model.generate(request)
    except (ModelBlocked, ModelTruncated):  # one token is never a whole answer
        return None
    except ModelEmpty:
        return ModelRejected("an answer without a candidate")
    except ModelError as error:
        return error
    return None
