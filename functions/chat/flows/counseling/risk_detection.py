"""Finds risk in a message by rule, before any model: danger, violence, statements of safety, a stated age."""

from datetime import timedelta

from functions.chat.flows.counseling.findings import Findings, after
from functions.chat.flows.counseling.leave_taking import is_ordinary_goodbye, leave_taken
from functions.chat.flows.counseling.plan_steps import answers_signs, names_warning_sign
from functions.chat.flows.counseling.protocol_question import ANSWERED_YES, asked_of_a_threat
from functions.chat.flows.counseling.safety_gate import audit_line
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.risk_events import AgeStated, RiskRaised, RiskWatched, WordsNotKept
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import FlagReason, reason_of
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.domain.turn import digest_of
from shared.engine.flow import Turn
from shared.safety.ages import StatedAge
from shared.safety.crisis import LEAVE_TAKING, Finding
from shared.safety.follow_through import ATTENDED_TURNS
from shared.safety.help_seeking import Inquiry
from shared.safety.levels import CrisisOutcome, Danger, RiskLevel, most_pressing, risk_level
from shared.safety.protocol_questions import Topic
from shared.safety.reassurance import Reassurance, dangers
from shared.services.counseling.evidence import plain

AGENT = "safety_gate"
_WORRIED = frozenset({CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW})
_VIOLENT = frozenset({CrisisOutcome.ABUSE, CrisisOutcome.ABUSE_NOW})
LEFT = "left_by_words"
"""Marks a follow-through that the user's own words ended, for staff review."""
ANSWERED_DONE = "answered-done"
"""Stands for a rule id, like those below. The protocol asked whether the act is done, and it is."""
TOLD_DONE = "told-done"
"""In a follow-through, or asked for warning signs, the user tells of an act by its means or its wound."""
ANSWERED_MEANS = "answered-means"
"""Asked alone whether the means is at hand, the user said yes."""
ANSWERED_SOON = "answered-soon"
"""The protocol asked when, where and with what, and the danger is near."""
TOLD_PLACE = "told-place"
"""In a follow-through, or next to the wish to die, the user names a place of danger where they are."""
TOLD_MEANS = "told-means"
"""In a follow-through, or next to the wish to die, the user tells that the means is within reach."""
VIOLENCE_NEAR = "violence-near"
"""The user told of violence, and it is happening now."""
THEIRS_NEAR = "theirs-near"
"""The user worried about another person, whose life is in danger now."""
HARM_NEAR = "harm-near"
"""The user would hurt another person and says with what, where or when; a knife is then no danger to their own life."""
HARM_SOON = "harm-soon"
"""Asked for the intent, when, where or with what, and the user says yes or that it is near."""
ABOUT_ME = "about-me"
"""The user admits to be the friend that they worried about."""
_FRAGMENT = 15
"""Maximum characters of a message that may be part of a sentence."""
_FRAGMENTS = 2
"""Maximum earlier messages that may belong to the same sentence."""
_TOGETHER = timedelta(minutes=1)
"""Longest time between such a message and the newest one."""


def detect_risk(turn: Turn[Session], message: UserMessage, content: Content) -> Findings:
    """Return the findings of the rules, the most severe risk first.

    A warning sign told for the safety plan ("죽고 싶어질 때요") is the answer to its question and no new crisis, and a
    goodbye at the end of a calm session is a goodbye.
    A concern does not keep a message from being a statement of safety: "죽을 생각은 없어요" is both.
    """
    abuse, sign = message.screened.abuse, names_warning_sign(message, turn.state, content)
    crisis = Finding() if sign else message.screened.crisis
    if crisis.outcome is CrisisOutcome.CONCERN and is_ordinary_goodbye(message, turn.state, content):
        crisis = Finding()
    answer = () if sign else _answered(turn, message, content)
    outcome = most_pressing(crisis.outcome, abuse.outcome, *(one.outcome for one in answer))
    rule_ids = (*crisis.rule_ids, *abuse.rule_ids, *(rule for one in answer for rule in one.rule_ids))
    turn.scope.ledger.ruled(AGENT, outcome.value, ", ".join(rule_ids) or "no rule spoke")
    found = _stated_age(turn, message)
    safety, said_safe = _follow_through_count(turn, found, message, outcome, content)
    raised = list(answer)
    for_another = any(HARM_NEAR in one.rule_ids for one in answer)
    unanswered = crisis.outcome is CrisisOutcome.CONCERN and not said_safe
    if not for_another and (crisis.outcome.needs_protocol or unanswered):
        outcomes = crisis.outcomes
        if crisis.outcome is CrisisOutcome.IMMINENT and content.crisis_answers.done(message.screened):
            outcomes |= {CrisisOutcome.ATTEMPTED}
        raised.append(RiskRaised(outcome=crisis.outcome, rule_ids=crisis.rule_ids, seq=turn.seq, outcomes=outcomes))
    if abuse.outcome is not CrisisOutcome.NONE:
        raised.append(
            RiskRaised(
                outcome=abuse.outcome, rule_ids=abuse.rule_ids, seq=turn.seq, needs=abuse.needs, kinds=abuse.kinds
            )
        )
    raised.sort(key=lambda event: event.outcome.severity, reverse=True)
    unkept = () if turn.state.keeps_words else (WordsNotKept(digest=_digest(message.text)),)
    return found + safety + Findings(events=(*raised, *unkept))


