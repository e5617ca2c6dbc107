"""What the rules find in a message, before any model: danger, violence, words of safety, an age."""

from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.safety_gate import record
from shared.content.age_rules import age_rules
from shared.content.crisis_answers import reassurances
from shared.content.crisis_rules import rule_definitions
from shared.content.first_reading import read_first
from shared.domain.counseling.session_events import AgeStated, RiskRaised, RiskWatched
from shared.domain.counseling.staff_review import reason_of
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.domain.safety.ages import StatedAge, stated_age
from shared.domain.safety.detector import Finding
from shared.domain.safety.levels import CrisisOutcome, RiskLevel, risk_level
from shared.domain.safety.needs import Need, needs_of

AGENT = "safety_gate"
LEFT = "left_by_words"
"""A follow-through that is over by the user's word: for a reviewer to look at, as a crisis is that nobody saw end."""


def watch(progress: Progress) -> None:
    """Read the message with the rules and note what they find, the more pressing first: what it calls for leads.

    What is less than a crisis does not stop the count of a follow-through: "죽을 생각은 없어요" is a concern by rule
    and a word of safety all the same.
    """
    turn = progress.turn
    reading = turn.reading or read_first(turn.text)
    crisis, abuse, outcome = reading.crisis, reading.abuse, reading.outcome
    turn.scope.ledger.ruled(AGENT, outcome.value, ", ".join(reading.rule_ids) or "no rule spoke")
    _hear_age(progress)
    said_safe = _hear_safety(progress, outcome)
    raised = []
    if crisis.outcome.needs_protocol or (crisis.outcome is CrisisOutcome.CONCERN and not said_safe):
        needs = _of_others(crisis)
        raised.append(RiskRaised(outcome=crisis.outcome, rule_ids=crisis.rule_ids, seq=turn.seq, needs=needs))
    if abuse.outcome is not CrisisOutcome.NONE:
        found = RiskRaised(
            outcome=abuse.outcome, rule_ids=abuse.rule_ids, seq=turn.seq, needs=abuse.needs, kinds=abuse.kinds
        )
        raised.append(found)
    progress.note(*sorted(raised, key=lambda event: event.outcome.severity, reverse=True))


def _hear_safety(progress: Progress, outcome: CrisisOutcome) -> bool:
    """Count a turn of the follow-through; return whether in it the user said that they are safe."""
    before = progress.state.risk
    said = reassurances(progress.turn.text) if before.level is not RiskLevel.NONE else ()
    if risk_level(outcome) is RiskLevel.NONE or (before.follow_through and not outcome.needs_protocol):
        progress.note(RiskWatched(said=said))
    if before.follow_through and not progress.state.risk.follow_through:
        record(progress, before.outcome, LEFT)
        progress.note(FlaggedForReview(reason=reason_of(before.outcome), seq=progress.turn.seq, rules=(LEFT,)))
    return before.follow_through and bool(said)


def _hear_age(progress: Progress) -> None:
    age = stated_age(progress.turn.text, age_rules())
    if age is None:
        return
    before = progress.state.under_14
    progress.note(AgeStated(age=age))
    if progress.state.under_14 and not before:
        record(progress, CrisisOutcome.NONE, "under_14_stated", rules=(f"stated-age:{StatedAge.UNDER_14.value}",))


def _of_others(crisis: Finding) -> tuple[Need, ...]:
    """Return what somebody else's danger calls for, behind that of the user which was found with it."""
    if crisis.outcome is CrisisOutcome.THIRD_PARTY_NOW or not crisis.outcome.needs_protocol:
        return ()
    acute = {rule.id for rule in rule_definitions().rules if rule.outcome is CrisisOutcome.THIRD_PARTY_NOW}
    return () if acute.isdisjoint(crisis.rule_ids) else needs_of(CrisisOutcome.THIRD_PARTY_NOW)
