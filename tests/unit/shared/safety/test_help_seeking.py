"""The order of the steps and of the questions after the protocol."""

from datetime import UTC, datetime

import pytest

from shared.locale import Locale
from shared.safety.follow_through import Risk
from shared.safety.help_seeking import Barrier, Circumstance, HelpSeeking, Inquiry, Step, inquiry_due
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.next_step import Hours, Surroundings, clinic_hours, next_step
from shared.safety.protocol_questions import Topic

IN_CARE, ALONE, FAMILY = Circumstance.IN_CARE, Circumstance.ALONE, Circumstance.WITH_FAMILY
LIVES_WITH, LIVES_ALONE = Circumstance.LIVES_WITH_FAMILY, Circumstance.LIVES_ALONE
UNSAFE = Circumstance.UNSAFE_HOME
STUDENT, AT_SCHOOL, SOLDIER = Circumstance.STUDENT, Circumstance.AT_SCHOOL, Circumstance.SOLDIER
RESIDENCE, FEARS_HOME = Circumstance.IN_RESIDENCE, Circumstance.FEARS_HOME
OPEN, CLOSED, NIGHT = Hours


def risk(outcome=CrisisOutcome.CRISIS, **more):
    return Risk(level=RiskLevel.CRISIS, outcome=outcome, found=(outcome,), since_seq=4, **more)


@pytest.mark.parametrize(
    ("known", "around", "step"),
    [
        ((ALONE, IN_CARE), {}, Step.IN_CARE),
        ((IN_CARE,), {"hours": CLOSED}, Step.IN_CARE_CLOSED),
        ((IN_CARE,), {"hours": NIGHT}, Step.IN_CARE_AT_NIGHT),
        ((FAMILY, LIVES_WITH), {"hours": NIGHT}, Step.WITH_FAMILY),
        ((FAMILY,), {"hurt_at_home": True}, None),
        ((LIVES_WITH,), {"hurt_at_home": True}, None),
        ((FAMILY, FEARS_HOME), {}, Step.UNSAFE_HOME),
        ((LIVES_WITH,), {}, Step.LIVES_WITH_FAMILY),
        ((FAMILY,), {"away": True}, Step.LIVES_WITH_FAMILY),
        ((ALONE, LIVES_WITH), {"hours": NIGHT}, Step.ALONE),
        ((LIVES_ALONE,), {}, Step.LIVES_ALONE),
        ((LIVES_WITH, UNSAFE), {}, Step.UNSAFE_HOME),
        ((LIVES_WITH, FEARS_HOME), {}, Step.UNSAFE_HOME),
        ((UNSAFE,), {"hours": NIGHT, "hurt_at_home": True}, Step.UNSAFE_HOME),
        ((UNSAFE, ALONE), {"hurt_at_home": True}, Step.ALONE),
        ((UNSAFE, LIVES_ALONE), {"hurt_at_home": True}, Step.LIVES_ALONE),
        ((FAMILY,), {"harming": True}, None),
        ((SOLDIER, ALONE, LIVES_WITH), {}, Step.SOLDIER),
        ((RESIDENCE, ALONE), {}, Step.IN_RESIDENCE),
        ((), {"hours": CLOSED}, Step.WHEN_CLOSED),
        ((), {"hours": NIGHT}, Step.AT_NIGHT),
        ((), {}, None),
    ],
)
def test_the_step_is_care_that_exists_then_who_is_near_but_no_family_that_may_hurt(known, around, step):
    assert next_step(known, Surroundings(**around)) is step


@pytest.mark.parametrize(
    ("known", "around", "step"),
    [
        ((), {}, Step.MINOR),
        ((), {"hours": NIGHT}, Step.MINOR),
        ((AT_SCHOOL, LIVES_WITH), {}, Step.STUDENT),
        ((AT_SCHOOL,), {"hours": CLOSED}, Step.STUDENT_CLOSED),
        ((AT_SCHOOL, LIVES_WITH), {"hours": NIGHT}, Step.LIVES_WITH_FAMILY),
        ((AT_SCHOOL, LIVES_WITH, FEARS_HOME), {"hours": NIGHT}, Step.STUDENT_CLOSED),
        ((FAMILY,), {"hurt_at_home": True}, Step.MINOR),
        ((FAMILY,), {}, Step.WITH_FAMILY),
        ((ALONE, AT_SCHOOL), {}, Step.MINOR_ALONE),
    ],
)
def test_a_minor_is_led_to_adults_at_school_and_to_the_youth_line_never_to_a_home_they_fear(known, around, step):
    assert next_step(known, Surroundings(minor=True, **around)) is step


