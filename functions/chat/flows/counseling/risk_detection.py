"""What the rules find in a message, before any model: danger, also in an answer, violence, words of safety, an age."""

from datetime import timedelta

from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.safety_gate import record
from shared.content.crisis_answers import (
    about_me,
    act_named,
    acted,
    admits,
    danger_near_them,
    done,
    harm_near,
    named_near,
    place_named,
    reassurances,
    soon,
    violence_near,
)
from shared.domain.conversation import Role
from shared.domain.counseling.risk_events import AgeStated, RiskRaised, RiskWatched, WordsNotKept
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import FlagReason, reason_of
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.domain.turn import digest_of
from shared.safety.ages import StatedAge
from shared.safety.follow_through import ATTENDED_TURNS
from shared.safety.levels import CrisisOutcome, Danger, RiskLevel, most_pressing, risk_level
from shared.safety.reassurance import Reassurance, dangers
from shared.services.counseling.evidence import plain

AGENT = "safety_gate"
_WORRIED = frozenset({CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW})
_VIOLENT = frozenset({CrisisOutcome.ABUSE, CrisisOutcome.ABUSE_NOW})
LEFT = "left_by_words"
"""A follow-through that is over by the user's word: for a reviewer to look at, as a crisis is that nobody saw end."""

ANSWERED_YES = "answered-yes"
"""Stands where a rule's id would, as the next four: they were asked whether they want to die, and said yes."""
ANSWERED_DONE = "answered-done"
"""The protocol asked whether it is done, and it is."""
TOLD_DONE = "told-done"
"""In a follow-through, whatever was asked last, they tell of an act by its means or its wound."""
ANSWERED_SOON = "answered-soon"
"""The protocol asked when, where and with what, and it is near."""
TOLD_PLACE = "told-place"
"""In a follow-through, whatever was asked last, they name a place of danger."""
VIOLENCE_NEAR = "violence-near"
"""They told of violence, and it is now."""
THEIRS_NEAR = "theirs-near"
"""They worried about somebody, whose life is in danger now."""
HARM_NEAR = "harm-near"
"""They would hurt somebody else, and say with what, where or when: a knife is no danger of their own then."""
HARM_SOON = "harm-soon"
"""The protocol asked when and where they would hurt somebody, and it is near; the answer may be of their own life."""
ABOUT_ME = "about-me"
"""The friend whom they worried about is they themselves."""

_FRAGMENT = 15
"""Letters of a message that may be a part of a sentence. Our own figure, as are the next two."""
_FRAGMENTS = 2
"""Messages before it that may be the parts before."""
_TOGETHER = timedelta(minutes=1)
"""How far apart they are sent at most."""


def detect_risk(progress: Progress) -> None:
    """Read the message with the rules and note what they find, the more pressing first: what it calls for leads.

    What is less than a crisis does not stop the count of a follow-through: "죽을 생각은 없어요" is a concern by rule
    and a word of safety all the same.
    """
    turn, message = progress.turn, progress.message
    crisis, abuse = message.crisis, message.abuse
    answer = _answered(progress)
    outcome = most_pressing(message.outcome, *(one.outcome for one in answer))
    rule_ids = (*message.rule_ids, *(rule for one in answer for rule in one.rule_ids))
    turn.scope.ledger.ruled(AGENT, outcome.value, ", ".join(rule_ids) or "no rule spoke")
    _hear_age(progress)
    said_safe = _hear_safety(progress, outcome)
    raised = list(answer)
    for_another = any(HARM_NEAR in one.rule_ids for one in answer)
    unanswered = crisis.outcome is CrisisOutcome.CONCERN and not said_safe
    if not for_another and (crisis.outcome.needs_protocol or unanswered):
        outcomes = crisis.outcomes
        if crisis.outcome is CrisisOutcome.IMMINENT and done(message):
            outcomes |= {CrisisOutcome.ATTEMPTED}
        raised.append(RiskRaised(outcome=crisis.outcome, rule_ids=crisis.rule_ids, seq=turn.seq, outcomes=outcomes))
    if abuse.outcome is not CrisisOutcome.NONE:
        found = RiskRaised(
            outcome=abuse.outcome, rule_ids=abuse.rule_ids, seq=turn.seq, needs=abuse.needs, kinds=abuse.kinds
        )
        raised.append(found)
    progress.note(*sorted(raised, key=lambda event: event.outcome.severity, reverse=True))
    if not turn.state.keeps_words:
        progress.note(WordsNotKept(digest=_digest(turn.text)))


