"""Tracks which models answer, which refuse, and what an operator must change.

Each problem is logged once at ERROR with advice and stays in `/api/health` until the model answers.
"""

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from shared.domain.errors import (
    ConfigError,
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
from shared.engine import model_advice
from shared.engine.circuit_breaker import WHOLE_CALL, CircuitBreaker, FailedCall, Silence
from shared.model import Model
from shared.observability.events import LogEvent
from shared.observability.fields import Fields
from shared.observability.log_event import log_event
from shared.ports.clock import Clock

log = logging.getLogger(__name__)

UNANSWERED = 3
"""Unanswered calls in a row after which a model counts as silent."""
SILENT_FOR_S = 10.0
"""Shortest time that these calls must span, seconds: parallel agents fail at the same moment."""
REST_S = 300.0
"""Seconds for which a model that was not found is not called."""
TELL_AGAIN_S = 1800.0
"""A problem is logged once per half hour; the alarm's window is twice that."""
TIMEOUT_COUNTS = 2
"""Failures that one timeout counts as at least: the user waited until its end."""
OUTAGE_AFTER = 2
"""Unanswered calls in a row, of any model, after which a timeout by our own deadline counts in full."""
LASTING_S = 300.0
"""Seconds without an answer after which a model is logged at ERROR: a lasting 429 means that a quota is too low."""
LOOK_AGAIN_S = 600.0
"""Seconds without an answer after which the models are looked at again, if anybody asks how they are."""
_NO_ANSWER = (ModelTimeout, ModelUnavailable, ModelRateLimited)
_PROVES_REACH = (ModelBlocked, ModelEmpty, ModelTruncated)


class ModelState(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"
    """A model refuses or does not answer; others answer."""
    UNREACHABLE = "unreachable"
    """No model answers."""


class ModelStatus(Model):
    """The model's part of `/api/health`.

    Attributes:
        reason: Error codes, or what to set; None if there is no problem.
    """

    state: ModelState = ModelState.OK
    reason: str | None = None


@dataclass
class _Seen:
    """What is known about one model.

    Attributes:
        answers: Whether its newest call got an answer, usable or not; None before the first call.
        refused: Problems for the operator by agent; the key "" holds for all agents.
        useless: Truncated answers in a row, by agent.
        unanswered: Calls in a row without an answer, since `silent_since`.
        calls, streams: Circuit breakers for whole answers and for streams: one may hang while the other works.
    """

    calls: CircuitBreaker
    streams: CircuitBreaker
    answers: bool | None = None
    refused: dict[str, ModelRejected] = field(default_factory=dict)
    useless: Counter[str] = field(default_factory=Counter)
    unanswered: int = 0
    silent_since: float = 0.0
    newest: ModelError | None = None

    def silent(self, now: float) -> bool:
        """Whether several calls over some time got no answer."""
        return self.unanswered >= UNANSWERED and now - self.silent_since >= SILENT_FOR_S

    @property
    def dead(self) -> bool:
        """Whether no agent gets an answer from it."""
        return "" in self.refused or (bool(self.refused) and not self.answers)


class ModelHealth:
    """One instance's knowledge of the models."""

    def __init__(self, clock: Clock) -> None:
        """Start without knowledge: a model counts as healthy until it fails."""
        self.clock = clock
        self._models: dict[str, _Seen] = {}
        self._denied: ModelAccessDenied | None = None
        self._unreached: ModelError | None = None
        self._silent_calls = 0
        self._heard_at = float("-inf")
        self._told: dict[str, float] = {}

    @property
    def status(self) -> ModelStatus:
        if self._denied is not None:
            return ModelStatus(state=ModelState.UNREACHABLE, reason=f"access denied: {self._denied.refusal}")
        if self._unreached is not None:
            return ModelStatus(state=ModelState.UNREACHABLE, reason=self._unreached.code)
        refused = [one.refused.get("") for one in self._models.values()]
        denied = [one for one in refused if isinstance(one, ModelAccessDenied)]
        if denied and len(denied) == len(refused):
            known = denied[0].refusal is not Refusal.ADDRESS
            reason = f"access denied: {denied[0].refusal}" if known else model_advice.denied(denied[0])
            return ModelStatus(state=ModelState.UNREACHABLE, reason=reason)
        wrong = [code for model, seen in self._models.items() for code in self._codes(model, seen)]
        if not wrong:
            return ModelStatus()
        now = self.clock.monotonic()
        alive = [one for one in self._models.values() if one.answers and not (one.dead or one.silent(now))]
        state = ModelState.DEGRADED if alive else ModelState.UNREACHABLE
        return ModelStatus(state=state, reason="; ".join(sorted(wrong)))

    @property
    def problems(self) -> tuple[str, ...]:
        """What the operator must change, one sentence each."""
        if self._denied is not None:
            return (model_advice.denied(self._denied),)
        if self._unreached is not None:
            return (f"the Gemini API {model_advice.silent(self._unreached)}",)
        now = self.clock.monotonic()
        found = [
            model_advice.refused(model, agent, error)
            for model, seen in self._models.items()
            for agent, error in seen.refused.items()
        ]
        found += [
            f"{model} {model_advice.silent(seen.newest)}"
            for model, seen in self._models.items()
            if seen.newest is not None and seen.silent(now)
        ]
        return tuple(dict.fromkeys(found))

    def breaker(self, model: str, *, streamed: bool = False) -> CircuitBreaker:
        seen = self._of(model)
        return seen.streams if streamed else seen.calls

    def answered(self, model: str, agent: str, *, streamed: bool = False) -> None:
        seen = self._reached(model)
        self.breaker(model, streamed=streamed).answered()
        seen.answers = True
        seen.useless.pop(agent, None)
        for key in ("", agent):
            seen.refused.pop(key, None)

    def failed(self, error: ModelError, model: str, agent: str, call: FailedCall = WHOLE_CALL) -> None:
        """Record a failed call; what an operator must change is logged once.

        Args:
            error: The failure.
            model: The model that was called.
            agent: The agent that called it.
            call: How the call was sent and ended.
        """
        seen = self._of(model)
        if isinstance(error, ModelAccessDenied) and not error.refusal.of_one_model:
            self._denied = error
        elif isinstance(error, ModelRejected):
            seen.answers = False
            seen.refused["" if isinstance(error, ModelNotFound | ModelAccessDenied) else agent] = error
        elif isinstance(error, _PROVES_REACH):
            self._reached(model).answers = True
            if isinstance(error, ModelTruncated):
                seen.useless[agent] += 1
        elif isinstance(error, _NO_ANSWER):
            seen.silent_since = seen.silent_since if seen.unanswered else self.clock.monotonic()
            seen.unanswered += 1
            seen.newest = error
            if seen.unanswered >= UNANSWERED and self.clock.monotonic() - seen.silent_since >= LASTING_S:
                self._tell(f"{model} {model_advice.silent(error)}", model, "")
        self._note_in_breaker(error, seen, call)
        self._silent_calls += isinstance(error, _NO_ANSWER)
        if isinstance(error, ModelRejected):
            self._tell(model_advice.refused(model, agent, error), model, agent)

    def _note_in_breaker(self, error: ModelError, seen: _Seen, call: FailedCall) -> None:
        """Record a failure in the breaker; an error not named here means that the provider answered and closes it."""
        breaker = seen.streams if call.streamed else seen.calls
        match error:
            case ModelNotFound():
                for one in (seen.calls, seen.streams):
                    one.rest(REST_S)
            case ModelRateLimited():
                for one in (seen.calls, seen.streams):
                    one.failed(error.sends, permit=call.permit, told_s=error.retry_after_s)
            case ModelTimeout() if call.silence is Silence.CUT_SHORT and self._silent_calls < OUTAGE_AFTER:
                breaker.cut_short(call.permit)
            case ModelTimeout() if call.silence is not Silence.GIVEN_UP:
                breaker.failed(max(TIMEOUT_COUNTS, error.sends), permit=call.permit)
            case ModelTimeout() | ModelUnavailable() | ModelStreamBroken():
                breaker.failed(error.sends, permit=call.permit)
            case _:
                breaker.answered()

    def looked_at(self, found: Mapping[str, ModelError | None]) -> None:
        """Record what each model answered when it was asked for one token; None is an answer.

        A model that refuses so plain a request is reported until it answers an agent. If no model answers at all, and
        none has answered for a while, none is reached.
        """
        for model, error in found.items():
            if error is None:
                self.answered(model, "")
            elif isinstance(error, ModelRejected):
                self.failed(error, model, "")
        late = [error for error in found.values() if isinstance(error, _NO_ANSWER)]
        if late and len(late) == len(found) and not self.heard_lately:
            self._unreached = late[-1]

    @property
    def heard_lately(self) -> bool:
        """Whether a model has answered a short while ago."""
        return self.clock.monotonic() - self._heard_at < LOOK_AGAIN_S

    def _of(self, model: str) -> _Seen:
        if model not in self._models:
            self._models[model] = _Seen(CircuitBreaker(self.clock), CircuitBreaker(self.clock))
        return self._models[model]

    def _reached(self, model: str) -> _Seen:
        self._denied = self._unreached = None
        self._silent_calls = 0
        self._heard_at = self.clock.monotonic()
        seen = self._of(model)
        seen.unanswered = 0
        return seen

    def _codes(self, model: str, seen: _Seen) -> list[str]:
        """What is wrong with a model, in codes."""
        found = [f"{model}{f' for {agent}' if agent else ''}: {error.code}" for agent, error in seen.refused.items()]
        found += [
            f"{model} for {agent}: {ModelTruncated.code}"
            for agent, times in seen.useless.items()
            if times >= UNANSWERED
        ]
        if seen.newest is not None and seen.silent(self.clock.monotonic()):
            found.append(f"{model}: {seen.newest.code}")
        return found

    def _tell(self, said: str, model: str, agent: str) -> None:
        now = self.clock.monotonic()
        if now < self._told.get(said, float("-inf")):
            return
        self._told[said] = now + TELL_AGAIN_S
        whose: Fields = {"model": model, "agent": agent} if agent else {"model": model}
        log_event(log, LogEvent.MODEL_REFUSED, error=ConfigError(said), **whose)
