"""That it is an AI: said by rule when the user asks, and every three hours; no model is needed."""

from functions.chat.flows.counseling.progress import Progress
from shared.content.catalogue import Content
from shared.contracts.events import Token
from shared.domain.counseling.session_events import AiNoticeGiven
from shared.engine.reply_prefix import BETWEEN
from shared.services.honesty import NOTICE_EVERY, notice_words


def disclosure_due(progress: Progress, content: Content) -> str:
    """Return what this turn must say about it, or nothing; who asks is answered, and needs no reminder besides."""
    turn, state = progress.turn, progress.state
    asked = content.lexicon.asks_if_human(turn.text)
    due = turn.now - (state.notified_at or state.created_at) >= NOTICE_EVERY
    if not asked and not due:
        return ""
    messages = content.messages(state.locale, state.register_)
    progress.note(AiNoticeGiven())
    return notice_words(messages, asked=asked, take_a_break=due and state.minor)


def append_disclosure(progress: Progress, content: Content, reply: str) -> str:
    """Return a fixed reply with the notice behind it: whoever is in danger is first answered."""
    said = disclosure_due(progress, content)
    if not said:
        return reply
    progress.turn.scope.emit(Token(text=BETWEEN + said))
    return reply + BETWEEN + said
