"""The one question of a protocol reply: the most important one that the user has not answered yet."""

from collections.abc import Collection

from functions.chat.findings import Findings
from functions.chat.legacy.asked_before import fresh, freshest_first
from functions.chat.legacy.user_message import UserMessage
from functions.chat.legacy.voice import INQUIRIES, replies_since, wordings
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.session import Session
from shared.lexicon.words import Answer
from shared.safety.help_seeking import Circumstance
from shared.safety.levels import CrisisOutcome
from shared.safety.protocol_questions import ORDER, Topic, choose, topics

ANSWERED_YES = "answered-yes"
"""Stands for a rule id: the user said yes when asked whether they want to die."""
NEEDS_HELP_NOW = "needs-help-now"
"""Asked by a failed reply whether they need help at once, the user said yes."""
ANSWERED_MEANS = "answered-means"
"""Asked alone whether the means is at hand, the user said yes."""
TOLD_PLACE = "told-place"
"""In a follow-through, next to the wish to die, or asked for it, the user names a place of danger where they are."""
TOLD_MEANS = "told-means"
"""In a follow-through, or next to the wish to die, the user tells that the means is within reach."""
_TOLD_BY_RULE = {
    Topic.PLACE: frozenset({TOLD_PLACE, "ko-on-the-edge", "en-standing-on-the-edge"}),
    Topic.MEANS: frozenset({TOLD_MEANS, ANSWERED_MEANS, "ko-means-ready", "en-means-in-hand"}),
}
_THREAT = (Topic.HARM_INTENT, Topic.TARGET_NEAR, Topic.HARM_MEANS)
_BESIDES_OWN_LIFE = (Topic.TARGET_NEAR, Topic.HARM_INTENT)
_COMPANY = frozenset({Circumstance.ALONE, Circumstance.WITH_FAMILY, Circumstance.WITH_SOMEBODY})
_ASKED_AGAIN = (Topic.PLAN, Topic.MEANS, Topic.COMPANY, Topic.ACTED)


def protocol_question(
    message: UserMessage, session: Session, found: Findings, outcome: CrisisOutcome, content: Content
) -> tuple[Topic, str]:
    """Return the question that the reply to `outcome` asks, with its topic.

    A yes to the question about means tells of the means alone: whether the act is done is asked after who is near.
    """
    voice = voice_of(session)
    since, known = session.risk.since_seq or 0, session.help_seeking
    asked = {topic for topic, inquiry in INQUIRIES.items() if known.asked.get(inquiry, -1) >= since}
    order = topics(outcome, _told(message, session, found, content), asked)
    if says_means_at_hand(found):
        order = tuple(sorted(order, key=Topic.ACTED.__eq__))
    asking = [(topic, freshest_first(wordings(topic, voice, content), session)) for topic in order]
    return choose(asking, replies_since(session))


def says_means_at_hand(found: Findings) -> bool:
    """Return whether the user has just said yes to the question about means."""
    return any(ANSWERED_MEANS in event.rule_ids for event in found.of(RiskRaised))


def told_of_danger(message: UserMessage, found: Findings) -> tuple[Topic, ...]:
    """Return what the message tells that a question would ask, also by the rules that found its danger."""
    rules = {rule for event in found.of(RiskRaised) for rule in event.rule_ids}
    by_rule = (topic for topic, telling in _TOLD_BY_RULE.items() if not telling.isdisjoint(rules))
    return tuple(dict.fromkeys((*message.told, *by_rule)))


def next_about_others(session: Session, content: Content, *, own_life: bool = False) -> str:
    """Return the next question about a threat to another person that no reply has asked since, or an empty text.

    If the user's own life is in danger, too, its questions are not asked of the others again.
    """
    replies = replies_since(session)
    order = _BESIDES_OWN_LIFE if own_life else ORDER[CrisisOutcome.HARM_TO_OTHERS]
    asking = (wordings(topic, voice_of(session), content) for topic in order)
    unasked = (texts for texts in asking if not any(text in reply for text in texts for reply in replies))
    texts = next(unasked, ())
    return fresh(texts, session) if texts else ""


def evaded_question(
    message: UserMessage, session: Session, content: Content, about: Collection[Topic] = _ASKED_AGAIN
) -> str:
    """Return the newest reply's question in other words if the message tells something else; it is asked twice at most.

    A message without content, or with a yes, a no or words of the question, does not evade it in this sense; but a
    mere yes to whether the user is about to act or has acted is unclear.
    """
    topic, replies = asked_topic(session, content, about), replies_since(session)
    if topic is None or not message.answers:
        return ""
    unclear = topic is Topic.ACTED and content.crisis_answers.says_only_yes(message.screened)
    if not unclear and not _tells_something_else(message, topic, content):
        return ""
    asking = wordings(topic, voice_of(session), content)
    times = sum(any(text in reply for text in asking) for reply in replies)
    return fresh(asking, session) if times == 1 else ""


def asked_topic(session: Session, content: Content, about: Collection[Topic] = _ASKED_AGAIN) -> Topic | None:
    """Return which question about the user's own danger the newest reply asks in fixed words."""
    newest = next(reversed(replies_since(session)), "")
    asked = (one for one in about if any(text in newest for text in wordings(one, voice_of(session), content)))
    return next(asked, None)


def _tells_something_else(message: UserMessage, topic: Topic, content: Content) -> bool:
    words, answers, said = message.words, content.crisis_answers, message.screened
    has_content = bool(words.content_words) and not words.hesitates and not words.is_backchannel
    yes_or_no = words.answer is not Answer.UNCLEAR or answers.denies(said) or answers.admits(said)
    told = topic in message.told or bool(answers.reassurances(said)) or answers.acted(said)
    spoken_to = content.help_seeking.speaks_to(topic, said.readings)
    return has_content and not (yes_or_no or told or spoken_to or answers.asks_resources(said))


def asked_of_a_threat(session: Session, content: Content, about: Collection[Topic] = _THREAT) -> bool:
    """Return whether the newest reply asks for the intent, the means or the way to a threatened person."""
    newest = next(reversed(replies_since(session)), "")
    return any(text in newest for topic in about for text in wordings(topic, voice_of(session), content))


def _told(message: UserMessage, session: Session, found: Findings, content: Content) -> frozenset[Topic]:
    """Return what the user has told since the danger was raised, with this message."""
    known = session.help_seeking
    told = {*told_of_danger(message, found), *known.told_since(session.risk.since_seq or 0)}
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
