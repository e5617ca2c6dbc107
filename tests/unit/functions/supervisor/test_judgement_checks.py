"""Which parts of a judgement count, and how code corrects a judgement."""

import pytest

from functions.supervisor.judgement_checks import JudgementCorrection, read
from tests.builders.answers import judgement

MODULES = {"reframing", "goal_setting"}


def reading(score: object = 8, *, may_change_strategy: bool = True, **more: object):
    return read(judgement(score, **more), MODULES, may_change_strategy=may_change_strategy)


@pytest.mark.parametrize(("given", "counted"), [(0, 1), (-3, 1), (11, 10), (100, 10), (6.9, 6), (7.0, 7)])
def test_a_score_is_clamped_to_the_scale_and_rounded_down(given: float, counted: int) -> None:
    found = reading(given)
    assert set(found.verdict.scores.values()) == {counted}
    assert (JudgementCorrection.SCORE_OFF_THE_SCALE in found.corrected) == (given != counted)


@pytest.mark.parametrize("given", [None, "good", float("nan")])
def test_a_score_that_is_no_number_is_rejected(given: object) -> None:
    with pytest.raises(ValueError, match="scores"):
        judgement(given)


def test_a_valid_judgement_is_not_corrected() -> None:
    found = reading(8, needs_improvement=True, improvements=("까닭을 되비춰 주세요.",), suggested_module="reframing")
    assert found.corrected == ()
    assert (found.needs_improvement, found.module) == (True, "reframing")


@pytest.mark.parametrize(("score", "improvements"), [(9, ("더 짧게.",)), (10, ()), (8, ())])
def test_improvement_is_needed_only_at_a_named_fault_or_a_low_total(score: int, improvements: tuple[str, ...]) -> None:
    found = reading(score, needs_improvement=True, improvements=improvements)
    assert not found.needs_improvement
    assert found.corrected == (JudgementCorrection.IMPROVEMENT_WITHOUT_FAULT,)
    assert reading(6, needs_improvement=False).needs_improvement


@pytest.mark.parametrize(("flag", "total"), [("red_item", 2.0), ("register_or_restriction_violated", 5.0)])
def test_a_hard_fail_caps_the_total_of_high_scores_and_is_counted(flag: str, total: float) -> None:
    found = reading(9, **{flag: True})
    assert (found.verdict.total, found.needs_improvement) == (total, True)
    assert found.corrected == (JudgementCorrection.HARD_FAIL_WITH_HIGH_SCORES,)


def test_surplus_improvements_and_an_unknown_module_are_dropped_and_counted() -> None:
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
def test_a_strategy_change_counts_only_if_it_is_wanted_named_and_possible(
    *, wanted, named, possible, strategy, corrected
):
    found = reading(may_change_strategy=possible, strategy_change=wanted, strategy=named)
    assert (found.strategy, found.corrected) == (strategy, corrected)
