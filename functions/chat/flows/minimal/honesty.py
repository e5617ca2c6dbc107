"""That it is an AI: said by rule when the user asks, and every three hours; no model is needed."""

from datetime import timedelta

from shared.content.catalogue import Content
from shared.domain.conversation import S
from shared.engine.flow import Turn

NOTICE_EVERY = timedelta(hours=3)
"""California SB 243, Business and Professions Code 22602 (c)(2). Ages are not asked here: everybody is reminded of a
break. The greeting is the first notice."""


def notice(turn: Turn[S], content: Content) -> str:
    """Return what this turn must say about it, or nothing; every third hour of a conversation is told once."""
    state = turn.state
    messages = content.messages(state.locale, state.register_)
    if content.lexicon.asks_if_human(turn.text):
        return messages.text("ai_notice")
    before = state.recent[-1].created_at if state.recent else state.created_at
    passed = (turn.now - state.created_at) // NOTICE_EVERY
    if passed <= (before - state.created_at) // NOTICE_EVERY:
        return ""
    return f"{messages.text('ai_reminder')} {messages.text('break_reminder')}"
