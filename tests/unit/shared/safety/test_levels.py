"""Behaviour of the levels, and the order in which help lines are shown."""

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


def test_every_outcome_stands_for_a_risk_of_the_user_and_of_several_the_most_pressing_is_answered():
    assert {outcome: risk_level(outcome) for outcome in CrisisOutcome} == RISKS
    assert sorted(CrisisOutcome, key=lambda one: one.severity) == list(RISKS)
    for one, other in product(RISKS, RISKS):
        assert most_pressing(one, other, CrisisOutcome.NONE) is max(one, other, key=list(RISKS).index)
    assert most_pressing() is CrisisOutcome.NONE


def test_a_concern_is_left_to_the_counsellor_and_the_rest_to_the_protocol():
    left = [CrisisOutcome.NONE, CrisisOutcome.ABUSE_TOLD, CrisisOutcome.CONCERN]
    assert [outcome for outcome in CrisisOutcome if not outcome.needs_protocol] == left


def _order(needs):
    places = urgency(needs, minor=False)
    return sorted(places, key=lambda need: places[need])


def test_who_comes_at_once_stands_first_where_a_life_is_in_danger_and_last_where_not():
    assert _order((Need.LIFE, Need.POLICE, Need.VIOLENCE)) == [Need.LIFE, Need.VIOLENCE, Need.POLICE]
    assert _order((Need.LIFE, Need.POLICE, Need.EMERGENCY)) == [Need.POLICE, Need.EMERGENCY, Need.LIFE]


def test_minors_have_their_line_with_those_about_suicide_or_before_all_others_who_talk():
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
def test_the_police_come_first_against_violence_and_the_ambulance_for_a_body_in_danger(outcome, before, first):
    assert _order(union(needs_of(outcome), before))[0] is first
