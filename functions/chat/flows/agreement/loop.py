"""Runs a search node by node and keeps a checkpoint after each, so that a killed turn goes on where it was."""

import logging
from dataclasses import dataclass, field
from datetime import timedelta

from functions.chat.flows.agreement import nodes
from functions.chat.flows.agreement.question import Question
from functions.chat.flows.agreement.respond import respond
from shared.content.catalogue import Content
from shared.contracts.events import Token
from shared.domain.agreement.search_state import Node, SearchState
from shared.domain.errors import StoreUnavailable
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.ports.checkpoints import Checkpoints

log = logging.getLogger(__name__)

KEPT = timedelta(days=1)
"""How long a checkpoint is kept if its turn is never finished."""


@dataclass(frozen=True)
class Loop:
    """The nodes with what they need."""

    content: Content
    checkpoints: Checkpoints | None = None
    tools: nodes.Tools = field(default=nodes.plain_tools)

    async def run(self, question: Question, *, noticed: bool) -> SearchState:
        """Search and answer; the state of an earlier, killed run is continued."""
        fresh = SearchState.begin(question.library.document, question.text)
        state = await self._kept(question, fresh)
        if state.answer is not None:
            question.turn.scope.emit(Token(text=state.answer))
        while (node := state.following) is not None:
            state = await self._step(node, question, state, noticed=noticed)
            await self._keep(question, state)
        return state

    async def _step(self, node: Node, question: Question, state: SearchState, *, noticed: bool) -> SearchState:
        match node:
            case Node.SCOPE:
                return await nodes.scope(question, state)
            case Node.TOOL_NEED:
                return await nodes.tool_need(question, state)
            case Node.PLANNER:
                return await nodes.planner(question, state)
            case Node.EXECUTOR:
                return await nodes.executor(question, state, self.tools)
            case Node.EVALUATOR:
                return await nodes.evaluator(question, state)
            case Node.RESPOND:
                return await respond(question, state, self.content, noticed=noticed)

    async def _kept(self, question: Question, fresh: SearchState) -> SearchState:
        if self.checkpoints is None:
            return fresh
        turn = question.turn
        try:
            kept = await self.checkpoints.checkpoint(turn.state.conversation_id, turn.message_id, SearchState)
        except StoreUnavailable as error:
            log_event(log, LogEvent.CHECKPOINT_LEFT, error=error, conversation=turn.state.conversation_id)
            return fresh
        return kept if kept is not None and kept.continues(fresh) else fresh

    async def _keep(self, question: Question, state: SearchState) -> None:
        """Keep the state; a store that fails costs a retry its savings, not the user the answer."""
        if self.checkpoints is None:
            return
        turn = question.turn
        await turn.scope.permit()  # a turn that lost its right must not write below an erased session
        try:
            await self.checkpoints.save_checkpoint(turn.state.conversation_id, turn.message_id, state, turn.now + KEPT)
        except StoreUnavailable as error:
            log_event(log, LogEvent.CHECKPOINT_LEFT, error=error, conversation=turn.state.conversation_id)
