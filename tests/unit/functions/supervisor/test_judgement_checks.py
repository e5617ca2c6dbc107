"""What of a judgement counts."""

import pytest

from functions.supervisor.judgement import Counts
from functions.supervisor.supervise import JudgementCorrection, read
from shared.domain.counseling.supervision import Criterion, HardFail
from tests.builders.answers import judgement

MODULES = {"reframing", "goal_setting"}


COUNTED = {"length": 9, "register_score": 9}


def reading(score: object = 8, *, may_change_strategy: bool = True, counts=None, counted=(), **more: object):
    found = counts or Counts(**COUNTED)
    return read(judgement(score, **more), MODULES, found, counted, may_change_strategy=may_change_strategy)


@pytest.mark.parametrize(("given", "counted"), [(0, 1), (-3, 1), (11, 10), (100, 10), (6.9, 6), (7.0, 7)])
def test_a_score_off_the_scale_is_brought_onto_it_the_lower_of_two(given: float, counted: int) -> None:
    found = reading(given)
    by_model = set(Criterion) - {Criterion.LENGTH, Criterion.REGISTER}
    assert {found.verdict.scores[criterion] for criterion in by_model} == {counted}
    assert (JudgementCorrection.SCORE_OFF_THE_SCALE in found.corrected) == (given != counted)


@pytest.mark.parametrize("given", [None, "good", float("nan")])
def test_what_is_no_number_is_no_score(given: object) -> None:
    with pytest.raises(ValueError, match="scores"):
        judgement(given)


def test_a_sound_judgement_needs_no_correction() -> None:
    found = reading(8, needs_improvement=True, improvements=("까닭을 되비춰 주세요.",), suggested_module="reframing")
    assert found.corrected == ()
    assert (found.needs_improvement, found.module) == (True, "reframing")


@pytest.mark.parametrize(("score", "improvements"), [(9, ("더 짧게.",)), (10, ()), (8, ())])
def test_improvement_is_wanted_only_where_something_is_at_fault_and_named_or_the_total_is_low(
    score: int, improvements: tuple[str, ...]
) -> None:
    found = reading(score, needs_improvement=True, improvements=improvements)
    assert not found.needs_improvement
    assert found.corrected == (JudgementCorrection.IMPROVEMENT_WITHOUT_FAULT,)
    assert reading(5, needs_improvement=False).needs_improvement


@pytest.mark.parametrize(("flag", "total"), [("red_item", 2.0), ("restriction_violated", 5.0)])
def test_a_hard_fail_stands_against_high_scores_and_is_counted(flag: str, total: float) -> None:
    found = reading(9, **{flag: True})
    assert (found.verdict.total, found.needs_improvement) == (total, True)
    assert found.corrected == (JudgementCorrection.HARD_FAIL_WITH_HIGH_SCORES,)


def test_what_is_counted_goes_into_the_total_caps_it_and_is_the_first_improvement() -> None:
    counts = Counts(length=4, register_score=6, question_cap=4, register_broken=True)
    found = reading(9, counts=counts, counted=("짧게.",), improvements=("까닭을 되비춰 주세요.",))
    scores = found.verdict.scores
    assert (scores[Criterion.LENGTH], scores[Criterion.REGISTER], scores[Criterion.APPROPRIATE_QUESTIONS]) == (4, 6, 4)
    assert (found.verdict.total, found.verdict.hard_fails) == (5.0, (HardFail.VIOLATION,))
    assert (found.needs_improvement, found.improvements) == (True, ("짧게.", "까닭을 되비춰 주세요."))
    assert found.corrected == (JudgementCorrection.QUESTIONS_COUNTED,)
    assert reading(3, counts=counts).corrected == (), "the model's own score is lower"


def test_ten_improvements_are_three_and_an_unknown_module_is_dropped_and_both_are_counted() -> None:
    found = reading(
        improvements=tuple(f"고칠 점 {number}" for number in range(10)),
        strengths=("좋음", "좋음"),
        suggested_module="hypnosis",
    )
    assert (len(found.improvements), found.strengths, found.module) == (3, ("좋음",), None)
    assert set(found.corrected) == {JudgementCorrection.TOO_MANY_REMARKS, JudgementCorrection.UNKNOWN_MODULE}


@pytest.mark.parametrize(
    ("wanted", "named", "possible", "strategy", "corrected"),
    [
        (True, " 감정부터 ", True, "감정부터", ()),
        (True, " ", True, "", (JudgementCorrection.STRATEGY_WITHOUT_WORDS,)),
        (True, "감정부터", False, "", (JudgementCorrection.STRATEGY_NOT_POSSIBLE,)),
        (False, "감정부터", True, "", ()),
    ],
)
def test_another_strategy_is_one_that_is_wanted_named_and_possible(*, wanted, named, possible, strategy, corrected):
    found = reading(may_change_strategy=possible, strategy_change=wanted, strategy=named)
    assert (found.strategy, found.corrected) == (strategy, corrected)
