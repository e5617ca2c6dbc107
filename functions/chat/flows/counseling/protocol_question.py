"""The one question of a protocol reply: the most important one that the user has not answered yet."""

from functions.chat.flows.counseling.asked_before import fresh, freshest_first
from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.user_message import UserMessage
from functions.chat.flows.counseling.voice import voice_of
from shared.content.catalogue import Content
from shared.content.crisis_protocol import Voice
from shared.domain.conversation import Role
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.session import Session
from shared.safety.help_seeking import Circumstance, Inquiry
from shared.safety.levels import CrisisOutcome
from shared.safety.protocol_questions import ORDER, Topic, choose, topics

ANSWERED_YES = "answered-yes"
"""Stands for a rule id: the user said yes when asked whether they want to die."""
INQUIRIES = {Topic.PLAN: Inquiry.PLAN, Topic.MEANS: Inquiry.MEANS}
"""Topics that a follow-through asks about, too, in the same words."""
_THREAT = (Topic.HARM_INTENT, Topic.TARGET_NEAR, Topic.HARM_MEANS)
_COMPANY = frozenset({Circumstance.ALONE, Circumstance.WITH_FAMILY})


def protocol_question(
    message: UserMessage, session: Session, found: Findings, outcome: CrisisOutcome, content: Content
) -> tuple[Topic, str]:
    """Return the question that the reply to `outcome` asks, with its topic."""
    voice = voice_of(session)
    since, known = session.risk.since_seq or 0, session.help_seeking
    asked = {topic for topic, inquiry in INQUIRIES.items() if known.asked.get(inquiry, -1) >= since}
    order = topics(outcome, _told(message, session, found, content), asked)
    wordings = [(topic, freshest_first(_wordings(topic, voice, content), session)) for topic in order]
    return choose(wordings, _replies_since(session))


def next_about_others(session: Session, content: Content) -> str:
    """Return the next question about a threat to another person that no reply has asked since, or an empty text."""
    replies = _replies_since(session)
    wordings = (_wordings(topic, voice_of(session), content) for topic in ORDER[CrisisOutcome.HARM_TO_OTHERS])
    unasked = (texts for texts in wordings if not any(text in reply for text in texts for reply in replies))
    texts = next(unasked, ())
    return fresh(texts, session) if texts else ""


def asked_of_a_threat(session: Session, content: Content) -> bool:
    """Return whether the newest reply asks for the intent, the means or the way to a threatened person."""
    newest = next(reversed(_replies_since(session)), "")
    return any(text in newest for topic in _THREAT for text in _wordings(topic, voice_of(session), content))


def _told(message: UserMessage, session: Session, found: Findings, content: Content) -> frozenset[Topic]:
    """Return what the user has told since the danger was raised, with this message."""
    known = session.help_seeking
    told = {*message.told, *known.told_since(session.risk.since_seq or 0)}
    if Topic.PLACE in told:
        told.add(Topic.MEANS)
    if not _COMPANY.isdisjoint(known.circumstances):
        told.add(Topic.COMPANY)
    if CrisisOutcome.ATTEMPTED in session.risk.found:
        told |= {Topic.ACTED, Topic.MEANS}
    if content.crisis_answers.cared_for(message.screened):
        told.add(Topic.SEEN)
    if any(ANSWERED_YES in event.rule_ids for event in found.of(RiskRaised)):
        told.add(Topic.INTENT)
    return frozenset(told)


def _wordings(topic: Topic, voice: Voice, content: Content) -> tuple[str, ...]:
    inquiry = INQUIRIES.get(topic)
    return content.help_seeking.questions(inquiry, voice) if inquiry else content.crisis_replies.questions(topic, voice)


def _replies_since(session: Session) -> list[str]:
    """Return the counsellor's replies since the danger was raised, oldest first."""
    since = session.risk.since_seq or 0
    return [one.text for one in session.recent if one.role is Role.COUNSELOR and one.seq >= since]
