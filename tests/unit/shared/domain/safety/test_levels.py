"""Behaviour of the levels."""

import pytest

from shared.domain.safety.levels import CrisisOutcome, RiskLevel, risk_level


@pytest.mark.parametrize(
    ("outcome", "level"),
    [
        (CrisisOutcome.NONE, RiskLevel.NONE),
        (CrisisOutcome.CONCERN, RiskLevel.CONCERN),
        (CrisisOutcome.THIRD_PARTY, RiskLevel.CONCERN),
        (CrisisOutcome.CRISIS, RiskLevel.CRISIS),
        (CrisisOutcome.HARM_TO_OTHERS, RiskLevel.CRISIS),
        (CrisisOutcome.IMMINENT, RiskLevel.IMMINENT),
    ],
)
def test_every_outcome_stands_for_a_risk_of_the_user(outcome, level):
    assert risk_level(outcome) is level


def test_a_concern_is_left_to_the_counsellor_and_the_rest_to_the_protocol():
    assert [outcome for outcome in CrisisOutcome if not outcome.needs_protocol] == [
        CrisisOutcome.NONE,
        CrisisOutcome.CONCERN,
    ]
