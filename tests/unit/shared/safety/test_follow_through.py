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


def heard(risk, said):
    """Apply reassurances, the turns separated by blanks; `a+b` are in one turn."""
    for words in said.split():
        risk = observe_turn(risk, tuple(Reassurance(word) for word in words.split("+")))
    return risk


def ends(risk, cases):
    """Return the cases after which the risk is over."""
    return [said for said in cases if heard(risk, said).level is RiskLevel.NONE]


@given(st.lists(st.sampled_from(CrisisOutcome), max_size=12))
def test_a_finding_never_lowers_the_risk(outcomes):
    risk = Risk()
    for seq, outcome in enumerate(outcomes, start=1):
        raised = found(outcome, seq=seq, before=risk)
        assert raised.level >= risk.level
        assert raised.outcome.severity >= risk.outcome.severity
        risk = raised


def test_the_first_crisis_begins_the_follow_through_and_a_worse_one_keeps_its_turn():
    risk = found(IMMINENT, seq=6, before=found(CRISIS, seq=4))
    assert (risk.level, risk.since_seq, risk.last_seq) == (RiskLevel.IMMINENT, 4, 6)
    assert not found(CONCERN).follow_through


def test_two_reassurances_end_the_risk_and_company_counts_only_with_another_kind():
    risk, company = found(CRISIS), "support support support support"
    over = ["out_of_danger out_of_danger", f"{company} no_intent"]
    assert ends(risk, [*over, "out_of_danger", company]) == over
    assert heard(risk, "out_of_danger").follow_through
    assert heard(risk, company).follow_through
    assert heard(Risk(), "out_of_danger") == Risk(), "without risk a turn changes nothing"


def test_company_is_no_reassurance_for_a_user_who_fears_home():
    risk = observe_turn(found(CRISIS), (Reassurance.NO_INTENT,))
    assert observe_turn(risk, (Reassurance.SUPPORT,)) == Risk()
    assert observe_turn(risk, (Reassurance.SUPPORT,), fears_home=True).follow_through
    assert observe_turn(risk, (Reassurance.NO_INTENT,), fears_home=True) == Risk()


def test_each_danger_has_its_own_reassurances_that_end_it():
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
        of: {said.value for said in Reassurance if heard(risk, f"{said} {said}").level == 0}
        for of, risk in risks.items()
    }


def test_reassurance_about_one_danger_does_not_end_another():
    risk = found(IMMINENT, before=found(VIOLENCE))
    assert heard(risk, "no_intent+support " * 3).follow_through


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(
    ("outcomes", "over", "not_over"),
    [
        (
            (CRISIS, OTHERS),
            ["no_harm no_intent", "no_harm+no_intent no_harm+no_intent"],
            ["no_harm no_harm", "no_intent no_intent", "out_of_danger out_of_danger", "no_harm+no_intent"],
        ),
        ((CRISIS, VIOLENCE), ["out_of_danger no_intent"], ["out_of_danger out_of_danger", "no_intent support"]),
        ((CRISIS, OTHERS, VIOLENCE), ["no_harm no_intent out_of_danger"], ["no_harm no_intent"]),
    ],
    ids=["own_and_others", "own_and_violence", "all"],
)
def test_each_of_several_dangers_needs_its_own_reassurance(outcomes, over, not_over, together):
    if together:
        risk = found(max(outcomes, key=lambda outcome: outcome.severity), together=outcomes)
    else:
        risk = Risk()
        for seq, outcome in enumerate(outcomes, start=1):
            risk = found(outcome, seq=seq, before=risk)
    assert ends(risk, over + not_over) == over


def test_an_attempt_is_over_after_medical_care_and_a_denial_of_intent_or_danger():
    over = ["cared_for no_intent", "out_of_danger cared_for", "cared_for+no_intent support"]
    not_over = ["no_intent no_intent out_of_danger", "cared_for cared_for", "cared_for support support"]
    assert ends(found(CrisisOutcome.ATTEMPTED), [*over, *not_over, "cared_for+no_intent"]) == over


