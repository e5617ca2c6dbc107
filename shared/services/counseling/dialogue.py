"""The dialogue as analysing agents' prompts show it."""

from collections.abc import Sequence

from shared.domain.conversation import Message, Role
from shared.engine.memory import window, with_words
from shared.model import Model

ANALYSIS_CHARACTERS = 2000
"""Characters of dialogue that an analysing agent sees: about four turns; the matter at hand is the last message."""


class Line(Model):
    """One message in a prompt."""

    speaker: str
    text: str


def lines(messages: Sequence[Message], limit: int = ANALYSIS_CHARACTERS) -> tuple[Line, ...]:
    """Return the newest messages that fit the limit (in characters), oldest first."""
    return tuple(
        Line(speaker="user" if message.role is Role.USER else "counselor", text=message.text)
        for message in window(with_words(messages), limit)
    )
