"""Finds risk in a message by rule, before any model: danger, violence, statements of safety, a stated age."""

from functions.chat.danger.danger_in_context import HARM_NEAR, WORRIED, danger_in_context, inquired, said_before
from functions.chat.danger.plan_steps import names_warning_sign
from functions.chat.danger.protocol_question import asked_of_a_threat
from functions.chat.danger.safety_gate import audit_line
from functions.chat.findings import Findings, after
from functions.chat.legacy.harm_done import abuse_suffered
from functions.chat.legacy.leave_taking import ends_the_talk, goes_to_the_living, is_ordinary_goodbye
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.risk_events import AgeStated, RiskRaised, RiskWatched, WordsNotKept
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import FlagReason, reason_of
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.domain.turn import digest_of
from shared.engine.flow import Turn
from shared.safety.ages import StatedAge
from shared.safety.crisis import Finding
from shared.safety.follow_through import ATTENDED_TURNS
from shared.safety.levels import CrisisOutcome, RiskLevel, most_pressing, risk_level
from shared.safety.needs import Need
from shared.safety.protocol_questions import Topic
from shared.safety.reassurance import Reassurance
from shared.services.counseling.evidence import plain

AGENT = "safety_gate"
LEFT = "left_by_words"
"""Marks a follow-through that the user's own words ended, for staff review."""
RELIEVED_TURNS = 6
"""Turns after the end of a danger in which the denial of a wish to die raises no concern."""


def detect_risk(turn: Turn[Session], message: UserMessage, content: Content) -> Findings:
    """Return the findings of the rules, the most severe risk first.

    A warning sign told for the safety plan ("죽고 싶어질 때요") is the answer to its question and no new crisis.
    A goodbye or a wish to end at the end of a calm session is no more, and a wish to go to a living person is a visit.
    A concern does not keep a message from being a statement of safety: "죽을 생각은 없어요" is both.
    """
    abuse = abuse_suffered(message, turn.state, content)
    sign = names_warning_sign(message, turn.state, content)
    crisis = Finding() if sign else message.screened.crisis
    goodbye = crisis.outcome is CrisisOutcome.CONCERN and is_ordinary_goodbye(message, turn.state, content)
    if goodbye or ends_the_talk(message, turn.state) or goes_to_the_living(message, turn.state, content):
        crisis = Finding()
    answer = () if sign else danger_in_context(turn, message, content)
    outcome = most_pressing(crisis.outcome, abuse.outcome, *(one.outcome for one in answer))
    rule_ids = (*crisis.rule_ids, *abuse.rule_ids, *(rule for one in answer for rule in one.rule_ids))
    turn.scope.ledger.ruled(AGENT, outcome.value, ", ".join(rule_ids) or "no rule spoke")
    found = _stated_age(turn, message)
    safety, said_safe = _follow_through_count(turn, found, message, outcome, content)
    raised = list(answer)
    for_another = any(HARM_NEAR in one.rule_ids for one in answer)
    unanswered = crisis.outcome is CrisisOutcome.CONCERN and not (said_safe or _helper_is_fine(turn, message, content))
    if not for_another and (crisis.outcome.needs_protocol or unanswered):
        outcomes = crisis.outcomes
        if crisis.outcome is CrisisOutcome.IMMINENT and content.crisis_answers.done(message.screened):
            outcomes |= {CrisisOutcome.ATTEMPTED}
        event = RiskRaised(
            outcome=crisis.outcome,
            rule_ids=crisis.rule_ids,
            seq=turn.seq,
            outcomes=outcomes,
            by_words=crisis.wish and not _tells_more(turn, message, content),
        )
        threat_alone = outcomes <= {CrisisOutcome.HARM_TO_OTHERS, CrisisOutcome.CONCERN}
        back = threat_alone and content.crisis_answers.takes_back(message.screened)
        raised.append(event.model_copy(update={"taken_back": back}))
    if abuse.outcome is not CrisisOutcome.NONE:
        hurt = (Need.INJURY,) if content.crisis_answers.injured(message.screened) else ()
        told = RiskRaised(outcome=abuse.outcome, rule_ids=abuse.rule_ids, seq=turn.seq, kinds=abuse.kinds)
        raised.append(told.model_copy(update={"needs": (*abuse.needs, *hurt)}))
    raised.sort(key=lambda event: event.outcome.severity, reverse=True)
    unkept = () if turn.state.keeps_words else (WordsNotKept(digest=_digest(message.text)),)
    return found + safety + Findings(events=(*raised, *unkept))