def concern_from_hints(turn: Turn[Session], message: UserMessage, session: Session) -> Findings:
    """Return a concern for weak signs, which a model would judge, for messages that no model has read."""
    hints = message.screened.crisis.hints
    if not hints or session.risk.follow_through:
        return Findings()
    return Findings(events=(RiskRaised(outcome=CrisisOutcome.CONCERN, rule_ids=hints, seq=turn.seq),))


def _answered(turn: Turn[Session], message: UserMessage, content: Content) -> tuple[RiskRaised, ...]:
    """Return danger that shows only in context: as an answer, or together with the messages just before."""
    risk = turn.state.risk
    if _says_yes(turn, message, content):
        return (_raised(turn, CrisisOutcome.CRISIS, ANSWERED_YES),)
    if message.screened.crisis.outcome is CrisisOutcome.CRISIS and (reach := _within_reach(message, content)):
        return (_raised(turn, CrisisOutcome.IMMINENT, reach),)
    if found := _after_a_danger(turn, message, content):
        return (found,)
    if not _WORRIED.isdisjoint(risk.found) and content.crisis_answers.about_me(message.screened):
        return (_raised(turn, CrisisOutcome.CRISIS, ABOUT_ME),)
    if not _VIOLENT.isdisjoint(risk.found) and _is_violence_near(turn, message, content):
        return (_raised(turn, CrisisOutcome.ABUSE_NOW, VIOLENCE_NEAR),)
    if _are_they_in_danger_now(turn, message, content):
        return (_raised(turn, CrisisOutcome.THIRD_PARTY_NOW, THEIRS_NEAR),)
    if (leaving := leave_taken(message, turn.state, content)) is not CrisisOutcome.NONE:
        return (_raised(turn, leaving, LEAVE_TAKING),)
    return split_message_risk(turn, message, content)


def _after_a_danger(turn: Turn[Session], message: UserMessage, content: Content) -> RiskRaised | None:
    """Return a danger that a message tells in a follow-through, or an act in answer to the question for signs."""
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
    if protocol_spoke and content.crisis_answers.acted(message.screened):
        return _raised(turn, CrisisOutcome.IMMINENT, ANSWERED_DONE, CrisisOutcome.ATTEMPTED)
    if content.crisis_answers.act_named(message.screened):
        return _raised(turn, CrisisOutcome.IMMINENT, TOLD_DONE, CrisisOutcome.ATTEMPTED)
    inquired = _inquired(turn.state) if message.answers else None
    if inquired is Inquiry.MEANS and content.help_seeking.means_near(message.screened.readings):
        return _raised(turn, CrisisOutcome.IMMINENT, ANSWERED_MEANS)
    if (protocol_spoke or inquired) and content.crisis_answers.soon(message.screened):
        return _raised(turn, CrisisOutcome.IMMINENT, ANSWERED_SOON)
    near = TOLD_PLACE if content.crisis_answers.place_named(message.screened) else _within_reach(message, content)
    return None if near is None else _raised(turn, CrisisOutcome.IMMINENT, near)


def _threat_near(turn: Turn[Session], message: UserMessage, content: Content, *, spoke: bool) -> RiskRaised | None:
    """Return a threat to another person that an answer confirms or brings near; None if it does not."""
    words = content.crisis_answers
    if words.harm_near(message.screened):
        return _raised(turn, CrisisOutcome.HARM_TO_OTHERS, HARM_NEAR)
    says_yes = message.answers and words.admits(message.screened) and asked_of_a_threat(turn.state, content)
    soon = says_yes or (spoke and words.soon(message.screened))
    return _raised(turn, CrisisOutcome.HARM_TO_OTHERS, HARM_SOON) if soon else None


