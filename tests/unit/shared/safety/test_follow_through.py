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

CRISIS, IMMINENT, CONCERN = CrisisOutcome.CRISIS, CrisisOutcome.IMMINENT, CrisisOutcome.CONCERN
OTHERS, VIOLENCE = CrisisOutcome.HARM_TO_OTHERS, CrisisOutcome.ABUSE_NOW


def found(outcome, *, seq=1, before=None, together=(), kinds=()):
    finding = Finding(outcome=outcome, outcomes=frozenset(together))
    return escalate(before or Risk(), finding, seq, kinds=kinds)


def heard(risk, *turns):
    """Let words of safety be heard, turn by turn; `a+b` are said in one turn."""
    for words in turns:
        risk = observe_turn(risk, tuple(Reassurance(word) for word in words.split("+")))
    return risk


def over(risk, cases):
    return {said: heard(risk, *said) == Risk() for said in cases}


@given(st.lists(st.sampled_from(CrisisOutcome), max_size=12))
def test_a_finding_never_lowers_the_risk(outcomes):
    risk = Risk()
    for seq, outcome in enumerate(outcomes, start=1):
        raised = found(outcome, seq=seq, before=risk)
        assert raised.level >= risk.level
        assert raised.outcome.severity >= risk.outcome.severity
        risk = raised


def test_the_first_finding_of_a_crisis_opens_the_follow_through_and_keeps_its_turn():
    risk = found(IMMINENT, seq=6, before=found(CRISIS, seq=4))
    assert (risk.level, risk.since_seq, risk.last_seq) == (RiskLevel.IMMINENT, 4, 6)
    assert not found(CONCERN).follow_through


def test_two_words_of_safety_let_one_out_and_company_is_one_only_beside_a_plain_word():
    risk = found(CRISIS)
    cases = {("out_of_danger",): False, ("out_of_danger", "out_of_danger"): True, ("support",) * 4: False}
    cases |= {(*("support",) * 4, "no_intent"): True}
    assert over(risk, cases) == cases
    assert heard(risk, "out_of_danger").follow_through
    assert heard(risk, *("support",) * 4).follow_through
    assert heard(Risk(), "out_of_danger") == Risk(), "without risk a turn changes nothing"


def test_what_lets_one_out_depends_on_the_danger():
    counts = {
        (CRISIS,): {"out_of_danger", "no_intent"},
        (IMMINENT,): {"out_of_danger", "no_intent"},
        (CrisisOutcome.ATTEMPTED,): set(),
        (OTHERS,): {"out_of_danger", "no_harm"},
        (VIOLENCE, AbuseKind.DOMESTIC): {"out_of_danger"},
        (VIOLENCE, AbuseKind.STALKING): {"out_of_danger"},
    }
    risks = {(outcome, *kinds): found(outcome, kinds=tuple(kinds)) for outcome, *kinds in counts}
    assert counts == {
        of: {said.value for said in Reassurance if heard(risk, said, said).level == 0} for of, risk in risks.items()
    }


def test_a_lesser_outcome_among_the_findings_is_not_forgotten():
    risk = found(IMMINENT, before=found(VIOLENCE))
    assert heard(risk, *("no_intent+support",) * 3).follow_through


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(
    ("outcomes", "cases"),
    [
        (
            (CRISIS, OTHERS),
            {
                ("no_harm", "no_harm"): False,
                ("no_intent", "no_intent"): False,
                ("out_of_danger", "out_of_danger"): False,
                ("no_harm", "no_intent"): True,
                ("no_harm+no_intent",): False,
                ("no_harm+no_intent", "no_harm+no_intent"): True,
            },
        ),
        (
            (CRISIS, VIOLENCE),
            {
                ("out_of_danger", "out_of_danger"): False,
                ("out_of_danger", "no_intent"): True,
                ("no_intent", "support"): False,
            },
        ),
        (
            (CRISIS, OTHERS, VIOLENCE),
            {("no_harm", "no_intent"): False, ("no_harm", "no_intent", "out_of_danger"): True},
        ),
    ],
    ids=["own_and_others", "own_and_violence", "all"],
)
def test_who_is_in_several_dangers_must_answer_each(outcomes, cases, together):
    if together:
        risk = found(max(outcomes, key=lambda outcome: outcome.severity), together=outcomes)
    else:
        risk = Risk()
        for seq, outcome in enumerate(outcomes, start=1):
            risk = found(outcome, seq=seq, before=risk)
    assert over(risk, cases) == cases


