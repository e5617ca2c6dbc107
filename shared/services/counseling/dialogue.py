"""The dialogue as shown in prompts of analysing agents."""

from collections.abc import Sequence

from shared.domain.conversation import Message, Role
from shared.engine.memory import window, with_words
from shared.model import Model

ANALYSIS_CHARACTERS = 2000
"""Maximum characters of dialogue in an analysing agent's prompt: about four turns."""


class Line(Model):
    """One message in a prompt.

    Attributes:
        seq: Its turn, for agents that name the turn of what they quote.
    """

    speaker: str
    text: str
    seq: int = 0


def lines(messages: Sequence[Message], limit: int = ANALYSIS_CHARACTERS) -> tuple[Line, ...]:
    """Return the newest messages that fit the limit (in characters), oldest first."""
    return tuple(
        Line(speaker="user" if message.role is Role.USER else "counselor", text=message.text, seq=message.seq)
        for message in window(with_words(messages), limit)
    )
