"""The supervision's total."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.content.catalogue import content
from shared.domain.counseling.supervision import Criterion, HardFail, judge

SCORES = st.fixed_dictionaries({criterion: st.integers(1, 10) for criterion in Criterion})
FAILS = st.sets(st.sampled_from(HardFail)).map(lambda found: tuple(sorted(found)))


@given(SCORES, FAILS)
def test_the_total_is_the_mean_to_one_decimal_under_the_lowest_cap(scores: dict, fails: tuple) -> None:
    total = judge(scores, fails).total
    mean = sum(scores.values()) / 8
    assert 1 <= total <= 10
    assert total == pytest.approx(round(total, 1))
    if mean + 0.05 <= min([10.0, *(fail.cap for fail in fails)]):
        assert abs(total - mean) <= 0.05 + 1e-9
    assert all(total <= fail.cap for fail in fails)


@given(SCORES, FAILS, st.sampled_from(Criterion))
def test_a_better_score_never_lowers_the_total(scores: dict, fails: tuple, criterion: Criterion) -> None:
    better = {**scores, criterion: min(10, scores[criterion] + 1)}
    assert judge(better, fails).total >= judge(scores, fails).total


def test_a_hard_fail_caps_the_total() -> None:
    cases = [((), 9.0), ((HardFail.VIOLATION,), 5.0), ((HardFail.RED_ITEM,), 2.0), (tuple(HardFail), 2.0)]
    assert {
        fails: got for fails, total in cases if (got := judge(dict.fromkeys(Criterion, 9), fails).total) != total
    } == {}


def test_less_than_seven_needs_improvement() -> None:
    sevens = dict.fromkeys(Criterion, 7)
    assert not judge(sevens).needs_improvement
    assert judge({**sevens, Criterion.EMPATHY: 6}).needs_improvement


def test_a_missing_criterion_is_no_supervision() -> None:
    with pytest.raises(ValueError, match="eight"):
        judge({Criterion.EMPATHY: 7})


def test_criteria_and_caps_are_the_rubrics() -> None:
    rubric = content().rubric
    assert set(rubric.criteria) == {criterion.value for criterion in Criterion}
    assert [cap.score for cap in rubric.caps] == [fail.cap for fail in HardFail]