def test_an_attempt_is_over_when_somebody_sees_to_the_body_and_the_wish_is_gone():
    cases = {
        ("no_intent", "no_intent", "out_of_danger"): False,
        ("cared_for", "cared_for"): False,
        ("cared_for", "support", "support"): False,
        ("cared_for", "no_intent"): True,
        ("out_of_danger", "cared_for"): True,
        ("cared_for+no_intent",): False,
        ("cared_for+no_intent", "support"): True,
    }
    assert over(found(CrisisOutcome.ATTEMPTED), cases) == cases


def test_everything_that_a_message_holds_is_found_the_most_pressing_first_and_calls_for_its_own_help():
    risk = found(CRISIS, together={CrisisOutcome.THIRD_PARTY_NOW, CRISIS, CONCERN})
    assert risk.found == (CRISIS, CrisisOutcome.THIRD_PARTY_NOW, CONCERN)
    assert needs_now(risk) == (Need.LIFE, Need.EMERGENCY)


def test_a_question_stays_asked_whatever_becomes_of_the_risk():
    risk = asked(found(CONCERN, seq=3), 3)
    assert asked(risk, 2).asked_seq == 3
    assert reviewed(risk, 3) == Risk(asked_seq=3)
    assert found(CRISIS, seq=4, before=risk).asked_seq == 3


def test_company_is_no_comfort_to_who_is_hurt_at_home():
    risk = found(CRISIS, kinds=(AbuseKind.CHILD,))
    assert heard(risk, "support", "out_of_danger").follow_through
    assert not heard(risk, "out_of_danger", "out_of_danger").follow_through


@pytest.mark.parametrize("kind", AbuseKind)
def test_who_hurts_the_user_is_remembered_when_the_risk_is_over_and_though_it_is_long_past(kind):
    told = found(CrisisOutcome.ABUSE_TOLD, kinds=(kind,))
    assert (told.level, told.hurt_by) == (RiskLevel.NONE, (kind,))
    crisis = found(CRISIS, seq=2, before=told)
    assert heard(crisis, "out_of_danger", "out_of_danger") == reviewed(crisis, 2) == told
    assert told.hurt_at_home == (kind in {"domestic", "child", "elder", "sexual"})


def test_a_new_crisis_takes_back_what_was_said_about_being_safe_and_a_denial_changes_nothing():
    once = heard(found(CRISIS), "out_of_danger")
    assert heard(found(CRISIS, seq=3, before=once), "out_of_danger").follow_through
    assert found(CONCERN, seq=3, before=once) == once.model_copy(update={"found": (CRISIS, CONCERN)})


def test_rule_and_model_together_are_never_less_than_either():
    risks = {(one, other): found(other, before=found(one)) for one, other in product(CrisisOutcome, CrisisOutcome)}
    assert {both: risk.level for both, risk in risks.items() if risk.level is not max(map(risk_level, both))} == {}
    assert {
        both: risk.needs
        for both, risk in risks.items()
        for one in both
        if risk_level(one) is not RiskLevel.NONE and not set(needs_of(one)) <= set(risk.needs)
    } == {}


def test_resources_of_several_findings_add_up_and_without_a_finding_there_is_somebody_to_talk_to():
    risk = escalate(found(CRISIS), Finding(outcome=CrisisOutcome.ABUSE), 2, (Need.VIOLENCE,))
    assert needs_now(risk) == (Need.LIFE, Need.POLICE, Need.VIOLENCE)
    assert (risk.level, risk.last_seq) == (RiskLevel.CRISIS, 1), "what is less does not begin the crisis anew"
    assert needs_now(Risk()) == (Need.LIFE,)


def observed(risk, turns):
    """Return after each turn whether the risk is attended to, and whether resources are due."""
    seen = []
    for _ in range(turns):
        risk = observe_turn(risk)
        seen.append((risk.attended, resources_due(risk)))
    return seen


def test_resources_come_every_third_turn_until_the_follow_through_is_left():
    due = [due for _, due in observed(found(CRISIS), 7)]
    assert due == [False, False, True, False, False, True, False]
    assert not resources_due(Risk())


@pytest.mark.parametrize("outcome", [CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW, CrisisOutcome.ABUSE])
def test_a_helper_and_lasting_violence_are_attended_to_for_some_turns_and_hold_nothing_up(outcome):
    risk = found(outcome)
    assert observed(risk, ATTENDED_TURNS + 2) == [(True, False), (True, False), (True, True), *[(False, False)] * 2]
    assert not risk.follow_through


def test_a_review_ends_what_it_saw_and_nothing_newer():
    risk = found(CRISIS, seq=6, before=found(CRISIS, seq=4))
    assert reviewed(risk, 6) == reviewed(risk, 9) == reviewed(Risk(), 5) == Risk()
    assert reviewed(risk, 5) == risk
