"""What of a judgement counts."""

import pytest

from functions.supervisor.judgement_checks import JudgementCorrection, read
from functions.supervisor.supervise import supervise
from shared.contracts.tasks import JobKind
from shared.engine.jobs import JobResult
from tests.fakes.answers import judgement
from tests.fakes.background_room import Room, payload
from tests.fakes.counselling import session, task

MODULES = {"reframing", "goal_setting"}


def reading(score: object = 8, *, may_change_strategy: bool = True, **more: object):
    return read(judgement(score, **more), MODULES, may_change_strategy=may_change_strategy)


def test_a_score_off_the_scale_is_brought_onto_it_the_lower_of_two(subtests: pytest.Subtests) -> None:
    for given, counted in ((0, 1), (-3, 1), (11, 10), (100, 10), (6.9, 6), (7.0, 7)):
        with subtests.test(given=given):
            found = reading(given)
            assert set(found.verdict.scores.values()) == {counted}
            assert (JudgementCorrection.SCORE_OFF_THE_SCALE in found.corrected) == (given != counted)


def test_what_is_no_number_is_no_score(subtests: pytest.Subtests) -> None:
    for given in (None, "good", float("nan")):
        with subtests.test(given=given), pytest.raises(ValueError, match="scores"):
            judgement(given)


def test_a_sound_judgement_needs_no_correction() -> None:
    found = reading(8, needs_improvement=True, improvements=("까닭을 되비춰 주세요.",), suggested_module="reframing")
    assert found.corrected == ()
    assert (found.needs_improvement, found.module) == (True, "reframing")


def test_improvement_is_not_wanted_where_nothing_is_at_fault_or_named(subtests: pytest.Subtests) -> None:
    for score, improvements in ((9, ("더 짧게.",)), (10, ()), (8, ())):
        with subtests.test(score=score):
            found = reading(score, needs_improvement=True, improvements=improvements)
            assert not found.needs_improvement
            assert found.corrected == (JudgementCorrection.IMPROVEMENT_WITHOUT_FAULT,)


def test_a_low_total_needs_improvement_whatever_the_model_says() -> None:
    assert reading(6, needs_improvement=False).needs_improvement


@pytest.mark.parametrize(("flag", "total"), [("red_item", 2.0), ("register_or_restriction_violated", 5.0)])
def test_a_hard_fail_stands_against_high_scores_and_is_counted(flag: str, total: float) -> None:
    found = reading(9, **{flag: True})
    assert (found.verdict.total, found.needs_improvement) == (total, True)
    assert found.corrected == (JudgementCorrection.HARD_FAIL_WITH_HIGH_SCORES,)


def test_ten_improvements_are_three() -> None:
    found = reading(improvements=tuple(f"고칠 점 {number}" for number in range(10)), strengths=("좋음", "좋음"))
    assert len(found.improvements) == 3
    assert (found.strengths, found.corrected) == (("좋음",), (JudgementCorrection.TOO_MANY_REMARKS,))


def test_an_unknown_module_is_dropped_and_counted() -> None:
    found = reading(suggested_module="hypnosis")
    assert (found.module, found.corrected) == (None, (JudgementCorrection.UNKNOWN_MODULE,))


def test_another_strategy_is_one_that_is_wanted_named_and_possible(subtests: pytest.Subtests) -> None:
    cases = [
        ({"strategy_change": True, "strategy": " 감정부터 "}, True, "감정부터", ()),
        ({"strategy_change": True, "strategy": " "}, True, "", (JudgementCorrection.STRATEGY_WITHOUT_WORDS,)),
        ({"strategy_change": True, "strategy": "감정부터"}, False, "", (JudgementCorrection.STRATEGY_NOT_POSSIBLE,)),
        ({"strategy_change": False, "strategy": "감정부터"}, True, "", ()),
    ]
    for fields, possible, strategy, corrected in cases:
        with subtests.test(fields=fields, possible=possible, strategy=strategy, corrected=corrected):
            found = reading(may_change_strategy=possible, **fields)
            assert (found.strategy, found.corrected) == (strategy, corrected)


async def test_what_was_corrected_stands_in_the_record_and_the_next_turn_gets_the_result() -> None:
    wrong = judgement(8).model_dump_json(by_alias=True).replace('"empathy":8', '"empathy":11')
    room = Room({"supervisor": wrong})
    await room.open(session(task()), ("무서워요", "혼났어요", "잠이 안 와요"))
    assert await supervise(room.context, payload(JobKind.SUPERVISE, 3)) is JobResult.DONE
    record = await room.record("supervision", "3")
    assert (record["corrected"], record["scores"]["empathy"]) == (["score_off_the_scale"], 10)
    assert len(room.model.asked("supervisor")) == 1
