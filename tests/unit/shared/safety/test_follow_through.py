"""Behaviour of the risk state between turns."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.safety.abuse import AbuseKind
from shared.safety.crisis import Finding
from shared.safety.follow_through import (
    ATTENDED_TURNS,
    Risk,
    asked,
    escalate,
    needs_now,
    observe_turn,
    resources_due,
    reviewed,
)
from shared.safety.levels import CrisisOutcome, RiskLevel, risk_level
from shared.safety.needs import Need, needs_of
from shared.safety.reassurance import Reassurance

_CRISIS = Finding(outcome=CrisisOutcome.CRISIS, rule_ids=("ko-want-to-die",))
_CONCERN = Finding(outcome=CrisisOutcome.CONCERN)
IMMINENT = CrisisOutcome.IMMINENT
SAFE = (Reassurance.OUT_OF_DANGER,)
COMFORT = (Reassurance.SUPPORT,)


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
    once = observe_turn(escalate(Risk(), _CRISIS, 1), SAFE)
    assert once.follow_through
    assert observe_turn(once, SAFE) == Risk()


def test_company_and_calm_never_suffice_alone_and_one_plain_word_among_them_does():
    risk = escalate(Risk(), _CRISIS, 1)
    for _ in range(4):
        risk = observe_turn(risk, COMFORT)
    assert risk.follow_through
    assert observe_turn(risk, (Reassurance.NO_INTENT,)) == Risk()


def heard(risk, said):
    for word in said:
        risk = observe_turn(risk, (Reassurance(word),))
    return risk


def test_what_lets_one_out_depends_on_the_danger():
    counts = {
        (CrisisOutcome.CRISIS,): {"out_of_danger", "no_intent"},
        (CrisisOutcome.IMMINENT,): {"out_of_danger", "no_intent"},
        (CrisisOutcome.ATTEMPTED,): set(),
        (CrisisOutcome.HARM_TO_OTHERS,): {"out_of_danger", "no_harm"},
        (CrisisOutcome.ABUSE_NOW, AbuseKind.DOMESTIC): {"out_of_danger"},
        (CrisisOutcome.ABUSE_NOW, AbuseKind.STALKING): {"out_of_danger"},
    }
    out = {}
    for outcome, *kinds in counts:
        risk = escalate(Risk(), Finding(outcome=outcome), 1, kinds=tuple(kinds))
        out[outcome, *kinds] = {said.value for said in Reassurance if heard(risk, (said, said)).level == 0}
    assert out == counts


def test_a_lesser_outcome_among_the_findings_is_not_forgotten():
    risk = escalate(escalate(Risk(), Finding(outcome=CrisisOutcome.ABUSE_NOW), 1), Finding(outcome=IMMINENT), 1)
    for _ in range(3):
        risk = observe_turn(risk, (Reassurance.NO_INTENT, Reassurance.SUPPORT))
    assert risk.follow_through


_OWN, _OTHERS, _VIOLENCE = CrisisOutcome.CRISIS, CrisisOutcome.HARM_TO_OTHERS, CrisisOutcome.ABUSE_NOW


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(
    ("found", "over"),
    [
        (
            (_OWN, _OTHERS),
            {
                ("no_harm", "no_harm"): False,
                ("no_intent", "no_intent"): False,
                ("out_of_danger", "out_of_danger"): False,
                ("no_harm", "no_intent"): True,
            },
        ),
        (
            (_OWN, _VIOLENCE),
            {
                ("out_of_danger", "out_of_danger"): False,
                ("out_of_danger", "no_intent"): True,
                ("no_intent", "support"): False,
            },
        ),
        (
            (_OWN, _OTHERS, _VIOLENCE),
            {("no_harm", "no_intent"): False, ("no_harm", "no_intent", "out_of_danger"): True},
        ),
    ],
    ids=["own_and_others", "own_and_violence", "all"],
)
def test_who_is_in_several_dangers_must_answer_each(found, over, together):
    if together:
        worst = max(found, key=lambda outcome: outcome.severity)
        risk = escalate(Risk(), Finding(outcome=worst, outcomes=frozenset(found)), 1)
    else:
        risk = Risk()
        for seq, outcome in enumerate(found, start=1):
            risk = escalate(risk, Finding(outcome=outcome), seq)
    assert {said: heard(risk, said) == Risk() for said in over} == over


def test_an_attempt_is_over_when_somebody_sees_to_the_body_and_the_wish_is_gone():
    risk = escalate(Risk(), Finding(outcome=CrisisOutcome.ATTEMPTED), 1)
    over = {
        ("no_intent", "no_intent", "out_of_danger"): False,
        ("cared_for", "cared_for"): False,
        ("cared_for", "support", "support"): False,
        ("cared_for", "no_intent"): True,
        ("out_of_danger", "cared_for"): True,
    }
    assert {said: heard(risk, said) == Risk() for said in over} == over


def test_company_is_a_word_of_safety_after_an_attempt_as_well():
    risk = escalate(Risk(), Finding(outcome=CrisisOutcome.ATTEMPTED), 1)
    once = observe_turn(risk, (Reassurance.CARED_FOR, Reassurance.NO_INTENT))
    assert once.follow_through
    assert observe_turn(once, COMFORT) == Risk()


def test_one_message_may_answer_two_dangers_and_a_second_is_needed_all_the_same():
    risk = escalate(Risk(), Finding(outcome=_OTHERS, outcomes=frozenset({_OWN, _OTHERS})), 1)
    both = (Reassurance.NO_HARM, Reassurance.NO_INTENT)
    once = observe_turn(risk, both)
    assert once.follow_through
    assert observe_turn(once, both) == Risk()


def test_everything_that_a_message_holds_is_found_the_most_pressing_first_and_calls_for_its_own_help():
    held = frozenset({CrisisOutcome.THIRD_PARTY_NOW, CrisisOutcome.CRISIS, CrisisOutcome.CONCERN})
    risk = escalate(Risk(), Finding(outcome=CrisisOutcome.CRISIS, outcomes=held), 1)
    assert risk.found == (CrisisOutcome.CRISIS, CrisisOutcome.THIRD_PARTY_NOW, CrisisOutcome.CONCERN)
    assert needs_now(risk) == (Need.LIFE, Need.EMERGENCY)


def test_a_question_stays_asked_whatever_becomes_of_the_risk():
    risk = asked(escalate(Risk(), _CONCERN, 3), 3)
    assert asked(risk, 2).asked_seq == 3
    assert reviewed(risk, 3) == Risk(asked_seq=3)
    assert escalate(risk, _CRISIS, 4).asked_seq == 3


def test_company_is_no_comfort_to_who_is_hurt_at_home():
    risk = escalate(Risk(), _CRISIS, 1, kinds=(AbuseKind.CHILD,))
    assert observe_turn(observe_turn(risk, COMFORT), SAFE).follow_through
    assert not observe_turn(observe_turn(risk, SAFE), SAFE).follow_through


@pytest.mark.parametrize("kind", AbuseKind)
def test_who_hurts_the_user_is_remembered_when_the_risk_is_over_and_though_it_is_long_past(kind):
    told = escalate(Risk(), Finding(outcome=CrisisOutcome.ABUSE_TOLD), 1, kinds=(kind,))
    assert (told.level, told.hurt_by) == (RiskLevel.NONE, (kind,))
    over = observe_turn(observe_turn(escalate(told, _CRISIS, 2), SAFE), SAFE)
    assert over == reviewed(escalate(told, _CRISIS, 2), 2) == told
    assert told.hurt_at_home == (kind in {"domestic", "child", "elder", "sexual"})


def test_a_new_crisis_takes_back_what_was_said_about_being_safe():
    once = observe_turn(escalate(Risk(), _CRISIS, 1), SAFE)
    again = escalate(once, _CRISIS, 3)
    assert observe_turn(again, SAFE).follow_through


def test_a_denial_inside_the_follow_through_changes_nothing():
    once = observe_turn(escalate(Risk(), _CRISIS, 1), SAFE)
    after = escalate(once, _CONCERN, 3)
    assert after == once.model_copy(update={"found": (CrisisOutcome.CRISIS, CrisisOutcome.CONCERN)})


def test_resources_come_every_third_turn_until_the_follow_through_is_left():
    risk = escalate(Risk(), _CRISIS, 1)
    due = []
    for _ in range(7):
        risk = observe_turn(risk)
        due.append(resources_due(risk))
    assert due == [False, False, True, False, False, True, False]
    assert not resources_due(Risk())


def test_without_risk_a_turn_changes_nothing():
    assert observe_turn(Risk(), SAFE) == Risk()


def test_rule_and_model_together_are_never_less_than_either():
    risks = {
        (first, second): escalate(escalate(Risk(), Finding(outcome=first), 1), Finding(outcome=second), 1)
        for first, second in product(CrisisOutcome, CrisisOutcome)
    }
    assert {both: risk.level for both, risk in risks.items() if risk.level is not max(map(risk_level, both))} == {}
    assert {
        both: risk.needs
        for both, risk in risks.items()
        for one in both
        if risk_level(one) is not RiskLevel.NONE and not set(needs_of(one)) <= set(risk.needs)
    } == {}


def test_resources_of_several_findings_add_up():
    risk = escalate(escalate(Risk(), _CRISIS, 1), Finding(outcome=CrisisOutcome.ABUSE), 2, (Need.VIOLENCE,))
    assert needs_now(risk) == (Need.LIFE, Need.POLICE, Need.VIOLENCE)
    assert (risk.level, risk.last_seq) == (RiskLevel.CRISIS, 1), "what is less does not begin the crisis anew"


def test_without_a_finding_whoever_asks_gets_somebody_to_talk_to():
    assert needs_now(Risk()) == (Need.LIFE,)


@pytest.mark.parametrize("outcome", [CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW, CrisisOutcome.ABUSE])
def test_a_helper_and_lasting_violence_are_attended_to_for_some_turns_and_hold_nothing_up(outcome):
    risk = escalate(Risk(), Finding(outcome=outcome), 1)
    attended, due = [], []
    for _ in range(ATTENDED_TURNS + 2):
        risk = observe_turn(risk)
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
