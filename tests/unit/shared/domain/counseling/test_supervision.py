import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.content.catalogue import content
from shared.domain.counseling.supervision import Criterion, HardFail, judge

SCORES = st.fixed_dictionaries({criterion: st.integers(1, 10) for criterion in Criterion})
FAILS = st.sets(st.sampled_from(HardFail)).map(lambda found: tuple(sorted(found)))


class TestTheTotal:
    @given(SCORES, FAILS, st.sampled_from(Criterion))
    def test_is_the_mean_to_one_decimal_below_the_lowest_cap(self, scores, fails, criterion):
        total = judge(scores, fails).total
        mean = sum(scores.values()) / 8
        assert 1 <= total <= 10
        assert total == pytest.approx(round(total, 1))
        if mean + 0.05 <= min([10.0, *(fail.cap for fail in fails)]):
            assert abs(total - mean) <= 0.05 + 1e-9
        assert all(total <= fail.cap for fail in fails)
        better = {**scores, criterion: min(10, scores[criterion] + 1)}
        assert judge(better, fails).total >= total, "a better score never lowers it"

    def test_needs_improvement_below_seven_and_requires_every_criterion(self):
        sevens = dict.fromkeys(Criterion, 7)
        assert not judge(sevens).needs_improvement
        assert judge({**sevens, Criterion.EMPATHY: 6}).needs_improvement
        with pytest.raises(ValueError, match="eight"):
            judge({Criterion.EMPATHY: 7})

    def test_has_the_rubrics_criteria_and_caps(self):
        rubric = content().rubric
        assert set(rubric.criteria) == {criterion.value for criterion in Criterion}
        assert [cap.score for cap in rubric.caps] == [fail.cap for fail in HardFail]
