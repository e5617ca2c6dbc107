"""The dialogue as shown in prompts of analysing agents."""

from collections.abc import Sequence

from shared.domain.conversation import Message, Role
from shared.engine.memory import window, with_words
from shared.model import Model

ANALYSIS_CHARACTERS = 2000
"""Maximum characters of dialogue in an analysing agent's prompt: about four turns."""


class Line(Model):
    """One message in a prompt, or a part of a reply that code worded or did not.

    Attributes:
        seq: Its turn, for agents that name the turn of what they quote.
        fixed: Code worded it: it is neither the Counselor's work nor anything that the user said.
    """

    speaker: str
    text: str
    seq: int = 0
    fixed: bool = False


def lines(messages: Sequence[Message], limit: int = ANALYSIS_CHARACTERS) -> tuple[Line, ...]:
    """Return the newest messages that fit the limit (in characters), oldest first; a fixed part has its own line."""
    pieces = [piece for message in with_words(messages) for piece in message.pieces]
    return tuple(
        Line(
            speaker="user" if piece.role is Role.USER else "counselor",
            text=piece.text,
            seq=piece.seq,
            fixed=bool(piece.fixed),
        )
        for piece in window(pieces, limit)
    )
