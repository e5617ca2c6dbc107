"""One turn of one agent: stream the answer, or say honestly that there is none."""

from pathlib import Path
from typing import Generic

from shared.contracts.events import Replace
from shared.domain.conversation import S
from shared.domain.model import Model
from shared.engine.agent import Speaker
from shared.engine.flow import Outcome, Turn
from shared.engine.memory import dialogue
from shared.engine.speech import speak
from shared.prompts.catalogue import Prompt


class ChatInput(Model):
    """What the prompt is rendered from."""

    summary: str


CHAT = Speaker(name="chat", prompt=Prompt(Path(__file__).parent / "prompts", "chat", 1, ChatInput))


class MinimalFlow(Generic[S]):
    """The flow."""

    def __init__(self, apology: str) -> None:
        """Take the words for when the model cannot answer."""
        self._apology = apology

    async def run(self, turn: Turn[S]) -> Outcome[S]:
        """Answer."""
        given = ChatInput(summary=turn.state.summary_text)
        spoken = await speak(turn.runner, CHAT, given, dialogue(turn.state, turn.text), turn.scope)
        return self.apologize(turn) if spoken is None else Outcome(reply=spoken.text)

    def apologize(self, turn: Turn[S]) -> Outcome[S]:
        """Say that there is no answer."""
        turn.scope.emit(Replace(text=self._apology))
        return Outcome(reply=self._apology, flags=("degraded",))
