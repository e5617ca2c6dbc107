"""Danger that shows only in context: as an answer to what was asked, or together with the messages just before."""

from datetime import timedelta

from functions.chat.danger.plan_steps import answers_signs
from functions.chat.danger.protocol_question import (
    ANSWERED_MEANS,
    ANSWERED_YES,
    NEEDS_HELP_NOW,
    TOLD_MEANS,
    TOLD_PLACE,
    asked_of_a_threat,
    asked_topic,
)
from functions.chat.legacy.leave_taking import goes_to_the_dead, leave_taken
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.session import Session
from shared.engine.flow import Turn
from shared.safety.crisis import LEAVE_TAKING
from shared.safety.help_seeking import Circumstance, Inquiry
from shared.safety.levels import CrisisOutcome, Danger
from shared.safety.needs import Need
from shared.safety.protocol_questions import ToldByAnswer, Topic
from shared.safety.reassurance import dangers
from shared.safety.screening import readings_of

WORRIED = frozenset({CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW})
_VIOLENT = frozenset({CrisisOutcome.ABUSE, CrisisOutcome.ABUSE_NOW})
ANSWERED_DONE = "answered-done"
"""Stands for a rule id, like those below. The protocol asked whether the act is done, and it is."""
TOLD_DONE = "told-done"
"""In a follow-through, or asked for warning signs, the user tells of an act by its means or its wound."""
ANSWERED_SOON = "answered-soon"
"""The protocol asked when, where and with what, and the danger is near."""
VIOLENCE_NEAR = "violence-near"
"""The user told of violence, and it is happening now."""
THEIRS_NEAR = "theirs-near"
"""The user worried about another person, whose life is in danger now."""
TOLD_DRUNK_ALONE = "told-drunk-alone"
"""In a follow-through the user tells that they have drunk and, then or before, that they are alone."""
HARM_NEAR = "harm-near"
"""The user would hurt another person and says with what, where or when; a knife is then no danger to their own life."""
HARM_SOON = "harm-soon"
"""Asked for the intent, when, where or with what, and the user says yes, that it is near, or what is at hand."""
FOLLOWS_THE_DEAD = "follows-the-dead"
"""The user wishes to go to somebody who has died."""
ABOUT_ME = "about-me"
"""The user admits to be the friend that they worried about."""
_FRAGMENT = 15
"""Maximum characters of a message that may be part of a sentence."""
_FRAGMENTS = 2
"""Maximum earlier messages that may belong to the same sentence."""
_TOGETHER = timedelta(minutes=1)
"""Longest time between such a message and the newest one."""


def danger_in_context(turn: Turn[Session], message: UserMessage, content: Content) -> tuple[RiskRaised, ...]:
    """Return danger that shows only in context: as an answer, or together with the messages just before."""
    risk = turn.state.risk
    if _says_yes(turn, message, content):
        return (_raised(turn, CrisisOutcome.CRISIS, ANSWERED_YES),)
    if message.answers_if_urgent and content.crisis_answers.says_only_yes(message.screened):
        yes = _raised(turn, CrisisOutcome.CONCERN, NEEDS_HELP_NOW)
        return (yes.model_copy(update={"needs": (Need.EMERGENCY,)}),)
    wish = message.screened.crisis.outcome is CrisisOutcome.CRISIS or (
        risk.outcome is CrisisOutcome.CONCERN and risk.asked_seq == turn.state.seq and message.answers
    )
    if wish and (reach := _within_reach(message, content)):
        return (_raised(turn, CrisisOutcome.IMMINENT, reach),)
    if found := _after_a_danger(turn, message, content):
        return (found,)
    if not WORRIED.isdisjoint(risk.found) and content.crisis_answers.about_me(message.screened):
        return (_raised(turn, CrisisOutcome.CRISIS, ABOUT_ME),)
    if not _VIOLENT.isdisjoint(risk.found) and _is_violence_near(turn, message, content):
        return (_raised(turn, CrisisOutcome.ABUSE_NOW, VIOLENCE_NEAR),)
    if _are_they_in_danger_now(turn, message, content):
        return (_raised(turn, CrisisOutcome.THIRD_PARTY_NOW, THEIRS_NEAR),)
    return _over_messages(turn, message, content)