def heed_hints(progress: Progress) -> None:
    """Ask about weak signs, which the rules leave to the model, where it gives no opinion: failed, refused, blocked."""
    hints = progress.message.crisis.hints
    if hints and not progress.state.risk.follow_through:
        progress.note(RiskRaised(outcome=CrisisOutcome.CONCERN, rule_ids=hints, seq=progress.turn.seq))


def _answered(progress: Progress) -> tuple[RiskRaised, ...]:
    """Return the danger that lies in a message only as an answer, or as the end of what was begun before it."""
    risk = progress.turn.state.risk
    if _says_yes(progress):
        return (_raised(progress, CrisisOutcome.CRISIS, ANSWERED_YES),)
    if risk.follow_through and (found := _in_follow_through(progress)):
        return (found,)
    if not _WORRIED.isdisjoint(risk.found) and about_me(progress.message):
        return (_raised(progress, CrisisOutcome.CRISIS, ABOUT_ME),)
    if not _VIOLENT.isdisjoint(risk.found) and _is_violence_near(progress):
        return (_raised(progress, CrisisOutcome.ABUSE_NOW, VIOLENCE_NEAR),)
    if not _WORRIED.isdisjoint(risk.found) and danger_near_them(progress.message):
        return (_raised(progress, CrisisOutcome.THIRD_PARTY_NOW, THEIRS_NEAR),)
    return _begun_before(progress)


def _in_follow_through(progress: Progress) -> RiskRaised | None:
    """Return what an answer tells of the danger that is being followed through: done, near, or both."""
    turn, message, risk = progress.turn, progress.message, progress.turn.state.risk
    known = dangers(risk.found)
    protocol_spoke = turn.answers and _asked_by_protocol(progress)
    if known == {Danger.OTHERS} and harm_near(message):
        return _raised(progress, CrisisOutcome.HARM_TO_OTHERS, HARM_NEAR)
    if known == {Danger.OTHERS} and protocol_spoke and soon(message):
        return _raised(progress, CrisisOutcome.HARM_TO_OTHERS, HARM_SOON)
    if Danger.OWN_LIFE not in known:
        return None
    if protocol_spoke and acted(message):
        return _raised(progress, CrisisOutcome.IMMINENT, ANSWERED_DONE, CrisisOutcome.ATTEMPTED)
    if act_named(message):
        return _raised(progress, CrisisOutcome.IMMINENT, TOLD_DONE, CrisisOutcome.ATTEMPTED)
    if protocol_spoke and soon(message):
        return _raised(progress, CrisisOutcome.IMMINENT, ANSWERED_SOON)
    return _raised(progress, CrisisOutcome.IMMINENT, TOLD_PLACE) if place_named(message) else None


def _is_violence_near(progress: Progress) -> bool:
    message, before = progress.message, progress.turn.state.recent
    told = "\n".join(one.text for one in before if one.role is Role.USER)
    return violence_near(message) or named_near(message, told)


def _asked_by_protocol(progress: Progress) -> bool:
    """Whether the message comes right behind the protocol, or behind a yes to its question: the rest comes in parts."""
    state, asked = progress.turn.state, progress.turn.state.risk.last_seq
    if state.seq == asked:
        return True
    return state.seq - 1 == asked and admits(progress.screening.screen(_said_before(state)))


