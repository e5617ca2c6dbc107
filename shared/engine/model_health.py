"""Watches the language model: which models answer, what refuses us, and what an operator must change.

A dead model, a bad key or a refused location is the operator's to mend, and no user's apology tells of it. Each is
told once at ERROR with what to change, and stands in `/api/health` until the model answers again.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from enum import StrEnum

from shared.domain.errors import (
    ConfigError,
    ModelAccessDenied,
    ModelError,
    ModelNotAllowed,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    Refusal,
)
from shared.domain.model import Model
from shared.observability.events import Event
from shared.observability.log_event import log_event
from shared.ports.clock import Clock
from shared.ports.language_model import LanguageModel, ModelChunk, ModelReply, ModelRequest

log = logging.getLogger(__name__)

UNANSWERED = 3
"""Calls in a row without any answer after which the provider counts as unreachable: one may be a hiccup. Own figure."""
REST_S = 300.0
"""For so long a model that was not found is not asked again: the fallback's answer need not wait for another 404."""
TELL_AGAIN_S = 3600.0
"""A problem that comes and goes is told once an hour."""
_NO_ANSWER = (ModelTimeout, ModelUnavailable, ModelRateLimited)

_ADVICE = {
    Refusal.KEY: "the Gemini API does not accept the key: set a valid GEMINI_API_KEY",
    Refusal.CREDENTIALS: "no valid Google credentials: give the service account roles/aiplatform.user, or sign in",
    Refusal.PERMISSION: "the key or account may not use the API (403): enable it and its billing, or use another key",
    Refusal.LOCATION: "Google does not serve the Gemini API here: run elsewhere, or use Vertex AI in a served region",
}


class ModelState(StrEnum):
    """Whether the language model can be relied on."""

    OK = "ok"
    DEGRADED = "degraded"
    """Something is refused; other models answer."""
    UNREACHABLE = "unreachable"
    """Nothing answers."""


class ModelStatus(Model):
    """What `/api/health` says.

    Attributes:
        reason: What is wrong, in codes; None when all is well.
    """

    state: ModelState = ModelState.OK
    reason: str | None = None


class ModelHealth:
    """What was seen of the models by one instance."""

    def __init__(self, clock: Clock) -> None:
        """Begin without knowing anything: a model counts as well until it fails."""
        self._clock = clock
        self._served: set[str] = set()
        self._answered: set[str] = set()
        self._refused: dict[tuple[str, str], ModelRejected] = {}
        self._denied: ModelAccessDenied | None = None
        self._unanswered = 0
        self._newest: ModelError | None = None
        self._gone: dict[str, float] = {}
        self._told: dict[str, float] = {}

    @property
    def status(self) -> ModelStatus:
        """How it stands."""
        if self._denied is not None:
            reason = f"access denied: {self._denied.refusal}"
            return ModelStatus(state=ModelState.UNREACHABLE, reason=reason)
        if self._unanswered >= UNANSWERED and self._newest is not None:
            return ModelStatus(state=ModelState.UNREACHABLE, reason=self._newest.code)
        if not self._refused:
            return ModelStatus()
        called = any(agent for _, agent in self._refused)
        alive = self._answered if called else self._answered | self._served
        state = ModelState.DEGRADED if alive else ModelState.UNREACHABLE
        return ModelStatus(state=state, reason="; ".join(sorted({self._code(key) for key in self._refused})))

    @property
    def problems(self) -> tuple[str, ...]:
        """What the operator must change, a sentence each."""
        found = [_advice(*key, error) for key, error in self._refused.items()]
        if self._denied is not None:
            found.insert(0, _advice("", "", self._denied))
        elif self._unanswered >= UNANSWERED:
            found.insert(0, "the Gemini API cannot be reached: check the network, a proxy, GOOGLE_GEMINI_BASE_URL")
        return tuple(dict.fromkeys(found))

    def rests(self, model: str) -> bool:
        """Whether a model was not found so lately that asking it again is of no use."""
        return self._clock.monotonic() < self._gone.get(model, float("-inf"))

    def answered(self, model: str, agent: str = "") -> None:
        """Note that a model answered an agent; without an agent, that the provider says it serves the model."""
        (self._answered if agent else self._served).add(model)
        self._denied, self._unanswered = None, 0
        self._gone.pop(model, None)
        for key in ((model, ""), (model, agent)):
            self._refused.pop(key, None)

    def failed(self, error: ModelError, model: str, agent: str = "") -> None:
        """Note a failure; what an operator must change is told once."""
        match error:
            case ModelAccessDenied():
                self._denied = error
            case ModelRejected():
                self._answered.discard(model)
                self._served.discard(model)
                of_model = isinstance(error, ModelNotFound)
                self._refused[model, "" if of_model else agent] = error
            case ModelTimeout() | ModelUnavailable() | ModelRateLimited():
                self._unanswered += 1
                self._newest = error
            case _:
                pass  # an answer came, but it is of no use: that says nothing of whether the model can be reached
        if isinstance(error, ModelRejected):
            self._tell(error, model, agent)

    def gone(self, model: str) -> None:
        """Let a model that a call did not find rest."""
        self._gone[model] = self._clock.monotonic() + REST_S

    async def look(self, language_model: LanguageModel, models: Iterable[str]) -> None:
        """Ask the provider which of the models it serves, all at once; costs no tokens."""
        await asyncio.gather(*(self._look(language_model, model) for model in sorted(set(models))))

    async def _look(self, language_model: LanguageModel, model: str) -> None:
        try:
            await language_model.check(model)
        except ModelError as error:
            self.failed(error, model)
            if isinstance(error, _NO_ANSWER):
                self._unanswered = UNANSWERED
        else:
            self.answered(model)

    def _code(self, key: tuple[str, str]) -> str:
        model, agent = key
        return f"{model}{f' for {agent}' if agent else ''}: {self._refused[key].code}"

    def _tell(self, error: ModelRejected, model: str, agent: str) -> None:
        said, now = _advice(model, agent, error), self._clock.monotonic()
        if now < self._told.get(said, float("-inf")):
            return
        self._told[said] = now + TELL_AGAIN_S
        log_event(log, Event.MODEL_REFUSED, error=ConfigError(said), model=model, agent=agent)


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

    async def check(self, model: str) -> None:
        """Ask whether the provider serves a model."""
        await self._model.check(model)

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
        if isinstance(error, ModelNotFound):
            self.health.gone(request.settings.model)


def _advice(model: str, agent: str, error: ModelRejected) -> str:
    """Say what to change; short enough for a log line."""
    if isinstance(error, ModelAccessDenied):
        return _ADVICE[error.refusal]
    if isinstance(error, ModelNotFound):
        return f"{model} is not served (404): set another in CBOT_AGENTS_FILE or CBOT_MODEL; see make check-model"
    return f"{model} refuses what {agent or 'CBot'} sends ({error.reason}): make check-model shows its words"
