"""What of a conversation goes into a prompt: the summary and the newest messages, never more (seed 004).

What is in neither would be forgotten: the window's messages all stand in the dialogue, long ones by head and tail.
"""

from collections.abc import Sequence

from shared.contracts.chat import MAX_TEXT
from shared.domain.conversation import ConversationState, Message, Role
from shared.engine.prose import excerpt
from shared.ports.language_model import ModelMessage
from shared.prompts.data import as_message

WINDOW_CHARACTERS = 6000
"""Characters of dialogue in a prompt; the newest messages go in first. Bounds the prompt however long a session is;
a window that is longer, since no summary could be made, has room for an excerpt of each message."""
SHORTEST_EXCERPT = 300
"""Characters to which a long message may shrink before an older one is left out: the window's sixteen messages fit."""
LONGEST_SUMMARY = 1200
"""Characters of a summary: with the window it bounds the prompt (seed 004)."""


def window(
    messages: Sequence[Message], limit: int = WINDOW_CHARACTERS, *, shrink_to: int | None = None
) -> tuple[Message, ...]:
    """Return the newest messages that fit the limit, in order; the very newest is always in.

    No message takes more than half of it: of a longer one head and tail stand, so that there is room for what led to
    it. The limits of the functions that judge a dialogue (8,000 and more) leave a user's message whole.

    Args:
        messages: Oldest first.
        limit: Characters of all together.
        shrink_to: Long messages give way to older ones until none is longer than this.
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
    """Return messages without the turns of which the user's words were not kept: no model reads half a turn."""
    unkept = {message.seq for message in messages if message.role is Role.USER and not message.text}
    return tuple(message for message in messages if message.seq not in unkept)


def dialogue(state: ConversationState, text: str) -> tuple[ModelMessage, ...]:
    """Return the window as a dialogue that ends with the user's present words, whole as far as a message may be long.

    The provider wants the user to speak first: a leading greeting is left out, and the prompt speaks of it.
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
    """Return the greatest length within half the limit at which all texts fit when longer ones are cut to it."""
    if not lengths or sum(min(length, limit // 2) for length in lengths) <= limit:
        return limit // 2
    left, ordered = limit, sorted(lengths)
    for place, length in enumerate(ordered):
        level = left // (len(ordered) - place)
        if length > level:
            return min(limit // 2, max(lowest, level))
        left -= length
    return limit // 2
