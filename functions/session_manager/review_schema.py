"""Prompt variables and answer schema of the session review."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from pydantic import Field, create_model

from functions.session_manager.prompting import PROMPTS
from shared.domain.counseling.review import SessionGoal
from shared.engine.agent import Agent, AnswerSchema
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line

AGENT = "session_manager"
MOST_REVIEWED = 8
"""Goals of a type of session that are reviewed; there are four."""


class GoalFinding(AnswerSchema):
    """Whether one goal is met, and what shows it."""

    goal: str = Field(description="Id of the goal")
    evidence: str = Field(description="Verbatim words from the dialogue that show it; empty if not met")
    answer: str = Field(
        description="Only where the evidence is the counsellor's: the client's words that took it in, verbatim"
    )
    met: bool


class SessionReview(AnswerSchema):
    """The model's review."""

    goals: tuple[GoalFinding, ...] = Field(description="One for each goal", max_length=MOST_REVIEWED)
    reason: str = Field(description="One sentence: why Part 2 is completed or not")
    part2_completed: bool = Field(description="The goal of Part 2 is reached by what the client said")
    wrap_up_advised: bool = Field(description="It would do the client good to be asked whether to close")
    feedback_to_task_planner: str = Field(
        description="What is wrong with the plan if the goal of Part 2 cannot be reached with it; otherwise empty"
    )


class ReviewedTask(Model):
    """A task in the prompt."""

    title: str
    target: str
    status: str


class ReviewInput(Model):
    """Prompt variables.

    Attributes:
        goals: The goals of this type of session.
        met_before: Goals that an earlier review found met.
        replanned: The plan was changed since the last review.
        replan_reason: Why; empty if unknown.
    """

    session_type: str
    part: int
    part2_goal: str
    goals: tuple[SessionGoal, ...]
    tasks: tuple[ReviewedTask, ...]
    met_before: tuple[str, ...]
    declined: int
    summary: str
    lines: tuple[Line, ...]
    replanned: bool = False
    replan_reason: str = ""


REVIEWER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 3, ReviewInput),
    answers=SessionReview,
    safe_default=SessionReview(
        goals=(), reason="", part2_completed=False, wrap_up_advised=False, feedback_to_task_planner=""
    ),
)


def reviewer_of(goals: tuple[SessionGoal, ...]) -> Agent[ReviewInput, SessionReview]:
    """Return the reviewer with these goals' ids in its answer schema."""
    return replace(REVIEWER, answers=_about(tuple(goal.id for goal in goals)))


@lru_cache(maxsize=8)
def _about(goals: tuple[str, ...]) -> type[SessionReview]:
    """Return the answer schema under its own title, with these goals' ids listed.

    The list is only in the JSON schema for the provider; code still checks the answer.
    """
    told = GoalFinding.model_fields["goal"].description
    named: Any = (str, Field(description=told, json_schema_extra={"enum": list(goals)}))
    finding = create_model(
        "GoalFinding", __base__=GoalFinding, __module__=__name__, __doc__=GoalFinding.__doc__, goal=named
    )
    told = SessionReview.model_fields["goals"].description
    each: Any = (tuple[finding, ...], Field(description=told, max_length=MOST_REVIEWED))
    return create_model(
        "SessionReview", __base__=SessionReview, __module__=__name__, __doc__=SessionReview.__doc__, goals=each
    )
