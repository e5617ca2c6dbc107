"""Behaviour of the levels."""

from hypothesis import given
from hypothesis import strategies as st

from shared.safety.levels import CrisisOutcome, RiskLevel, most_pressing, risk_level

RISKS = {
    CrisisOutcome.NONE: RiskLevel.NONE,
    CrisisOutcome.ABUSE_TOLD: RiskLevel.NONE,
    CrisisOutcome.CONCERN: RiskLevel.CONCERN,
    CrisisOutcome.THIRD_PARTY: RiskLevel.CONCERN,
    CrisisOutcome.ABUSE: RiskLevel.CONCERN,
    CrisisOutcome.THIRD_PARTY_NOW: RiskLevel.CONCERN,
    CrisisOutcome.CRISIS: RiskLevel.CRISIS,
    CrisisOutcome.HARM_TO_OTHERS: RiskLevel.CRISIS,
    CrisisOutcome.ATTEMPTED: RiskLevel.IMMINENT,
    CrisisOutcome.ABUSE_NOW: RiskLevel.IMMINENT,
    CrisisOutcome.IMMINENT: RiskLevel.IMMINENT,
}


def test_every_outcome_stands_for_a_risk_of_the_user():
    assert set(RISKS) == set(CrisisOutcome)
    assert {outcome: risk_level(outcome) for outcome in CrisisOutcome} == RISKS


def test_a_concern_is_left_to_the_counsellor_and_the_rest_to_the_protocol():
    assert [outcome for outcome in CrisisOutcome if not outcome.needs_protocol] == [
        CrisisOutcome.NONE,
        CrisisOutcome.ABUSE_TOLD,
        CrisisOutcome.CONCERN,
    ]


def test_of_several_the_most_pressing_is_answered():
    assert [outcome.value for outcome in sorted(CrisisOutcome, key=lambda one: one.severity)] == [
        "none",
        "abuse_told",
        "concern",
        "third_party",
        "abuse",
        "third_party_now",
        "crisis",
        "harm_to_others",
        "attempted",
        "abuse_now",
        "imminent",
    ]
    assert most_pressing(CrisisOutcome.ABUSE, CrisisOutcome.CRISIS, CrisisOutcome.NONE) is CrisisOutcome.CRISIS
    assert most_pressing() is CrisisOutcome.NONE


@given(st.sampled_from(CrisisOutcome), st.sampled_from(CrisisOutcome))
def test_a_second_opinion_never_lowers_what_was_found(by_rule, by_model):
    assert most_pressing(by_rule, by_model).severity >= by_rule.severity
