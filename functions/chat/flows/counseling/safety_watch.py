"""What the rules find in a message, before any model: danger, a yes to it, violence, words of safety, an age."""

from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.safety_gate import record
from shared.content.age_rules import age_rules
from shared.content.crisis_answers import admits, reassurances
from shared.content.first_reading import read_first
from shared.domain.conversation import Role
from shared.domain.counseling.risk_events import AgeStated, RiskRaised, RiskWatched
from shared.domain.counseling.staff_review import reason_of
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.domain.safety.ages import StatedAge, stated_age
from shared.domain.safety.levels import CrisisOutcome, RiskLevel, most_pressing, risk_level
from shared.domain.safety.reassurance import Reassurance
from shared.services.counseling.quotes import said

AGENT = "safety_gate"
LEFT = "left_by_words"
"""A follow-through that is over by the user's word: for a reviewer to look at, as a crisis is that nobody saw end."""

ANSWERED_YES = "answered-yes"
"""Stands where a rule's id would: they were asked whether they want to die, and said yes."""


def watch(progress: Progress) -> None:
    """Read the message with the rules and note what they find, the more pressing first: what it calls for leads.

    What is less than a crisis does not stop the count of a follow-through: "죽을 생각은 없어요" is a concern by rule
    and a word of safety all the same.
    """
    turn = progress.turn
    reading = turn.reading or read_first(turn.text)
    crisis, abuse = reading.crisis, reading.abuse
    yes = (ANSWERED_YES,) if _says_yes(progress) else ()
    outcome = most_pressing(reading.outcome, CrisisOutcome.CRISIS if yes else CrisisOutcome.NONE)
    turn.scope.ledger.ruled(AGENT, outcome.value, ", ".join((*reading.rule_ids, *yes)) or "no rule spoke")
    _hear_age(progress)
    said_safe = _hear_safety(progress, outcome)
    raised = []
    if yes:
        raised.append(RiskRaised(outcome=CrisisOutcome.CRISIS, rule_ids=yes, seq=turn.seq))
    if crisis.outcome.needs_protocol or (crisis.outcome is CrisisOutcome.CONCERN and not said_safe):
        raised.append(
            RiskRaised(outcome=crisis.outcome, rule_ids=crisis.rule_ids, seq=turn.seq, outcomes=crisis.outcomes)
        )
    if abuse.outcome is not CrisisOutcome.NONE:
        found = RiskRaised(
            outcome=abuse.outcome, rule_ids=abuse.rule_ids, seq=turn.seq, needs=abuse.needs, kinds=abuse.kinds
        )
        raised.append(found)
    progress.note(*sorted(raised, key=lambda event: event.outcome.severity, reverse=True))


def _says_yes(progress: Progress) -> bool:
    """Whether the last reply asked if they want to die, and the message is a yes; in a follow-through it may be none.

    There other things are asked as well: whether they are safe, and with somebody.
    """
    turn, risk = progress.turn, progress.turn.state.risk
    asked = risk.asked_seq == turn.state.seq and not risk.follow_through
    return asked and turn.answers and admits(turn.text)


def _hear_safety(progress: Progress, outcome: CrisisOutcome) -> bool:
    """Return whether the user said in a follow-through that they are safe; the turn of it is noted and counted."""
    before = progress.state.risk
    safe = _reassurances(progress) if before.level is not RiskLevel.NONE else ()
    if risk_level(outcome) is RiskLevel.NONE or (before.follow_through and not outcome.needs_protocol):
        progress.note(RiskWatched(said=safe))
    if before.follow_through and not progress.state.risk.follow_through:
        record(progress, before.outcome, LEFT)
        progress.note(FlaggedForReview(reason=reason_of(before.outcome), seq=progress.turn.seq, rules=(LEFT,)))
    return before.follow_through and bool(safe)


def _reassurances(progress: Progress) -> tuple[Reassurance, ...]:
    """Return what counts of the words of safety: not what was sent before the reply, nor the last message once more."""
    turn = progress.turn
    before = next((one.text for one in reversed(turn.state.recent) if one.role is Role.USER), "")
    again = said(turn.text, before) and said(before, turn.text)
    return reassurances(turn.text) if turn.answers and not again else ()


def _hear_age(progress: Progress) -> None:
    age = stated_age(progress.turn.text, age_rules())
    if age is None:
        return
    before = progress.state.under_14
    progress.note(AgeStated(age=age))
    if progress.state.under_14 and not before:
        record(progress, CrisisOutcome.NONE, "under_14_stated", rules=(f"stated-age:{StatedAge.UNDER_14.value}",))
