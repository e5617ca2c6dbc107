"""A user who has just told of violence is not asked for its details: what they tell is up to them. Rules only."""

from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.lexicon.asking import asks_of
from shared.safety.levels import CrisisOutcome

AGENT = "probing"
_STILL_FRESH = 2
"""Earlier messages in which a violence told is as fresh as in the newest."""


def probes_for_details(message: UserMessage, session: Session, spoken: str, content: Content) -> bool:
    """Return whether a reply asks what exactly was done to the user, right after they told of it.

    Whether it goes on, and whether they are safe or hurt, may be asked.
    """
    words = content.session_words
    if not session.risk.hurt_by or not _just_told(message, session, content):
        return False
    return any(words.asks_for_details(one) and not words.asks_about_safety(one) for one in asks_of(spoken))


def _just_told(message: UserMessage, session: Session, content: Content) -> bool:
    if message.screened.abuse.outcome is not CrisisOutcome.NONE:
        return True
    before = [one.text for one in session.recent if one.role is Role.USER][-_STILL_FRESH:]
    return any(content.screening.screen(text).abuse.outcome is not CrisisOutcome.NONE for text in before)
