"""The supervisor's answer and the prompt that asks for it."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from shared.domain.counseling.supervision import Criterion, HardFail, Verdict, judge
from shared.domain.model import Model
from shared.engine.agent import Agent
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line

AGENT = "supervisor"
NOTHING: dict[str, Any] = {}
_REMARKS = 3
_REMARK_LENGTH = 200


class Scores(BaseModel):
    """One score for each criterion of the rubric."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    empathy: int = Field(ge=1, le=10)
    appropriate_questions: int = Field(ge=1, le=10)
    non_judgement: int = Field(ge=1, le=10)
    advice_timing: int = Field(ge=1, le=10)
    register_: int = Field(ge=1, le=10, alias="register")
    task_adherence: int = Field(ge=1, le=10)
    information_stage: int = Field(ge=1, le=10)
    length: int = Field(ge=1, le=10)

    def by_criterion(self) -> dict[Criterion, int]:
        """Return the scores under the rubric's names."""
        return {Criterion(name): score for name, score in self.model_dump(by_alias=True).items()}


class Judgement(BaseModel):
    """The model's judgement; the total is counted from it."""

    model_config = ConfigDict(frozen=True)

    red_item: bool = Field(description="A red item of the rubric occurs in the counsellor's replies")
    register_or_restriction_violated: bool = Field(description="The configured register or the restriction is broken")
    scores: Scores
    strategy_change: bool = Field(default=False, description="The present plan of Part 2 works against the client")
    strategy: str = Field(default="", description="Only with strategy_change: which other strategy, and why")
    suggested_module: str = Field(default="", description="Id of a technique that would serve better, or empty")
    improvements: tuple[str, ...] = Field(default=(), description="At most three, each one actionable sentence")
    strengths: tuple[str, ...] = Field(default=(), description="At most three")

    def verdict(self) -> Verdict:
        """Count the total."""
        found = {HardFail.RED_ITEM: self.red_item, HardFail.VIOLATION: self.register_or_restriction_violated}
        return judge(self.scores.by_criterion(), tuple(fail for fail, present in found.items() if present))


class Anchors(Model):
    """What a criterion's scores look like, by band."""

    criterion: str
    bands: dict[str, str]


class Technique(Model):
    """A module that may be suggested."""

    id: str
    name: str


class SupervisionInput(Model):
    """What the prompt is rendered from.

    Attributes:
        stance: What the newest reply was for, as it was directed.
        red_items: What the rubric caps hardest.
    """

    register_name: str
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
    lines: tuple[Line, ...]


SUPERVISOR = Agent(
    name=AGENT,
    prompt=Prompt(Path(__file__).parent / "prompts", AGENT, 1, SupervisionInput),
    answers=Judgement,
    # No score is invented: the ledger is asked whether the model failed before anything of this is read.
    safe_default=Judgement.model_construct(**NOTHING),
)


def remarks(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first three remarks that say something, each cut to a sentence's length."""
    said = [" ".join(text.split())[:_REMARK_LENGTH] for text in texts]
    return tuple(text for text in said if text)[:_REMARKS]