def _within_reach(message: UserMessage, content: Content) -> str | None:
    """Return the rule by which the user tells, unasked, of a place of danger or a means within reach."""
    if Topic.PLACE in message.told:
        return TOLD_PLACE
    return TOLD_MEANS if content.help_seeking.means_in_hand(message.screened.readings) else None


def _are_they_in_danger_now(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    """Return whether the person whom the user worries about is in danger now, or cannot be reached."""
    if not _WORRIED.isdisjoint(turn.state.risk.found):
        return content.crisis_answers.danger_near_them(message.screened)
    worried = message.screened.crisis.outcome is CrisisOutcome.THIRD_PARTY
    return worried and content.crisis_answers.lost_touch(message.screened)


def _is_violence_near(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    told = "\n".join(one.text for one in turn.state.recent if one.role is Role.USER)
    return content.crisis_answers.violence_near(message.screened) or content.crisis_answers.named_near(
        message.screened, told
    )


def _says_no(state: Session, message: UserMessage, content: Content) -> bool:
    """Return whether the message says no to the question about the plan or the means that the newest reply asked."""
    says_no = content.answers.says_none(message.text) or content.crisis_answers.denies(message.screened)
    return message.answers and _inquired(state) is not None and says_no and not message.words.hesitates


def _inquired(state: Session) -> Inquiry | None:
    """Return what the newest reply asked alone about the plan or the means, or None."""
    asked = (one for one in (Inquiry.PLAN, Inquiry.MEANS) if state.help_seeking.asked_alone(one, state.seq))
    return next(asked, None)


def _asked_by_protocol(state: Session, content: Content) -> bool:
    """Return whether the message follows the protocol, or a yes to its question: an answer may take two messages."""
    asked = state.risk.last_seq
    return state.seq == asked or (
        state.seq - 1 == asked and content.crisis_answers.admits(content.screening.screen(_said_before(state)))
    )


def _said_before(state: Session) -> str:
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


def _follow_through_count(
    turn: Turn[Session], found: Findings, message: UserMessage, outcome: CrisisOutcome, content: Content
) -> tuple[Findings, bool]:
    """Return the follow-through's count after this turn, and whether the user said that they are safe.

    A plain "no" to the question whether they want to die counts as well, although a rule finds the word in it.

    Args:
        turn: The turn.
        found: The age that the message states.
        message: The message.
        outcome: The most pressing outcome of the turn.
        content: The words of safety.
    """
    session = after(turn.state, found.events, turn.now)
    before = session.risk
    lately = before.asked_seq is not None and turn.state.seq - before.asked_seq < ATTENDED_TURNS
    safe = _reassurances(turn, message, content) if lately or before.level is not RiskLevel.NONE else ()
    answering = before.follow_through or (lately and Reassurance.NO_INTENT in safe)
    said_safe = answering and bool(safe)
    if risk_level(outcome) is not RiskLevel.NONE and (not answering or outcome.needs_protocol):
        return Findings(), said_safe
    denied = _says_no(turn.state, message, content)
    watched = RiskWatched(said=safe, seq=turn.seq, denied=denied)
    if not before.follow_through or watched.apply(session, turn.now).risk.follow_through:
        return Findings(events=(watched,)), said_safe
    flagged = FlaggedForReview(reason=reason_of(before.outcome), seq=turn.seq, rules=(LEFT,))
    line = audit_line(turn, before.outcome, LEFT, (), len(found.audit))
    return Findings(events=(watched, flagged), audit=(line,)), said_safe


def _reassurances(turn: Turn[Session], message: UserMessage, content: Content) -> tuple[Reassurance, ...]:
    """Return the statements of safety, if the message answers the last reply and does not repeat the last message."""
    before = _said_before(turn.state)
    again = _digest(message.text) == (_digest(before) if before else turn.state.unkept)
    return content.crisis_answers.reassurances(message.screened) if message.answers and not again else ()


def _digest(text: str) -> str:
    return digest_of(plain(text))


def _stated_age(turn: Turn[Session], message: UserMessage) -> Findings:
    if message.screened.age is None:
        return Findings()
    stated = AgeStated(age=message.screened.age)
    if turn.state.under_14 or not stated.apply(turn.state, turn.now).under_14:
        return Findings(events=(stated,))
    rules = (f"stated-age:{StatedAge.UNDER_14.value}",)
    flagged = FlaggedForReview(reason=FlagReason.UNDER_14, seq=turn.seq, rules=rules)
    return Findings(
        events=(stated, flagged), audit=(audit_line(turn, CrisisOutcome.NONE, "under_14_stated", rules, 0),)
    )
