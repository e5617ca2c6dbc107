"""Behaviour of the risk state between turns."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.safety.detector import Finding
from shared.domain.safety.follow_through import (
    ATTENDED_TURNS,
    Risk,
    escalate,
    needs_now,
    observe_turn,
    resources_due,
    reviewed,
)
from shared.domain.safety.levels import CrisisOutcome, RiskLevel, risk_level
from shared.domain.safety.needs import Need, needs_of

_CRISIS = Finding(outcome=CrisisOutcome.CRISIS, rule_ids=("ko-want-to-die",))
_CONCERN = Finding(outcome=CrisisOutcome.CONCERN)


@given(st.lists(st.sampled_from(CrisisOutcome), max_size=12))
def test_a_finding_never_lowers_the_risk(outcomes):
    risk = Risk()
    for seq, outcome in enumerate(outcomes, start=1):
        raised = escalate(risk, Finding(outcome=outcome), seq)
        assert raised.level >= risk.level
        assert raised.outcome.severity >= risk.outcome.severity
        risk = raised


def test_the_first_finding_opens_the_follow_through_and_keeps_its_turn():
    risk = escalate(escalate(Risk(), _CRISIS, 4), Finding(outcome=CrisisOutcome.IMMINENT), 6)
    assert (risk.level, risk.since_seq, risk.last_seq) == (RiskLevel.IMMINENT, 4, 6)


def test_a_concern_opens_no_follow_through():
    assert not escalate(Risk(), _CONCERN, 1).follow_through


def test_one_safe_statement_is_not_enough_and_two_are():
    once = observe_turn(escalate(Risk(), _CRISIS, 1), said_safe=True)
    assert once.follow_through
    assert observe_turn(once, said_safe=True) == Risk()


def test_a_new_crisis_takes_back_what_was_said_about_being_safe():
    once = observe_turn(escalate(Risk(), _CRISIS, 1), said_safe=True)
    again = escalate(once, _CRISIS, 3)
    assert observe_turn(again, said_safe=True).follow_through


def test_a_denial_inside_the_follow_through_changes_nothing():
    once = observe_turn(escalate(Risk(), _CRISIS, 1), said_safe=True)
    assert escalate(once, _CONCERN, 3) == once


def test_resources_come_every_third_turn_until_the_follow_through_is_left():
    risk = escalate(Risk(), _CRISIS, 1)
    due = []
    for _ in range(7):
        risk = observe_turn(risk, said_safe=False)
        due.append(resources_due(risk))
    assert due == [False, False, True, False, False, True, False]
    assert not resources_due(Risk())


def test_without_risk_a_turn_changes_nothing():
    assert observe_turn(Risk(), said_safe=True) == Risk()


@pytest.mark.parametrize(("by_rule", "by_model"), list(product(CrisisOutcome, CrisisOutcome)))
def test_rule_and_model_together_are_never_less_than_the_rule(by_rule, by_model):
    for first, second in ((by_rule, by_model), (by_model, by_rule)):
        risk = escalate(escalate(Risk(), Finding(outcome=first), 1), Finding(outcome=second), 1)
        assert risk.level >= risk_level(by_rule)
        assert risk.level is max(risk_level(by_rule), risk_level(by_model))
        if risk_level(by_rule) is not RiskLevel.NONE:
            assert set(needs_of(by_rule)) <= set(risk.needs)


def test_resources_of_several_findings_add_up():
    risk = escalate(escalate(Risk(), _CRISIS, 1), Finding(outcome=CrisisOutcome.ABUSE), 2, (Need.VIOLENCE,))
    assert needs_now(risk) == (Need.LIFE, Need.POLICE, Need.VIOLENCE)
    assert (risk.level, risk.last_seq) == (RiskLevel.CRISIS, 1), "what is less does not begin the crisis anew"


def test_without_a_finding_whoever_asks_gets_somebody_to_talk_to():
    assert needs_now(Risk()) == (Need.LIFE,)


@pytest.mark.parametrize("outcome", [CrisisOutcome.THIRD_PARTY, CrisisOutcome.ABUSE])
def test_a_helper_and_lasting_violence_are_attended_to_for_some_turns_and_hold_nothing_up(outcome):
    risk = escalate(Risk(), Finding(outcome=outcome), 1)
    attended, due = [], []
    for _ in range(ATTENDED_TURNS + 2):
        risk = observe_turn(risk, said_safe=False)
        attended.append(risk.attended)
        due.append(resources_due(risk))
    assert not risk.follow_through
    assert attended == [True, True, True, False, False]
    assert due == [False, False, True, False, False]


def test_a_review_ends_what_it_saw_and_nothing_newer():
    risk = escalate(escalate(Risk(), _CRISIS, 4), _CRISIS, 6)
    assert reviewed(risk, 6) == reviewed(risk, 9) == Risk()
    assert reviewed(risk, 5) == risk
    assert reviewed(Risk(), 5) == Risk()
