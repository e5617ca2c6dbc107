"""That it is an AI: said by rule when the user asks, and every three hours; no model is needed."""

from datetime import timedelta

from functions.chat.flows.counseling.progress import Progress
from shared.content.catalogue import Content
from shared.contracts.events import Token
from shared.domain.counseling.session_events import AiNoticeGiven
from shared.engine.foreword import BETWEEN

NOTICE_EVERY = timedelta(hours=3)
"""California SB 243, Business and Professions Code 22602 (c)(2): at least every three hours of a continuing
interaction, and to minors with the reminder to take a break. The greeting is the first notice."""


def notice(progress: Progress, content: Content) -> str:
    """Return what this turn must say about it, or nothing; who asks is answered, and needs no reminder besides."""
    turn, state = progress.turn, progress.state
    asked = content.lexicon.asks_if_human(turn.text)
    due = turn.now - (state.notified_at or state.created_at) >= NOTICE_EVERY
    if not asked and not due:
        return ""
    messages = content.messages(state.locale, state.register_)
    progress.note(AiNoticeGiven())
    said = messages.text("ai_notice" if asked else "ai_reminder")
    return f"{said} {messages.text('break_reminder')}" if due and state.minor else said


def behind(progress: Progress, content: Content, reply: str) -> str:
    """Return a fixed reply with the notice behind it: whoever is in danger is first answered."""
    said = notice(progress, content)
    if not said:
        return reply
    progress.turn.scope.emit(Token(text=BETWEEN + said))
    return reply + BETWEEN + said
