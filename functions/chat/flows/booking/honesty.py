"""AI disclosure: fixed text when the user asks, and every three hours."""

from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import AiNoticeGiven
from shared.domain.event import Event
from shared.engine.flow import Turn
from shared.services.honesty import NOTICE_EVERY, notice_words


def disclosure_due(turn: Turn[Session], content: Content) -> tuple[str, tuple[Event[Session], ...]]:
    """Return the disclosure that is due with its event, or an empty text."""
    state = turn.state
    asked = content.lexicon.read(turn.text).asks_if_human
    due = turn.now - (state.notified_at or state.created_at) >= NOTICE_EVERY
    if not asked and not due:
        return "", ()
    messages = content.messages(state.locale, state.register_)
    return notice_words(messages, asked=asked, take_a_break=due and state.minor), (AiNoticeGiven(),)