def _said_before(state: Session) -> str:
    return next((one.text for one in reversed(state.recent) if one.role is Role.USER), "")


def _raised(progress: Progress, outcome: CrisisOutcome, rule: str, *others: CrisisOutcome) -> RiskRaised:
    found = frozenset({outcome, *others})
    return RiskRaised(outcome=outcome, rule_ids=(rule,), seq=progress.turn.seq, outcomes=found)


def _begun_before(progress: Progress) -> tuple[RiskRaised, ...]:
    """Return what short messages sent one right after another say together, and none of them alone.

    In a follow-through they are answers: "약을 먹었어요", "지금은 안전해요" are no sentence.
    """
    turn = progress.turn
    if turn.state.risk.follow_through:
        return ()
    sent = [one for one in turn.state.recent if one.role is Role.USER][-_FRAGMENTS:]
    parts = [turn.text]
    for one in reversed(sent):
        if turn.now - one.created_at > _TOGETHER or max(len(one.text), len(parts[0])) > _FRAGMENT:
            break
        parts.insert(0, one.text)
    if len(parts) == 1:
        return ()
    together = progress.screening.screen(" ".join(parts)).crisis
    before = progress.screening.screen(" ".join(parts[:-1])).crisis
    if together.outcome.severity <= max(before.outcome.severity, progress.message.crisis.outcome.severity):
        return ()
    return (RiskRaised(outcome=together.outcome, rule_ids=together.rule_ids, seq=turn.seq, outcomes=together.outcomes),)


def _says_yes(progress: Progress) -> bool:
    """Whether the last reply asked if they want to die, and the message is a yes; in a follow-through it may be none.

    There other things are asked as well: whether they are safe, and with somebody.
    """
    turn, risk = progress.turn, progress.turn.state.risk
    asked = risk.asked_seq == turn.state.seq and not risk.follow_through
    return asked and turn.answers and admits(progress.message)


def _hear_safety(progress: Progress, outcome: CrisisOutcome) -> bool:
    """Return whether the user said in a follow-through that they are safe; the turn of it is noted and counted.

    So is a "no" in so many words to the question whether they want to die: a rule hears the word in it, and would have
    it asked again.
    """
    before = progress.state.risk
    lately = before.asked_seq is not None and progress.turn.state.seq - before.asked_seq < ATTENDED_TURNS
    safe = _reassurances(progress) if lately or before.level is not RiskLevel.NONE else ()
    answering = before.follow_through or (lately and Reassurance.NO_INTENT in safe)
    if risk_level(outcome) is RiskLevel.NONE or (answering and not outcome.needs_protocol):
        progress.note(RiskWatched(said=safe))
    if before.follow_through and not progress.state.risk.follow_through:
        record(progress, before.outcome, LEFT)
        progress.note(FlaggedForReview(reason=reason_of(before.outcome), seq=progress.turn.seq, rules=(LEFT,)))
    return answering and bool(safe)


def _reassurances(progress: Progress) -> tuple[Reassurance, ...]:
    """Return what counts of the words of safety: not what was sent before the reply, nor the last message once more."""
    turn = progress.turn
    before = _said_before(turn.state)
    again = _digest(turn.text) == (_digest(before) if before else turn.state.unkept)
    return reassurances(progress.message) if turn.answers and not again else ()


def _digest(text: str) -> str:
    return digest_of(plain(text))


def _hear_age(progress: Progress) -> None:
    age = progress.message.age
    if age is None:
        return
    before = progress.state.under_14
    progress.note(AgeStated(age=age))
    if progress.state.under_14 and not before:
        rules = (f"stated-age:{StatedAge.UNDER_14.value}",)
        record(progress, CrisisOutcome.NONE, "under_14_stated", rules=rules)
        progress.note(FlaggedForReview(reason=FlagReason.UNDER_14, seq=progress.turn.seq, rules=rules))
