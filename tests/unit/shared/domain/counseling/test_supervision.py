import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.content.catalogue import content
from shared.domain.counseling.background_events import Supervised
from shared.domain.counseling.supervision import Criterion, HardFail, judge
from shared.domain.counseling.task_remarks import FRESH, TaskRemarks, task_remarks
from tests.builders.sessions import NOW, session

SCORES = st.fixed_dictionaries({criterion: st.integers(1, 10) for criterion in Criterion})
FAILS = st.sets(st.sampled_from(HardFail)).map(lambda found: tuple(sorted(found)))
WANTED = ("하던 이야기를 마저 들으세요",)


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


class TestRemarksOnATask:
    def remarks(self, gist, *, seq=4):
        supervised = Supervised(seq=3, upto=3, gist={"improvements": list(WANTED), **gist})
        return task_remarks(supervised.apply(session(), NOW), seq)

    @pytest.mark.parametrize(
        ("gist", "improvements", "astray"),
        [
            ({"total": 7.0}, (), False),
            ({"total": 6.9}, WANTED, False),
            ({"total": 4.9}, WANTED, True),
            ({"total": 9.0, "scores": {"task_adherence": 4, "information_stage": 9}}, WANTED, True),
            ({"total": 9.0, "scores": {"task_adherence": 9, "information_stage": 6}}, WANTED, False),
            ({"total": 4.0, "scores": {"task_adherence": 8, "information_stage": 9}}, (), False),
            ({"total": 4.0, "scores": {"empathy": 2}}, WANTED, True),
            ({"total": 4.0, "scores": "bad", "improvements": "bad"}, (), True),
            ({"left_out": [1]}, (), False),
            ({}, (), False),
        ],
    )
    def test_follow_from_the_scores_and_without_scores_from_the_total(self, gist, improvements, astray):
        found = self.remarks(gist)
        assert (found.improvements, found.astray) == (improvements, astray)

    def test_are_used_only_while_they_are_fresh(self):
        assert self.remarks({"total": 3.0}, seq=3 + FRESH).astray
        assert self.remarks({"total": 3.0}, seq=4 + FRESH) == task_remarks(session(), 5) == TaskRemarks()
