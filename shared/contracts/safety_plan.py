"""The safety plan on the wire."""

from datetime import datetime

from pydantic import Field

from shared.contracts.chat import ResourceView
from shared.contracts.rating import HelpNamed
from shared.contracts.wire import Wire
from shared.domain.counseling.safety_plan import LONGEST_STEP, PlanStep


class SafetyPlanSteps(Wire):
    """The six steps in the user's own words; an empty one is not part of the plan."""

    signs: str = Field(default="", max_length=LONGEST_STEP, description="How they notice that it is getting hard")
    alone: str = Field(default="", max_length=LONGEST_STEP, description="What helps by themselves")
    company: str = Field(default="", max_length=LONGEST_STEP, description="People and places that distract")
    helpers: str = Field(default="", max_length=LONGEST_STEP, description="Whom they can ask for help")
    professionals: str = Field(
        default="", max_length=LONGEST_STEP, description="Their own; the help lines are in `resources`"
    )
    surroundings: str = Field(default="", max_length=LONGEST_STEP, description="How their place is made safe")


class KeptSafetyPlan(Wire):
    """A kept plan."""

    version: int = Field(ge=1, description="One more for every change")
    updated_at: datetime
    steps: SafetyPlanSteps


class ChangeSafetyPlan(Wire):
    """Replaces the whole plan; without any step it is deleted."""

    steps: SafetyPlanSteps


class SafetyPlanView(Wire):
    """The caller's safety plan.

    A step that tells of a danger or instructs a model is not kept: what was kept before stays. `help` is to be shown.
    """

    plan: KeptSafetyPlan | None
    resources: tuple[ResourceView, ...] = Field(description="The help lines of the fifth step")
    not_kept: tuple[PlanStep, ...] = Field(default=(), description="After a change: steps that could not be kept")
    help: HelpNamed | None = None
