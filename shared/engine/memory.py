"""Selects the part of a conversation that goes into a prompt: the summary and the newest messages.

Messages that the summary does not cover all stand in the dialogue; long ones are shortened in the middle.
"""

from collections.abc import Sequence

from shared.contracts.chat import MAX_TEXT
from shared.domain.conversation import ConversationState, Message, Role
from shared.engine.prose import excerpt
from shared.ports.language_model import ModelMessage
from shared.prompts.data import as_message

WINDOW_CHARACTERS = 6000
"""Characters of dialogue in a prompt, newest messages first. A window that is longer because no summary could be made
has room for an excerpt of each message."""
SHORTEST_EXCERPT = 300
"""Shortest excerpt of a long message before an older message is dropped: sixteen messages fit."""
LONGEST_SUMMARY = 1200
"""Characters of a summary; with the window it bounds the prompt."""


def window(
    messages: Sequence[Message], limit: int = WINDOW_CHARACTERS, *, shrink_to: int | None = None
) -> tuple[Message, ...]:
    """Return the newest messages that fit the limit, in order; the newest is always included.

    A message takes at most half of the limit; a longer one keeps its head and tail.

    Args:
        messages: Oldest first.
        limit: Characters of all messages together.
        shrink_to: Shorten long messages down to this length before older ones are dropped.
    """
    longest = limit // 2 if shrink_to is None else _level([len(message.text) for message in messages], limit, shrink_to)
    kept: list[Message] = []
    used = 0
    for message in reversed(messages):
        text = excerpt(message.text, longest)
        used += len(text)
        if kept and used > limit:
            break
        kept.append(message if text == message.text else message.model_copy(update={"text": text}))
    return tuple(reversed(kept))


def with_words(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Drop turns whose user message was not stored, so that no model reads half a turn."""
    unkept = {message.seq for message in messages if message.role is Role.USER and not message.text}
    return tuple(message for message in messages if message.seq not in unkept)


def dialogue(state: ConversationState, text: str) -> tuple[ModelMessage, ...]:
    """Return the window as a dialogue that ends with the user's current message, up to `MAX_TEXT` characters.

    The provider requires the user to speak first: a leading greeting is dropped and the prompt mentions it.
    """
    recent = with_words(state.recent)
    spoken = [
        ModelMessage(role="user" if message.role is Role.USER else "model", text=as_message(message.text))
        for message in window(
            recent, max(WINDOW_CHARACTERS, len(recent) * SHORTEST_EXCERPT), shrink_to=SHORTEST_EXCERPT
        )
    ]
    while spoken and spoken[0].role == "model":
        spoken.pop(0)
    return (*spoken, ModelMessage(role="user", text=as_message(excerpt(text, MAX_TEXT))))


def _level(lengths: Sequence[int], limit: int, lowest: int) -> int:
    """Return the greatest cut length, at most half the limit, at which all texts fit the limit."""
    if not lengths or sum(min(length, limit // 2) for length in lengths) <= limit:
        return limit // 2
    left, ordered = limit, sorted(lengths)
    for place, length in enumerate(ordered):
        level = left // (len(ordered) - place)
        if length > level:
            return min(limit // 2, max(lowest, level))
        left -= length
    return limit // 2
