"""Races the streams of one reply: a second one after a failure or a delay; the first with a token wins."""

import asyncio
import random
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from shared.contracts.events import Replace, Token
from shared.domain.errors import (
    ModelBlocked,
    ModelEmpty,
    ModelError,
    ModelSchemaMismatch,
    ModelStreamBroken,
    ModelTimeout,
    ModelUnavailable,
)
from shared.domain.turn import DecidedBy
from shared.engine.attempt import Attempt
from shared.engine.hedge_quota import HedgeQuota
from shared.engine.prose import Prose
from shared.engine.reply_guard import Guard
from shared.engine.scope import Scope
from shared.ports.clock import Clock
from shared.ports.language_model import LanguageModel, ModelMessage, ModelRequest
from shared.ports.model_answers import ModelChunk
from shared.ports.model_settings import PROVING_SHARE, ModelSettings

MOST_STREAMS = 2
"""Most streams sent for one reply."""
RETRY_DELAY_S = (0.1, 0.4)
"""Delay before an overloaded model is called again, drawn evenly from this range, seconds."""
_MAY_BE_ASKED_AGAIN = (ModelEmpty, ModelBlocked, ModelSchemaMismatch, ModelStreamBroken, ModelUnavailable)
"""Excludes timeouts: a second stream ran in parallel and no time is left."""


@dataclass(frozen=True)
class Asked:
    """What the streams of a reply have in common.

    Attributes:
        settings: As configured; each stream's timeouts are cut to the time left when it opens.
    """

    model: LanguageModel
    clock: Clock
    hedges: HedgeQuota
    agent: str
    system: str
    history: tuple[ModelMessage, ...]
    settings: ModelSettings
    scope: Scope
    guard: Guard


class Race:
    """Opens the streams of one reply.

    Attributes:
        attempts: All streams in the order of their opening.
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._running: dict[asyncio.Task[None], Attempt] = {}
        self._hedged = False
        self.attempts: list[Attempt] = []

    async def first_words(self) -> Attempt | None:
        """Return the next stream that has words, not shown yet; None if none has and none may be opened.

        A second stream runs in parallel to a late one. The first with a token is returned, the other is closed.

        Raises:
            LeaseLost, StoreUnavailable: Raised by the scope's permit.
        """
        try:
            while True:
                if not self._running and not await self._open_next():
                    return None
                done, _ = await asyncio.wait(
                    self._running, timeout=self._patience(), return_when=asyncio.FIRST_COMPLETED
                )
                if not done:
                    self._hedge()
                for task in done:
                    attempt = self._running.pop(task)
                    task.result()
                    if attempt.error is None:
                        return attempt
                    self._hedge_elsewhere(attempt)
        finally:
            await self._cancel_others()

    async def _open_next(self) -> bool:
        """Open the first stream or a further one after a failure; return whether one was opened."""
        sent = [one for one in self.attempts if one.sent]
        planned = self._planned()
        if planned is None or len(sent) >= MOST_STREAMS:
            return False
        if sent:
            scope = self._asked.scope
            scope.retried(self._asked.agent, len(sent) + 1)
            if any(one.shown for one in sent):
                scope.emit(Replace(text=""))
            if planned.model == sent[-1].settings.model and isinstance(sent[-1].error, ModelUnavailable):
                await asyncio.sleep(random.uniform(*RETRY_DELAY_S))  # noqa: S311 - jitter, not a secret
        self._open(planned)
        return True

    def _planned(self) -> ModelSettings | None:
        """Return the settings of the next stream: the fallback if it helps, else the same unless text was shown."""
        if not self.attempts:
            return self._asked.settings
        last = self.attempts[-1]
        if last.error is not None and (other := last.settings.fallback_after(last.error)):
            return other
        refused = {one.settings.model for one in self.attempts if not one.sent}
        again = [
            one.settings
            for one in self.attempts
            if one.settings.model not in refused and isinstance(one.error, _MAY_BE_ASKED_AGAIN)
        ]
        return again[-1] if again and not any(one.shown for one in self.attempts) else None

    def _patience(self) -> float | None:
        """Return how long the running stream may be silent before a second is opened; None if none may be."""
        (running, *others) = self._running.values()
        allowed = running.settings.hedge_s is not None and not self._hedged and not others
        if not allowed or sum(one.sent for one in self.attempts) >= MOST_STREAMS:
            return None
        usual = min(running.settings.hedge_s or 0, running.settings.first_token_s / 2)
        return max(usual - (self._asked.clock.monotonic() - running.began), 0)

    def _hedge(self) -> None:
        """Open a second stream in parallel to a late one, on the fallback model if there is one, else on the same."""
        self._hedged = True
        (late,) = self._running.values()
        other = late.settings.fallback if late.settings.fallback_on_failure else None
        if self._asked.hedges.take():
            self._open(other or late.settings)

    def _hedge_elsewhere(self, refused: Attempt) -> None:
        """Open the second stream on the late one's model if the fallback's circuit breaker is open."""
        for late in tuple(self._running.values()):
            if not refused.sent and refused.settings.model != late.settings.model:
                self._open(late.settings)

    def _open(self, settings: ModelSettings) -> None:
        asked = self._asked
        began = asked.clock.monotonic()
        attempt = Attempt(
            settings=self._timed(settings, began),
            decided_by=DecidedBy.MODEL if settings.model == asked.settings.model else DecidedBy.FALLBACK_MODEL,
            clock=asked.clock,
            began=began,
            watch=asked.guard.watch(),
            show=lambda text: asked.scope.emit(Token(text=text)),
            prose=Prose(),
        )
        self.attempts.append(attempt)
        asked.hedges.opened()
        self._running[asyncio.create_task(self._read(attempt))] = attempt

    def _timed(self, settings: ModelSettings, now: float) -> ModelSettings:
        """Return the settings cut to the time left; once words were shown, the first word has no own limit."""
        scope = self._asked.scope
        cut = settings.within(scope.deadline - now)
        left = scope.first_word_left(now)
        if left >= cut.first_token_s or any(one.shown for one in self.attempts):
            return cut
        return cut.model_copy(update={"first_token_s": max(left, 0.0)})

    async def _read(self, attempt: Attempt) -> None:
        """Read a stream up to its first words; a failure is recorded in it."""
        asked = self._asked
        try:
            await self._permitted()
            granted = asked.scope.sends.for_stream()
        except ModelError as failure:
            attempt.failed(failure)
            return
        await attempt.open(self._chunks(attempt, granted))
        if attempt.error is not None:
            asked.scope.sends.settle(granted, attempt.sends)

    async def _permitted(self) -> None:
        scope, now = self._asked.scope, self._asked.clock.monotonic()
        shown = any(one.shown for one in self.attempts)
        if now >= scope.deadline or (scope.first_word_left(now) <= 0 and not shown):
            raise ModelTimeout("the turn's deadline has passed").billed(sends=0)
        await scope.permit()

    def _chunks(self, attempt: Attempt, granted: int) -> AsyncGenerator[ModelChunk, None]:
        asked = self._asked
        request = ModelRequest(
            agent=asked.agent,
            system=asked.system,
            messages=asked.history,
            settings=attempt.settings,
            attempts=granted,
            cut_short=attempt.settings.first_token_s < PROVING_SHARE * asked.settings.first_token_s,
        )
        return asked.model.stream(request)

    async def _cancel_others(self) -> None:
        running, self._running = self._running, {}
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for attempt in running.values():
            if attempt.error is None:
                attempt.was_cancelled()
                await attempt.close()
