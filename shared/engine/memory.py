"""What of a conversation goes into a prompt: the summary and the newest messages, never more (seed 004)."""

from collections.abc import Sequence

from shared.contracts.chat import MAX_TEXT
from shared.domain.conversation import ConversationState, Message, Role
from shared.engine.prose import excerpt
from shared.ports.language_model import ModelMessage
from shared.prompts.catalogue import as_data

WINDOW_CHARACTERS = 6000
"""Characters of dialogue in a prompt; the newest messages go in first. Bounds the prompt however long a session is."""


def window(messages: Sequence[Message], limit: int = WINDOW_CHARACTERS) -> tuple[Message, ...]:
    """Return the newest messages that fit the limit, in order; the very newest is always in.

    No message takes more than half of it: of a longer one head and tail stand, so that there is room for what led to
    it. The limits of the functions that judge a dialogue (8,000 and more) leave a user's message whole.
    """
    kept: list[Message] = []
    used = 0
    for message in reversed(messages):
        text = excerpt(message.text, limit // 2)
        used += len(text)
        if kept and used > limit:
            break
        kept.append(message if text == message.text else message.model_copy(update={"text": text}))
    return tuple(reversed(kept))


def dialogue(state: ConversationState, text: str) -> tuple[ModelMessage, ...]:
    """Return the window as a dialogue that ends with the user's present words, whole as far as a message may be long.

    The provider wants the user to speak first: a leading greeting is left out, and the prompt speaks of it.
    """
    spoken = [
        ModelMessage(role="user" if message.role is Role.USER else "model", text=as_data(message.text))
        for message in window(state.recent)
    ]
    while spoken and spoken[0].role == "model":
        spoken.pop(0)
    return (*spoken, ModelMessage(role="user", text=as_data(excerpt(text, MAX_TEXT))))
