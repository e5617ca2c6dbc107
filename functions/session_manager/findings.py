"""What the session manager's model finds in a session, and what of it counts."""

from collections.abc import Collection, Sequence

from pydantic import BaseModel, ConfigDict, Field

from functions.session_manager.prompting import PROMPTS
from shared.content.crisis_rules import alarming
from shared.domain.conversation import Message
from shared.domain.counseling.review import SessionGoal
from shared.domain.model import Model
from shared.engine.agent import Agent
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line
from shared.services.counseling.quotes import said
from shared.services.counseling.workbench import users_words

AGENT = "session_manager"


class GoalFinding(BaseModel):
    """Whether one goal is met, and what shows it."""

    model_config = ConfigDict(frozen=True)

    met: bool
    evidence: str = Field(default="", description="Verbatim words from the dialogue that show it; empty if not met")


class SessionReview(BaseModel):
    """The model's review."""

    model_config = ConfigDict(frozen=True)

    part2_completed: bool = Field(description="The goal of Part 2 is reached by what the client said")
    wrap_up_advised: bool = Field(description="It would do the client good to be asked whether to close")
    rapport: GoalFinding
    information: GoalFinding
    goal_setting: GoalFinding
    trust: GoalFinding
    reason: str = Field(default="", description="One sentence: why Part 2 is completed or not")
    feedback_to_task_planner: str = Field(
        default="", description="Only if the goal of Part 2 cannot be reached with this plan: what is wrong with it"
    )

    def findings(self) -> dict[SessionGoal, GoalFinding]:
        """Return the findings by goal."""
        return {
            SessionGoal.RAPPORT: self.rapport,
            SessionGoal.INFORMATION: self.information,
            SessionGoal.GOAL_SETTING: self.goal_setting,
            SessionGoal.TRUST: self.trust,
        }


class TaskShown(Model):
    """A task as the prompt shows it."""

    title: str
    target: str
    status: str


class ReviewInput(Model):
    """What the prompt is rendered from.

    Attributes:
        met_before: Goals that an earlier review found met.
    """

    session_type: str
    part: int
    part2_goal: str
    tasks: tuple[TaskShown, ...]
    met_before: tuple[str, ...]
    declined: int
    summary: str
    lines: tuple[Line, ...]


_UNKNOWN = GoalFinding(met=False)
REVIEWER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 1, ReviewInput),
    answers=SessionReview,
    safe_default=SessionReview(
        part2_completed=False,
        wrap_up_advised=False,
        rapport=_UNKNOWN,
        information=_UNKNOWN,
        goal_setting=_UNKNOWN,
        trust=_UNKNOWN,
    ),
)


def met_goals(
    answer: SessionReview, messages: Sequence[Message], met_before: Collection[SessionGoal]
) -> dict[SessionGoal, str]:
    """Return the goals that are met, with their evidence.

    A goal counts with words that were really said: the user's, or for trust, which is about what was explained, the
    counsellor's too. One met before needs no new words; they may have left the window. A wish to die sets no goal.
    """
    by_user = users_words(messages)
    by_both = "\n".join(message.text for message in messages)
    found: dict[SessionGoal, str] = {}
    for goal, finding in answer.findings().items():
        shown = said(finding.evidence, by_both if goal is SessionGoal.TRUST else by_user)
        shown = shown and not (goal is SessionGoal.GOAL_SETTING and alarming(finding.evidence))
        if finding.met and (shown or goal in met_before):
            found[goal] = finding.evidence.strip() if shown else ""
    return found