def _tells_more(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    return bool(message.told) or content.booking_reader.names_a_time(message.text, turn.now.date())


def may_be_danger(message: UserMessage, state: Session, content: Content) -> bool:
    """Return whether the message has weak signs that a model must judge; not in a follow-through.

    What is no danger when a rule finds it is none here: an ordinary goodbye and a warning sign for the safety plan.
    """
    if not message.screened.crisis.hints or state.risk.follow_through:
        return False
    return not (names_warning_sign(message, state, content) or is_ordinary_goodbye(message, state, content))


def concern_from_hints(turn: Turn[Session], message: UserMessage, session: Session, content: Content) -> Findings:
    """Return a concern for weak signs in a message that no model has read; not beside the words of safety asked for."""
    if not may_be_danger(message, session, content):
        return Findings()
    if _asked_lately(turn, message, content) and _reassurances(turn, message, content):
        return Findings()
    rule_ids = message.screened.crisis.hints
    return Findings(events=(RiskRaised(outcome=CrisisOutcome.CONCERN, rule_ids=rule_ids, seq=turn.seq),))


def _helper_is_fine(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    """Return whether a user who worries about another person denies a wish of their own: it is no concern."""
    worries = not WORRIED.isdisjoint(turn.state.risk.found)
    return worries and content.crisis_answers.fine_oneself(message.screened)


def _says_no(state: Session, message: UserMessage, content: Content) -> bool:
    says_no = content.answers.says_none(message.text) or content.crisis_answers.denies(message.screened)
    return message.answers and inquired(state) is not None and says_no and not message.words.hesitates


def _follow_through_count(
    turn: Turn[Session], found: Findings, message: UserMessage, outcome: CrisisOutcome, content: Content
) -> tuple[Findings, bool]:
    """Return the follow-through's count after this turn, and whether the user said that they are safe.

    A plain "no" to the question whether they want to die counts as well, although a rule finds the word in it, and so
    does one soon after the danger was over ("이제 죽고 싶은 생각은 없어요").

    Args:
        turn: The turn.
        found: The age that the message states.
        message: The message.
        outcome: The most pressing outcome of the turn.
        content: The words of safety.
    """
    session = after(turn.state, found.events, turn.now)
    before = session.risk
    lately = _asked_lately(turn, message, content)
    safe = _reassurances(turn, message, content) if lately or before.level is not RiskLevel.NONE else ()
    answering = before.follow_through or (lately and Reassurance.NO_INTENT in safe)
    said_safe = answering and bool(safe)
    if risk_level(outcome) is not RiskLevel.NONE and (not answering or outcome.needs_protocol):
        return Findings(), said_safe
    denied = _says_no(turn.state, message, content)
    words = content.crisis_answers
    back = (
        Reassurance.NO_HARM in safe and words.takes_back(message.screened) and not words.reassurances(message.screened)
    )
    watched = RiskWatched(said=safe, seq=turn.seq, denied=denied, taken_back=back)
    if not before.follow_through or watched.apply(session, turn.now).risk.follow_through:
        return Findings(events=(watched,)), said_safe
    flagged = FlaggedForReview(reason=reason_of(before.outcome), seq=turn.seq, rules=(LEFT,))
    line = audit_line(turn, before.outcome, LEFT, (), len(found.audit))
    return Findings(events=(watched, flagged), audit=(line,)), said_safe


def _asked_lately(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    """Return whether words of safety answer what was asked, or deny the wish to die soon after the danger was over."""
    before = turn.state.risk
    lately = before.asked_seq is not None and turn.state.seq - before.asked_seq < ATTENDED_TURNS
    relieved = before.over_seq is not None and turn.seq - before.over_seq <= RELIEVED_TURNS
    return lately or (relieved and content.crisis_answers.only_denies(message.screened))


def _reassurances(turn: Turn[Session], message: UserMessage, content: Content) -> tuple[Reassurance, ...]:
    """Return the statements of safety, if the message answers the last reply and does not repeat the last message."""
    before = said_before(turn.state)
    again = _digest(message.text) == (_digest(before) if before else turn.state.unkept)
    if again or not message.answers:
        return ()
    said = content.crisis_answers.reassurances(message.screened)
    return (*said, Reassurance.NO_HARM) if not said and _clears_a_threat(turn, message, content) else said


def _clears_a_threat(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    words, answers = message.words, content.crisis_answers
    if words.hesitates or answers.admits(message.screened) or answers.harm_told(message.screened):
        return False
    asked = asked_of_a_threat(turn.state, content, (Topic.HARM_INTENT,))
    goes_on = turn.state.risk.taken_back and bool(words.content_words)
    return asked and (goes_on or answers.denies(message.screened) or answers.takes_back(message.screened))


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
