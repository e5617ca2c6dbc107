"""AI disclosure in a session, whichever service answers: fixed text when the user asks, and every three hours."""

from datetime import datetime

from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import AiNoticeGiven
from shared.domain.event import Event
from shared.services.honesty import NOTICE_EVERY, notice_words


def disclosure_due(
    session: Session, now: datetime, content: Content, *, asked: bool
) -> tuple[str, tuple[Event[Session], ...]]:
    """Return the disclosure that is due with its event, or an empty text; who asks gets the answer, no reminder."""
    due = now - (session.notified_at or session.created_at) >= NOTICE_EVERY
    if not asked and not due:
        return "", ()
    messages = content.messages(session.locale, session.register_)
    return notice_words(messages, asked=asked, take_a_break=due and session.minor), (AiNoticeGiven(),)
