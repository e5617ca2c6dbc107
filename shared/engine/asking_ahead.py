"""Asks agents before it is certain that their answers are needed. A prompt asked for later is not sent twice."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from shared.contracts.events import StreamEvent
from shared.domain.errors import ModelRateLimited, ModelTimeout
from shared.engine.agent import Agent, O
from shared.engine.ledger import Ledger
from shared.engine.runner import AgentRunner, Check, Partial
from shared.engine.scope import Scope
from shared.prompts.catalogue import I


@dataclass
class _Call:
    """A call under way; the turn takes over its ledger once the answer is used."""

    task: asyncio.Task[Any]
    ledger: Ledger
    used: bool = False


class AskingAheadRunner(AgentRunner):
    """The runner of one turn; an agent that was asked ahead with the same prompt is not asked again.

    Args:
        runner: Sends the requests.
        scope: The turn's.
        once: Agents whose answer ahead also serves another prompt of the turn; who asks checks whether it fits.

    Attributes:
        once: The same.
    """

    def __init__(self, runner: AgentRunner, scope: Scope, once: Collection[str] = ()) -> None:
        super().__init__(runner.model, {}, runner.clock)
        self._runner = runner
        self._scope = scope
        self.once = once
        self._calls: dict[tuple[str, str], _Call] = {}

    async def ask(
        self, agent: Agent[I, O], given: I, scope: Scope, check: Check[O] | None = None, partial: Partial | None = None
    ) -> O:
        call = self._calls.get(self._key(agent, given))
        if call is None:
            return await self._runner.ask(agent, given, scope, check, partial)
        call.used = True
        scope.started(agent.name)
        try:
            answer: O = await asyncio.shield(call.task)
        finally:
            scope.ledger.add(call.ledger)
        scope.finished(agent.name)
        error = call.ledger.errors.get(agent.name)
        if error is not None and not isinstance(error, ModelRateLimited | ModelTimeout):
            # It had one request; now it gets what every agent gets, unless the model wants a pause or takes too long.
            return await self._runner.ask(agent, given, scope, check, partial)
        return answer

    def begin(self, agent: Agent[I, O], given: I, check: Check[O] | None) -> O | None:
        """Ask an agent ahead, unless that is done or too few requests are left; return the answer if it is there."""
        key = self._key(agent, given)
        call = self._calls.get(key)
        if call is None:
            sends, ledger = self._scope.sends.lend_one(), Ledger()
            if sends is None:
                return None
            own = replace(self._scope, sends=sends, ledger=ledger, emit=_unheard)
            self._calls[key] = _Call(asyncio.create_task(self._runner.ask(agent, given, own, check)), ledger)
            return None
        if not call.task.done() or call.task.cancelled() or call.task.exception() is not None:
            return None
        answer: O = call.task.result()
        return answer

    async def next_answer(self, deciding: "asyncio.Future[Any]") -> bool:
        """Wait for an answer that is under way; return False if there is none, or if all is decided before it."""
        pending = [call.task for call in self._calls.values() if not call.task.done()]
        if not pending:
            return False
        await asyncio.wait((*pending, deciding), return_when=asyncio.FIRST_COMPLETED)
        return not deciding.done()

    async def stop(self) -> None:
        """Cancel what is still under way; the tokens of answers that nothing used are wasted."""
        for call in self._calls.values():
            call.task.cancel()
        await asyncio.gather(*(call.task for call in self._calls.values()), return_exceptions=True)
        for call in self._calls.values():
            if not call.used:
                self._scope.ledger.add(call.ledger.wasted())
        self._calls.clear()

    def _key(self, agent: Agent[I, O], given: I) -> tuple[str, str]:
        prompt = "" if agent.name in self.once else agent.prompt.render(self._scope.locale, given).digest
        return agent.name, prompt


def _unheard(event: StreamEvent) -> None:
    """Tell the listener nothing: whether the agent is needed is not known."""
