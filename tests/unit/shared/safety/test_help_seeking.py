"""The order of the steps and of the questions after the protocol."""

from datetime import UTC, datetime

import pytest

from shared.locale import Locale
from shared.safety.follow_through import Risk
from shared.safety.help_seeking import (
    Barrier,
    Circumstance,
    HelpSeeking,
    Inquiry,
    Step,
    inquiry_due,
    is_night,
    next_step,
)
from shared.safety.levels import CrisisOutcome, RiskLevel

IN_CARE, ALONE, FAMILY = Circumstance.IN_CARE, Circumstance.ALONE, Circumstance.WITH_FAMILY


def risk(outcome=CrisisOutcome.CRISIS, **more):
    return Risk(level=RiskLevel.CRISIS, outcome=outcome, found=(outcome,), since_seq=4, **more)


@pytest.mark.parametrize(
    ("known", "night", "hurt", "step"),
    [
        ((ALONE, IN_CARE), False, False, Step.IN_CARE),
        ((IN_CARE,), True, False, Step.IN_CARE_AT_NIGHT),
        ((FAMILY,), True, False, Step.WITH_FAMILY),
        ((FAMILY,), False, True, None),
        ((ALONE,), True, False, Step.ALONE),
        ((), True, False, Step.AT_NIGHT),
        ((), False, False, None),
    ],
)
def test_the_step_is_care_that_exists_then_who_is_near_but_no_family_that_may_hurt(known, night, hurt, step):
    assert next_step(known, night=night, hurt_at_home=hurt) is step


def test_family_near_replaces_being_alone_and_care_stays():
    known = HelpSeeking().told((ALONE, IN_CARE)).told((FAMILY, Circumstance.NIGHT))
    assert known.circumstances == (IN_CARE, FAMILY)


@pytest.mark.parametrize(("hour", "night"), [(11, False), (12, True), (22, True), (23, False)])
def test_night_is_that_of_korea_and_unknown_in_english(hour, night):
    now = datetime(2026, 11, 1, hour, 30, tzinfo=UTC)
    assert (is_night(now, Locale.KO), is_night(now, Locale.EN)) == (night, False)


class TestTheQuestionThatIsDue:
    def test_is_the_plan_then_the_means_then_after_some_turns_the_barrier_once(self):
        known = HelpSeeking()
        assert inquiry_due(known, risk(), declined=False) is Inquiry.PLAN
        known = known.after_asking((Inquiry.PLAN,), 5, None)
        assert inquiry_due(known, risk(turns_since=1), declined=False) is Inquiry.MEANS
        known = known.after_asking((Inquiry.MEANS,), 6, None)
        assert inquiry_due(known, risk(turns_since=1), declined=False) is None
        assert inquiry_due(known, risk(turns_since=2), declined=False) is Inquiry.BARRIER
        known = known.after_asking((Inquiry.BARRIER,), 7, None)
        assert inquiry_due(known, risk(turns_since=3), declined=False) is None

    def test_is_not_the_plan_where_the_act_is_under_way_or_done(self):
        for outcome in (CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED):
            assert inquiry_due(HelpSeeking(), risk(outcome), declined=False) is Inquiry.MEANS

    def test_is_asked_again_in_a_danger_that_was_raised_later(self):
        known = HelpSeeking(asked={Inquiry.PLAN: 1, Inquiry.MEANS: 2})
        assert inquiry_due(known, risk(), declined=False) is Inquiry.PLAN

    def test_is_the_barrier_at_once_where_help_is_refused_but_not_of_one_who_named_it_or_took_up_help(self):
        assert inquiry_due(HelpSeeking(), risk(), declined=True) is Inquiry.BARRIER
        asked = {Inquiry.PLAN: 5, Inquiry.MEANS: 5}
        for known in (HelpSeeking(asked=asked, barriers=(Barrier.MONEY,)), HelpSeeking(asked=asked, taken_up=6)):
            assert inquiry_due(known, risk(turns_since=5), declined=True) is None

    def test_is_none_without_a_follow_through_and_in_a_danger_to_others(self):
        assert inquiry_due(HelpSeeking(), Risk(), declined=True) is None
        assert inquiry_due(HelpSeeking(), risk(CrisisOutcome.HARM_TO_OTHERS), declined=True) is None
        assert inquiry_due(HelpSeeking(), risk(CrisisOutcome.ABUSE_NOW), declined=True) is None
