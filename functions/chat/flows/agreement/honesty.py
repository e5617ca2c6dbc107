"""AI disclosure: fixed text when the user asks, and every three hours."""

from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.engine.flow import Turn
from shared.services.honesty import NOTICE_EVERY, notice_words


def disclosure_due(turn: Turn[Session], content: Content) -> str:
    """Return the disclosure that is due, or an empty text; one reminder for every three hours of a conversation."""
    state = turn.state
    messages = content.messages(state.locale, state.register_)
    if content.lexicon.read(turn.text).asks_if_human:
        return notice_words(messages, asked=True, take_a_break=False)
    before = state.recent[-1].created_at if state.recent else state.created_at
    passed = (turn.now - state.created_at) // NOTICE_EVERY
    if passed <= (before - state.created_at) // NOTICE_EVERY:
        return ""
    return notice_words(messages, asked=False, take_a_break=state.minor)
