"""The protocol's voice in a session, its questions in the newest replies, and what a bare yes or no to one tells."""

from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.content.crisis_protocol import Voice
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.safety.help_seeking import Inquiry
from shared.safety.protocol_questions import ToldByAnswer, Topic
from shared.safety.screening import ScreenedMessage

INQUIRIES = {Topic.PLAN: Inquiry.PLAN, Topic.MEANS: Inquiry.MEANS}
"""Topics that a follow-through asks about, too, in the same words."""


def wordings(topic: Topic, voice: Voice, content: Content) -> tuple[str, ...]:
    inquiry = INQUIRIES.get(topic)
    return content.help_seeking.questions(inquiry, voice) if inquiry else content.crisis_replies.questions(topic, voice)


def replies_since(session: Session) -> list[str]:
    """Return the counsellor's replies since the danger was raised, oldest first."""
    since = session.risk.since_seq or 0
    return [one.text for one in session.recent if one.role is Role.COUNSELOR and one.seq >= since]


def told_by_answer(said: ScreenedMessage, session: Session, content: Content) -> ToldByAnswer | None:
    """Return what a yes or no to the closed question of the newest reply tells, or None."""
    newest = next(reversed(replies_since(session)), "")
    voice, answers = voice_of(session), content.crisis_answers
    asked = ((topic, text) for topic in answers.closed_topics for text in wordings(topic, voice, content))
    told = (answers.told_by_answer(said, topic, text) for topic, text in asked if text in newest)
    return next(told, None)