def _over_messages(turn: Turn[Session], message: UserMessage, content: Content) -> tuple[RiskRaised, ...]:
    if goes_to_the_dead(message, turn.state, content):
        return (_raised(turn, CrisisOutcome.CRISIS, FOLLOWS_THE_DEAD),)
    if (leaving := leave_taken(message, turn.state, content)) is not CrisisOutcome.NONE:
        return (_raised(turn, leaving, LEAVE_TAKING),)
    return split_message_risk(turn, message, content)


def _after_a_danger(turn: Turn[Session], message: UserMessage, content: Content) -> RiskRaised | None:
    if answers_signs(message, turn.state) and content.crisis_answers.act_named(message.screened):
        return _raised(turn, CrisisOutcome.IMMINENT, TOLD_DONE, CrisisOutcome.ATTEMPTED)
    return _in_follow_through(turn, message, content) if turn.state.risk.follow_through else None


def _in_follow_through(turn: Turn[Session], message: UserMessage, content: Content) -> RiskRaised | None:
    """Return how an answer worsens the danger that is followed through: done or near; None if it does not."""
    known = dangers(turn.state.risk.found)
    protocol_spoke = message.answers and _asked_by_protocol(turn.state, content)
    if known == {Danger.OTHERS}:
        return _threat_near(turn, message, content, spoke=protocol_spoke)
    if Danger.OWN_LIFE not in known:
        return None
    done = message.told_by_answer is ToldByAnswer.DONE
    if done or (protocol_spoke and content.crisis_answers.acted(message.screened)):
        return _raised(turn, CrisisOutcome.IMMINENT, ANSWERED_DONE, CrisisOutcome.ATTEMPTED)
    if content.crisis_answers.act_named(message.screened):
        return _raised(turn, CrisisOutcome.IMMINENT, TOLD_DONE, CrisisOutcome.ATTEMPTED)
    asked = inquired(turn.state) if message.answers else None
    if asked is Inquiry.MEANS and content.help_seeking.means_near(message.screened.readings):
        return _raised(turn, CrisisOutcome.IMMINENT, ANSWERED_MEANS)
    if (protocol_spoke or asked) and content.crisis_answers.soon(message.screened):
        return _raised(turn, CrisisOutcome.IMMINENT, ANSWERED_SOON)
    if near := _near(turn.state, message, content):
        return _raised(turn, CrisisOutcome.IMMINENT, near)
    return _threat_near(turn, message, content, spoke=False) if Danger.OTHERS in known else None


def _near(state: Session, message: UserMessage, content: Content) -> str | None:
    """Return the rule by which the user tells, whatever was asked, of a place, a means, or being drunk and alone."""
    if content.crisis_answers.place_named(message.screened):
        return TOLD_PLACE
    return _within_reach(message, content) or (TOLD_DRUNK_ALONE if _drunk_alone(state, message, content) else None)


def _drunk_alone(state: Session, message: UserMessage, content: Content) -> bool:
    """Return whether this message and those since the danger was raised tell that the user is drunk and alone."""
    words, now = content.help_seeking, message.screened.readings
    drunk, alone = words.drunk(now), Circumstance.ALONE in message.circumstances
    since = state.risk.since_seq or 0
    before = (one.text for one in state.recent if one.role is Role.USER and one.seq >= since)
    if drunk:
        return alone or Circumstance.ALONE in state.help_seeking.circumstances
    return alone and any(words.drunk(readings_of(text)) for text in before)


