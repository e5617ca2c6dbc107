"""The supervisor's answer schema and prompt."""

import math
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr, model_validator

from functions.supervisor.counting import NO_OCCASION, Counts
from shared.domain.counseling.supervision import Criterion, HardFail, Verdict, judge
from shared.engine.agent import Agent, AnswerSchema
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line

AGENT = "supervisor"
LOWEST, HIGHEST = 1, 10


def _score(value: Any) -> Any:
    """Round a number down and limit it to the scale; other values are left to the schema."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return value
    return min(HIGHEST, max(LOWEST, math.floor(value)))


class Scores(AnswerSchema):
    """A score for each criterion that code does not count; one outside of the scale is brought into it."""

    empathy: int = Field(ge=1, le=10)
    appropriate_questions: int = Field(ge=1, le=10)
    non_judgement: int = Field(ge=1, le=10)
    advice_timing: int = Field(ge=1, le=10)
    task_adherence: int = Field(ge=1, le=10)
    information_stage: int = Field(ge=1, le=10)
    _mended: bool = PrivateAttr(default=False)

    @model_validator(mode="wrap")
    @classmethod
    def _onto_the_scale(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        inside = {name: _score(value) for name, value in given.items()} if isinstance(given, dict) else given
        scores = handler(inside)
        scores._mended = inside != given  # noqa: SLF001 - its own
        return scores

    @property
    def mended(self) -> bool:
        """Whether a score was adjusted to the scale."""
        return self._mended

    def by_criterion(self) -> dict[Criterion, int]:
        """Return the scores under the rubric's names."""
        return {Criterion(name): score for name, score in self.model_dump().items()}


class Judgement(AnswerSchema):
    """The model's judgement; the total is counted from it."""

    strengths: tuple[str, ...] = Field(
        description="At most three; empty if nothing stands out", max_length=20, json_schema_extra={"maxItems": 3}
    )
    improvements: tuple[str, ...] = Field(
        description="At most three, each one actionable sentence; or empty",
        max_length=20,
        json_schema_extra={"maxItems": 3},
    )
    red_item: bool = Field(description="A red item of the rubric occurs in the counsellor's replies")
    restriction_violated: bool = Field(description="The task's restriction is broken")
    scores: Scores
    needs_improvement: bool = Field(description="Something is to be done better in the next reply")
    strategy: str = Field(description="Which other strategy, and why; empty unless strategy_change is to be true")
    strategy_change: bool = Field(description="The present plan of Part 2 works against the client")
    suggested_module: str = Field(description="Id of a technique that would serve better, or empty")

    def verdict(self, counts: Counts) -> Verdict:
        """Compute the total from the scores and what was counted."""
        violated = self.restriction_violated or counts.register_broken
        found = {HardFail.RED_ITEM: self.red_item, HardFail.VIOLATION: violated}
        scores = counts.applied_to(self.scores.by_criterion())
        return judge(scores, tuple(fail for fail, present in found.items() if present))


class Anchors(Model):
    """Descriptions of a criterion's score bands."""

    criterion: str
    bands: dict[str, str]


class Technique(Model):
    """A module that may be suggested."""

    id: str
    name: str


class JudgedLine(Line):
    """One message of the judged dialogue.

    Attributes:
        by_rule: No model made this reply: it is context only.
    """

    by_rule: bool = False


class SupervisionInput(Model):
    """Input of the prompt.

    Attributes:
        stance: The newest reply's stance in its directive.
        red_items: The findings that the rubric caps lowest.
    """

    part: int
    level: int
    stance: str
    task_title: str
    task_target: str
    restrictions: str
    part2_goal: str
    anchors: tuple[Anchors, ...]
    red_items: str
    techniques: tuple[Technique, ...]
    may_change_strategy: bool
    lines: tuple[JudgedLine, ...]


SUPERVISOR = Agent(
    name=AGENT,
    prompt=Prompt(Path(__file__).parent / "prompts", AGENT, 3, SupervisionInput),
    answers=Judgement,
    # Never used: callers check first whether the model failed.
    safe_default=Judgement(
        strengths=(),
        improvements=(),
        red_item=False,
        restriction_violated=False,
        scores=Scores(**dict.fromkeys(Scores.model_fields, NO_OCCASION)),
        needs_improvement=False,
        strategy="",
        strategy_change=False,
        suggested_module="",
    ),
)
