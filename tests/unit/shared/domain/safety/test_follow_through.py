"""Behaviour of the risk state between turns."""

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.safety.detector import Finding
from shared.domain.safety.follow_through import Risk, escalate, observe_turn, resources_due
from shared.domain.safety.levels import CrisisOutcome, RiskLevel

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