def _threat_near(turn: Turn[Session], message: UserMessage, content: Content, *, spoke: bool) -> RiskRaised | None:
    """Return a threat to another person that an answer confirms or brings near; None if it does not."""
    words = content.crisis_answers
    if words.harm_near(message.screened):
        return _raised(turn, CrisisOutcome.HARM_TO_OTHERS, HARM_NEAR)
    told = words.admits(message.screened) or words.harm_told(message.screened)
    says_yes = message.answers and told and asked_of_a_threat(turn.state, content)
    soon = says_yes or (spoke and words.soon(message.screened))
    return _raised(turn, CrisisOutcome.HARM_TO_OTHERS, HARM_SOON) if soon else None


def _within_reach(message: UserMessage, content: Content) -> str | None:
    if Topic.PLACE in message.told:
        return TOLD_PLACE
    return TOLD_MEANS if content.help_seeking.means_in_hand(message.screened.readings) else None


def _are_they_in_danger_now(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    if not WORRIED.isdisjoint(turn.state.risk.found):
        near = message.told_by_answer is ToldByAnswer.THEIRS_NEAR
        return near or content.crisis_answers.danger_near_them(message.screened)
    worried = message.screened.crisis.outcome is CrisisOutcome.THIRD_PARTY
    return worried and content.crisis_answers.lost_touch(message.screened)


def _is_violence_near(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    told = "\n".join(one.text for one in turn.state.recent if one.role is Role.USER)
    if message.told_by_answer is ToldByAnswer.VIOLENCE_NEAR:
        return True
    return content.crisis_answers.violence_near(message.screened) or content.crisis_answers.named_near(
        message.screened, told
    )


def inquired(state: Session) -> Inquiry | None:
    """Return what the newest reply asked alone about the plan or the means, or None."""
    asked = (one for one in (Inquiry.PLAN, Inquiry.MEANS) if state.help_seeking.asked_alone(one, state.seq))
    return next(asked, None)


def _asked_by_protocol(state: Session, content: Content) -> bool:
    """Return whether the message follows the protocol, or a yes to its question: an answer may take two messages."""
    asked = state.risk.last_seq
    again = asked_topic(state, content) is Topic.ACTED
    return (
        again
        or state.seq == asked
        or (state.seq - 1 == asked and content.crisis_answers.admits(content.screening.screen(said_before(state))))
    )


def said_before(state: Session) -> str:
    return next((one.text for one in reversed(state.recent) if one.role is Role.USER), "")


def _raised(turn: Turn[Session], outcome: CrisisOutcome, rule: str, *others: CrisisOutcome) -> RiskRaised:
    found = frozenset({outcome, *others})
    return RiskRaised(outcome=outcome, rule_ids=(rule,), seq=turn.seq, outcomes=found)


def split_message_risk(turn: Turn[Session], message: UserMessage, content: Content) -> tuple[RiskRaised, ...]:
    """Return what short messages in quick succession say only together.

    Not in a follow-through, where they are separate answers: "약을 먹었어요", "지금은 안전해요".
    """
    if turn.state.risk.follow_through:
        return ()
    sent = [one for one in turn.state.recent if one.role is Role.USER][-_FRAGMENTS:]
    parts = [message.text]
    for one in reversed(sent):
        if turn.now - one.created_at > _TOGETHER or max(len(one.text), len(parts[0])) > _FRAGMENT:
            break
        parts.insert(0, one.text)
    if len(parts) == 1:
        return ()
    together = content.screening.screen(" ".join(parts)).crisis
    before = content.screening.screen(" ".join(parts[:-1])).crisis
    if together.outcome.severity <= max(before.outcome.severity, message.screened.crisis.outcome.severity):
        return ()
    return (RiskRaised(outcome=together.outcome, rule_ids=together.rule_ids, seq=turn.seq, outcomes=together.outcomes),)


def _says_yes(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    """Return whether the message says yes to the question whether the user wants to die.

    In a follow-through a yes to the protocol is no new danger; a yes to the question after a correction is one again.
    """
    risk = turn.state.risk
    asked = risk.asked_seq == turn.state.seq and not (risk.follow_through and risk.asked_seq == risk.last_seq)
    return asked and message.answers and content.crisis_answers.admits(message.screened)
