"""AI disclosure: fixed text when the user asks, and every three hours."""

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import AiNoticeGiven
from shared.engine.flow import Turn
from shared.services.honesty import NOTICE_EVERY, notice_words


def disclosure_due(
    turn: Turn[Session], message: UserMessage, session: Session, content: Content
) -> tuple[str, Findings]:
    """Return the disclosure that is due, or an empty text; a user who asks gets the answer instead of the reminder."""
    asked = message.words.asks_if_human
    due = turn.now - (session.notified_at or session.created_at) >= NOTICE_EVERY
    if not asked and not due:
        return "", Findings()
    words = notice_words(
        content.messages(session.locale, session.register_), asked=asked, take_a_break=due and session.minor
    )
    return words, Findings(events=(AiNoticeGiven(),))