def test_all_outcomes_of_a_message_are_kept_by_severity_and_each_adds_its_help():
    risk = found(CRISIS, together={CrisisOutcome.THIRD_PARTY_NOW, CRISIS, CONCERN})
    assert risk.found == (CRISIS, CrisisOutcome.THIRD_PARTY_NOW, CONCERN)
    assert needs_now(risk) == (Need.LIFE, Need.EMERGENCY)


def test_the_turn_of_a_danger_question_is_kept_through_every_change_of_the_risk():
    risk = asked(found(CONCERN, seq=3), 3)
    assert asked(risk, 2).asked_seq == 3
    assert reviewed(risk, 3) == Risk(asked_seq=3)
    assert found(CRISIS, seq=4, before=risk).asked_seq == 3


def test_company_does_not_count_as_reassurance_for_a_user_hurt_at_home():
    risk = found(CRISIS, kinds=(AbuseKind.CHILD,))
    assert heard(risk, "support out_of_danger").follow_through
    assert not heard(risk, "out_of_danger out_of_danger").follow_through


@pytest.mark.parametrize("kind", AbuseKind)
def test_the_kind_of_abuse_is_kept_after_the_risk_is_over_and_for_past_abuse(kind):
    past = found(CrisisOutcome.ABUSE_TOLD, kinds=(kind,))
    assert (past.level, past.hurt_by) == (RiskLevel.NONE, (kind,))
    crisis = found(CRISIS, seq=2, before=past)
    assert heard(crisis, "out_of_danger out_of_danger") == reviewed(crisis, 2) == past
    assert past.hurt_at_home == (kind in {"domestic", "child", "elder", "sexual"})


def test_a_new_crisis_cancels_earlier_reassurance_and_a_concern_does_not():
    once = heard(found(CRISIS), "out_of_danger")
    assert heard(found(CRISIS, seq=3, before=once), "out_of_danger").follow_through
    assert found(CONCERN, seq=3, before=once) == once.model_copy(update={"found": (CRISIS, CONCERN)})


def test_two_findings_together_have_the_higher_level_and_the_needs_of_both():
    risks = {(one, other): found(other, before=found(one)) for one, other in product(CrisisOutcome, CrisisOutcome)}
    assert {both: risk.level for both, risk in risks.items() if risk.level is not max(map(risk_level, both))} == {}
    assert {
        both: risk.needs
        for both, risk in risks.items()
        for one in both
        if risk_level(one) is not RiskLevel.NONE and not set(needs_of(one)) <= set(risk.needs)
    } == {}


def test_needs_of_several_findings_add_up_and_without_a_finding_the_life_line_is_shown():
    risk = escalate(found(CRISIS), Finding(outcome=CrisisOutcome.ABUSE), 2, (Need.VIOLENCE,))
    assert needs_now(risk) == (Need.LIFE, Need.POLICE, Need.VIOLENCE)
    assert (risk.level, risk.last_seq) == (RiskLevel.CRISIS, 1), "a lesser finding does not restart the crisis"
    assert needs_now(Risk()) == (Need.LIFE,)


def observed(risk, turns):
    """Return after each turn whether the risk is attended to, and whether resources are due."""
    seen = []
    for _ in range(turns):
        risk = observe_turn(risk)
        seen.append((risk.attended, resources_due(risk)))
    return seen


def test_resources_are_due_every_third_turn_of_the_follow_through():
    due = [due for _, due in observed(found(CRISIS), 7)]
    assert due == [False, False, True, False, False, True, False]
    assert not resources_due(Risk())


@pytest.mark.parametrize("outcome", [CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW, CrisisOutcome.ABUSE])
def test_third_party_danger_and_lasting_abuse_are_attended_for_some_turns_without_follow_through(outcome):
    risk = found(outcome)
    assert observed(risk, ATTENDED_TURNS + 2) == [(True, False), (True, False), (True, True), *[(False, False)] * 2]
    assert not risk.follow_through


def test_a_review_ends_only_the_risk_up_to_its_turn():
    risk = found(CRISIS, seq=6, before=found(CRISIS, seq=4))
    assert reviewed(risk, 6) == reviewed(risk, 9) == reviewed(Risk(), 5) == Risk()
    assert reviewed(risk, 5) == risk
