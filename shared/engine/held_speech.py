"""A speech that streams into a buffer until it is known whether it is wanted: then it is shown, or cancelled."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from shared.contracts.events import StreamEvent
from shared.engine.attempt import Spoken
from shared.engine.ledger import Ledger
from shared.engine.reply_guard import Guard
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.engine.speech import Speech, deliver


class HeldSpeech:
    """A speech under way; its listener gets nothing before `release`.

    The streams' costs go to a ledger of its own, which `spoken` and `drop` add to the turn's.

    Attributes:
        speech: What the model was asked.
    """

    def __init__(self, runner: AgentRunner, speech: Speech, scope: Scope, guard: Guard) -> None:
        self.speech = speech
        self._scope = scope
        self._held: list[StreamEvent] = []
        self._emit: Callable[[StreamEvent], None] = self._held.append
        self._ledger = Ledger()
        own = replace(scope, ledger=self._ledger, emit=self._take)
        self._task = asyncio.create_task(deliver(runner, speech, own, guard))

    def release(self, emit: Callable[[StreamEvent], None]) -> None:
        """Show what was held and what follows."""
        self._emit = emit
        for event in self._held:
            emit(event)

    @property
    def failed(self) -> bool:
        """Whether no model spoke: it is over and there is no reply."""
        return self._task.done() and (self._task.exception() is not None or self._task.result() is None)

    async def spoken(self) -> Spoken | None:
        """Return the reply, or None if no model spoke."""
        try:
            return await self._task
        finally:
            await self._stop()
            self._scope.ledger.add(self._ledger)

    async def drop(self) -> None:
        """Close the streams; their tokens are wasted."""
        await self._stop()
        self._scope.ledger.add(self._ledger.wasted())

    def _take(self, event: StreamEvent) -> None:
        self._emit(event)

    async def _stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
