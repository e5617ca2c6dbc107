"""Rehearses a turn's decisions: every agent gives an answer that is known, or its calmest one."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from shared.domain.conversation import S
from shared.engine.agent import Agent, AnswerSchema, O
from shared.engine.asking_ahead import AskingAheadRunner
from shared.engine.flow import Turn
from shared.engine.runner import AgentRunner, Check, Partial
from shared.engine.scope import Scope
from shared.prompts.catalogue import I


class RehearsingRunner(AgentRunner):
    """Waits for no model.

    Args:
        runner: The turn's runner, which asks ahead.
        known: Answers by agent; every other agent answers as if there were nothing to find.
        ahead: Agents that are asked ahead. Of several in a row the first, since the others rest on its answer, and
            at the same time those whose answer serves another prompt.

    Attributes:
        guessed: Agents whose answers were not known.
    """

    def __init__(
        self, runner: AskingAheadRunner, known: Mapping[str, AnswerSchema], ahead: Collection[str] = ()
    ) -> None:
        super().__init__(runner.model, {}, runner.clock)
        self.guessed: set[str] = set()
        self._runner = runner
        self._known = known
        self._ahead = ahead

    async def ask(
        self, agent: Agent[I, O], given: I, scope: Scope, check: Check[O] | None = None, partial: Partial | None = None
    ) -> O:
        """Return the known answer, else a copy of the safe default: the safe default itself means a failed model."""
        del scope, partial
        known = self._known.get(agent.name)
        if known is not None:
            return agent.safe_default.model_copy(update=dict(known))
        if agent.name in self._ahead and (not self.guessed or agent.name in self._runner.once):
            answer = self._runner.begin(agent, given, check)
            if answer is not None:
                return answer
        self.guessed.add(agent.name)
        return agent.safe_default.model_copy()


def rehearsed(turn: Turn[S], runner: RehearsingRunner) -> Turn[S]:
    """Return the turn with this runner, and with a ledger and a listener that keep nothing."""
    silent = Scope(locale=turn.scope.locale, deadline=turn.scope.deadline)
    return replace(turn, runner=runner, scope=silent)
