from itertools import permutations, product

import pytest

from shared.safety.levels import CrisisOutcome, RiskLevel, most_pressing, risk_level
from shared.safety.needs import Need, needs_of, union, urgency

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
"""The least pressing first."""


def test_every_outcome_has_a_risk_level_and_a_place_in_the_order_of_severity():
    assert {outcome: risk_level(outcome) for outcome in CrisisOutcome} == RISKS
    assert sorted(CrisisOutcome, key=lambda one: one.severity) == list(RISKS)
    for one, other in product(RISKS, RISKS):
        assert most_pressing(one, other, CrisisOutcome.NONE) is max(one, other, key=list(RISKS).index)
    assert most_pressing() is CrisisOutcome.NONE


def test_every_outcome_above_a_concern_needs_the_protocol():
    left = [CrisisOutcome.NONE, CrisisOutcome.ABUSE_TOLD, CrisisOutcome.CONCERN]
    assert [outcome for outcome in CrisisOutcome if not outcome.needs_protocol] == left


def _order(needs):
    places = urgency(needs, minor=False)
    return sorted(places, key=lambda need: places[need])


def test_emergency_services_are_first_if_a_life_is_in_danger_and_last_otherwise():
    assert _order((Need.LIFE, Need.POLICE, Need.VIOLENCE)) == [Need.LIFE, Need.VIOLENCE, Need.POLICE]
    assert _order((Need.LIFE, Need.POLICE, Need.EMERGENCY)) == [Need.POLICE, Need.EMERGENCY, Need.LIFE]


def test_the_youth_line_is_shown_to_minors_with_or_before_the_other_talk_lines():
    for needs in permutations((Need.LIFE, Need.EMERGENCY, Need.VIOLENCE)):
        places = urgency(needs, minor=True)
        assert places[Need.EMERGENCY] == 0, needs
        assert places[Need.YOUTH] <= min(places[Need.LIFE], places[Need.VIOLENCE]), needs
        assert Need.YOUTH not in urgency(needs, minor=False)


@pytest.mark.parametrize(
    ("outcome", "before", "first"),
    [
        (CrisisOutcome.ABUSE_NOW, (Need.EMERGENCY, Need.LIFE), Need.POLICE),
        (CrisisOutcome.HARM_TO_OTHERS, (Need.EMERGENCY, Need.LIFE), Need.POLICE),
        (CrisisOutcome.IMMINENT, (Need.POLICE,), Need.EMERGENCY),
        (CrisisOutcome.ATTEMPTED, (Need.POLICE,), Need.EMERGENCY),
        (CrisisOutcome.THIRD_PARTY_NOW, (Need.POLICE,), Need.EMERGENCY),
    ],
)
def test_the_police_come_first_in_violence_and_the_ambulance_in_a_medical_emergency(outcome, before, first):
    assert _order(union(needs_of(outcome), before))[0] is first
