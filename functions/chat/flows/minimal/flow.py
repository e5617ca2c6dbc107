"""One turn of one agent: stream the answer, or say honestly that there is none."""

from collections.abc import Callable
from pathlib import Path
from typing import Generic

from shared.contracts.events import Replace
from shared.domain.conversation import S
from shared.domain.locale import Locale, Register
from shared.domain.model import Model
from shared.engine.agent import Speaker
from shared.engine.flow import Outcome, Turn
from shared.engine.memory import dialogue
from shared.engine.speech import speak
from shared.prompts.catalogue import Prompt

Apology = Callable[[Locale, Register], str]
"""Gives the honest words for when there is no answer; content, so it comes from outside."""


class ChatInput(Model):
    """What the prompt is rendered from."""

    summary: str


CHAT = Speaker(name="chat", prompt=Prompt(Path(__file__).parent / "prompts", "chat", 1, ChatInput))


class MinimalFlow(Generic[S]):
    """The flow."""

    def __init__(self, apology: Apology) -> None:
        """Take the words for when the model cannot answer."""
        self._apology = apology

    async def run(self, turn: Turn[S]) -> Outcome[S]:
        """Answer."""
        given = ChatInput(summary=turn.state.summary_text)
        spoken = await speak(turn.runner, CHAT, given, dialogue(turn.state, turn.text), turn.scope)
        if spoken is None:
            return self.apologize(turn)
        return Outcome(reply=spoken.text, flags=("shortened",) if spoken.shortened else ())

    def apologize(self, turn: Turn[S]) -> Outcome[S]:
        """Say that there is no answer."""
        reply = self._apology(turn.state.locale, turn.state.register_)
        turn.scope.emit(Replace(text=reply))
        return Outcome(reply=reply, flags=("degraded",))
