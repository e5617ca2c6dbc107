"""In which order lines are shown."""

from itertools import permutations

import pytest

from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need, needs_of, union, urgency


def _order(needs, *, minor=False):
    places = urgency(needs, minor=minor)
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


@pytest.mark.parametrize("outcome", [CrisisOutcome.ABUSE_NOW, CrisisOutcome.HARM_TO_OTHERS])
def test_against_violence_the_police_come_first_whatever_was_found_before(outcome):
    assert _order(union(needs_of(outcome), (Need.EMERGENCY, Need.LIFE)))[0] is Need.POLICE


@pytest.mark.parametrize("outcome", [CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED, CrisisOutcome.THIRD_PARTY_NOW])
def test_for_a_body_in_danger_the_ambulance_does(outcome):
    assert _order(union(needs_of(outcome), (Need.POLICE,)))[0] is Need.EMERGENCY
