"""Checks the supervisor's judgement: rules resolve contradictions and record each correction."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from functions.supervisor.counting import Counts
from functions.supervisor.judgement import Judgement
from shared.domain.counseling.supervision import Criterion, Verdict

REMARKS = 3
REMARK_LENGTH = 200
HIGH = 9
"""Lowest score of the rubric's highest band."""


class JudgementCorrection(StrEnum):
    """Corrections of a judgement."""

    SCORE_OFF_THE_SCALE = "score_off_the_scale"
    """Below 1, above 10 or not whole: adjusted to the scale."""
    HARD_FAIL_WITH_HIGH_SCORES = "hard_fail_with_high_scores"
    """A finding that caps the total, with high scores throughout: the finding counts."""
    IMPROVEMENT_WITHOUT_FAULT = "improvement_without_fault"
    """Improvement wanted although every score is in the highest band or no improvement is named: dropped."""
    TOO_MANY_REMARKS = "too_many_remarks"
    """More than three improvements or strengths: the first three are kept."""
    UNKNOWN_MODULE = "unknown_module"
    """Not a module id: dropped."""
    QUESTIONS_COUNTED = "questions_counted"
    """A high score for the questions although a reply asks several: the count caps it."""
    STRATEGY_WITHOUT_WORDS = "strategy_without_words"
    """Another strategy is wanted but not named: dropped."""
    STRATEGY_NOT_POSSIBLE = "strategy_not_possible"
    """Another strategy although there is no plan to change: dropped."""


@dataclass(frozen=True)
class JudgementAsCounted:
    verdict: Verdict
    needs_improvement: bool
    improvements: tuple[str, ...]
    strengths: tuple[str, ...]
    module: str | None
    strategy: str
    corrected: tuple[JudgementCorrection, ...]


def read(
    judgement: Judgement,
    modules: Collection[str],
    counts: Counts,
    counted: tuple[str, ...] = (),
    *,
    may_change_strategy: bool,
) -> JudgementAsCounted:
    """Check a judgement.

    Args:
        judgement: The model's answer.
        modules: Ids of the modules that may be suggested.
        counts: What code counted in the replies.
        counted: The improvements that low counts ask for; they come first.
        may_change_strategy: There is a plan that can be changed.
    """
    verdict = judgement.verdict(counts)
    improvements, strengths = _remarks((*counted, *judgement.improvements)), _remarks(judgement.strengths)
    faultless = all(score >= HIGH for score in verdict.scores.values()) and not verdict.hard_fails
    idle = judgement.needs_improvement and (faultless or not improvements)
    lowered = verdict.scores[Criterion.APPROPRIATE_QUESTIONS] < judgement.scores.appropriate_questions
    named = judgement.suggested_module.strip()
    strategy = judgement.strategy.strip() if judgement.strategy_change else ""
    found = {
        JudgementCorrection.SCORE_OFF_THE_SCALE: judgement.scores.mended,
        JudgementCorrection.HARD_FAIL_WITH_HIGH_SCORES: bool(verdict.hard_fails)
        and min(verdict.scores.values()) >= HIGH,
        JudgementCorrection.IMPROVEMENT_WITHOUT_FAULT: idle,
        JudgementCorrection.TOO_MANY_REMARKS: max(len(_remarks(judgement.improvements)), len(strengths)) > REMARKS,
        JudgementCorrection.QUESTIONS_COUNTED: lowered,
        JudgementCorrection.UNKNOWN_MODULE: bool(named) and named not in modules,
        JudgementCorrection.STRATEGY_WITHOUT_WORDS: judgement.strategy_change and not strategy,
        JudgementCorrection.STRATEGY_NOT_POSSIBLE: bool(strategy) and not may_change_strategy,
    }
    return JudgementAsCounted(
        verdict=verdict,
        needs_improvement=verdict.needs_improvement or bool(counted) or (judgement.needs_improvement and not idle),
        improvements=improvements[:REMARKS],
        strengths=strengths[:REMARKS],
        module=named if named in modules else None,
        strategy=strategy if may_change_strategy else "",
        corrected=tuple(correction for correction, present in found.items() if present),
    )


def _remarks(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the distinct remarks that have text, cut to `REMARK_LENGTH`."""
    said = (" ".join(text.split())[:REMARK_LENGTH] for text in texts)
    return tuple(dict.fromkeys(text for text in said if text))