def test_school_means_a_school_for_minors_only_of_one_who_is_a_minor_or_names_their_year():
    assert next_step((AT_SCHOOL,), Surroundings()) is None
    assert next_step((STUDENT,), Surroundings()) is Step.STUDENT


def test_family_near_replaces_being_alone_and_care_and_living_together_stay():
    known = HelpSeeking().told((ALONE, IN_CARE, LIVES_WITH)).told((FAMILY, Circumstance.NIGHT))
    assert known.circumstances == (IN_CARE, LIVES_WITH, FAMILY)
    assert known.told((LIVES_ALONE,)).circumstances == (IN_CARE, FAMILY, LIVES_ALONE)
    assert known.told((RESIDENCE,)).circumstances == (IN_CARE, FAMILY, RESIDENCE)


@pytest.mark.parametrize(
    ("day", "hour", "minute", "hours"),
    [
        (2, 0, 0, OPEN),
        (2, 8, 59, OPEN),
        (2, 9, 0, CLOSED),
        (2, 12, 0, NIGHT),
        (2, 22, 59, NIGHT),
        (2, 23, 0, CLOSED),
        (7, 3, 59, OPEN),
        (7, 4, 0, CLOSED),
        (8, 3, 0, CLOSED),
        (8, 12, 0, NIGHT),
    ],
)
def test_clinics_are_open_on_weekdays_and_on_saturday_mornings_in_korea_and_unknown_in_english(
    day, hour, minute, hours
):
    now = datetime(2026, 11, day, hour, minute, tzinfo=UTC)
    assert (clinic_hours(now, Locale.KO), clinic_hours(now, Locale.EN)) == (hours, OPEN)


class TestTheQuestionThatIsDue:
    def test_is_the_plan_the_means_after_some_turns_the_barrier_and_then_whether_they_are_safe(self):
        known = HelpSeeking()
        assert inquiry_due(known, risk(), declined=False) is Inquiry.PLAN
        known = known.after_asking((Inquiry.PLAN,), 5, None)
        assert inquiry_due(known, risk(turns_since=1), declined=False) is Inquiry.MEANS
        known = known.after_asking((Inquiry.MEANS,), 6, None)
        assert inquiry_due(known, risk(turns_since=1), declined=False) is None
        assert inquiry_due(known, risk(turns_since=2), declined=False) is Inquiry.BARRIER
        known = known.after_asking((Inquiry.BARRIER,), 7, None)
        assert inquiry_due(known, risk(turns_since=3), declined=False) is None
        due = [inquiry_due(known, risk(last_seq=4, turns_since=turns), declined=False) for turns in range(5, 10)]
        assert due == [None, Inquiry.SAFE, None, None, Inquiry.SAFE]

    def test_is_not_the_plan_where_the_act_is_under_way_or_done(self):
        for outcome in (CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED):
            assert inquiry_due(HelpSeeking(), risk(outcome), declined=False) is Inquiry.MEANS

    def test_is_neither_the_means_nor_unasked_the_barrier_where_the_act_is_done(self):
        near, found = risk(CrisisOutcome.IMMINENT), (CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED)
        done = [near.model_copy(update={"found": found, "last_seq": 4, "turns_since": turns}) for turns in range(3)]
        assert [inquiry_due(HelpSeeking(), one, declined=False) for one in done] == [None] * 3
        refusing = [inquiry_due(HelpSeeking(), one, declined=True) for one in done]
        assert refusing == [None, None, Inquiry.BARRIER]

    def test_is_the_barrier_not_just_after_an_act_at_hand(self):
        known = HelpSeeking(told_in={Topic.MEANS: 4})
        near = [risk(CrisisOutcome.IMMINENT, turns_since=turns) for turns in range(4)]
        assert [inquiry_due(known, one, declined=False) for one in near] == [None, None, None, Inquiry.BARRIER]

    @pytest.mark.parametrize(
        ("told", "due"), [(Topic.PLAN, Inquiry.MEANS), (Topic.MEANS, Inquiry.PLAN), (Topic.PLACE, Inquiry.PLAN)]
    )
    def test_is_not_what_the_user_has_told_since_the_danger_was_raised(self, told, due):
        assert inquiry_due(HelpSeeking().after_telling((told,), 4), risk(), declined=False) is due
        assert inquiry_due(HelpSeeking().after_telling((told,), 3), risk(), declined=False) is Inquiry.PLAN

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
