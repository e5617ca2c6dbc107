"""The safety plan: six steps in the user's own words, and how a session makes one.

Stanley & Brown 2012, "Safety Planning Intervention", Cognitive and Behavioral Practice 19(2), 256-264; in Korea the
안전계획 of 한국생명존중희망재단. It is offered after a danger to the user's own life, and kept on a plain yes only.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from pydantic import Field

from shared.model import Model

LONGEST_STEP = 300
"""Maximum characters of a step."""
MOST_STEP_ASKS = 2
"""Maximum times that a step is asked for: the second time only if the first was not answered."""
_SLOT = "safety_"


class PlanStep(StrEnum):
    """The steps, in the order in which they are used."""

    SIGNS = "signs"
    """How the user notices that it is getting hard."""
    ALONE = "alone"
    """What helps without other people."""
    COMPANY = "company"
    """People and places that distract."""
    HELPERS = "helpers"
    """Whom the user can ask for help."""
    PROFESSIONALS = "professionals"
    """The user's own professionals; help lines are added by rule whenever the plan is shown, so they stay correct."""
    SURROUNDINGS = "surroundings"
    """How the place is made safe. It may name means, so it is never shown in a crisis."""

    @property
    def slot(self) -> str:
        """The name of the step's slot in the task."""
        return f"{_SLOT}{self.value}"


def step_of(slot: str | None) -> PlanStep | None:
    return next((step for step in PlanStep if step.slot == slot), None)


class SafetyPlan(Model):
    """A plan that the user agreed to keep; part of the profile.

    Attributes:
        version: 1 for the first, and one more for every change.
    """

    version: int = Field(ge=1)
    updated_at: datetime
    steps: Mapping[PlanStep, str] = Field(min_length=1)


class StoredPlan(Model):
    """What a read of the profile found.

    Attributes:
        known: The profile could be read; without that, a plan may exist.
    """

    plan: SafetyPlan | None = None
    known: bool = True

    @property
    def steps(self) -> Mapping[PlanStep, str]:
        """The kept steps; empty without a plan, and if it could not be read."""
        return self.plan.steps if self.plan else {}


class PlanStage(StrEnum):
    """Progress of the plan in one session."""

    NONE = "none"
    DUE = "due"
    """A danger to the user's own life was followed through: the plan is offered once the user is calm."""
    OFFERED = "offered"
    DECLINED = "declined"
    """Not offered again in this session; the user can still ask for it."""
    BUILDING = "building"
    SHOWN = "shown"
    """All steps were asked for, and the user was asked whether to keep the plan."""
    KEPT = "kept"
    NOT_KEPT = "not_kept"


class PlanTalk(Model):
    """The plan as this session knows it; without a yes it lives here only.

    Attributes:
        seq: The turn of the offer, or of the question whether to keep the plan.
        explained: The user answered the offer with a question, which was answered.
        postponed: The user answered it with neither yes nor no: it is made once more.
        steps: The words so far, with those of the kept plan while it is being changed.
        kept: The kept plan was taken up when this one was begun.
        done: Steps that were answered or passed over since the plan was begun.
        changed: A step was given since then.
        given: Steps that the user told in this session and that are not kept.
        unread: The kept plan could not be read for the last reply to a crisis.
        explained_steps: Steps of which a question was answered since the plan was begun.
    """

    stage: PlanStage = PlanStage.NONE
    seq: int = Field(default=0, ge=0)
    explained: bool = False
    postponed: bool = False
    steps: Mapping[PlanStep, str] = Field(default_factory=dict)
    done: tuple[PlanStep, ...] = ()
    kept: bool = False
    changed: bool = False
    given: tuple[PlanStep, ...] = ()
    explained_steps: tuple[PlanStep, ...] = ()
    unread: bool = False

    @property
    def may_be_kept(self) -> bool:
        """Whether the user has seen the whole plan, and it is not kept."""
        return self.stage in (PlanStage.SHOWN, PlanStage.NOT_KEPT) and bool(self.steps)

    def agreed_to(self, kept: SafetyPlan | None) -> dict[PlanStep, str]:
        """Return the steps to keep: what was told here; else what is kept by now; else what was shown."""
        told = {step: self.steps[step] for step in self.given if step in self.steps}
        return ordered({**self.steps, **(kept.steps if kept else {}), **told})

    def left(self, asked: Mapping[str, int]) -> tuple[PlanStep, ...]:
        """Return the steps still to be asked for; `asked` counts how often each slot was."""
        return tuple(step for step in PlanStep if step not in self.done and asked.get(step.slot, 0) < MOST_STEP_ASKS)

    def with_danger_over(self) -> "PlanTalk":
        """Return it after a danger to the user's own life was followed through; an answered offer is not repeated."""
        waiting = self.stage in (PlanStage.NONE, PlanStage.OFFERED)
        begun = {"stage": PlanStage.DUE, "explained": False, "postponed": False}
        return self.model_copy(update=begun) if waiting else self


def ordered(steps: Mapping[PlanStep, str]) -> dict[PlanStep, str]:
    """Return the given steps in the plan's order."""
    return {step: steps[step] for step in PlanStep if steps.get(step)}


def next_plan(before: SafetyPlan | None, steps: Mapping[PlanStep, str], now: datetime) -> SafetyPlan | None:
    """Return the plan with these steps; the same object if nothing changes, None if no step is left."""
    given = ordered(steps)
    if not given:
        return None
    if before is not None and dict(before.steps) == given:
        return before
    return SafetyPlan(version=before.version + 1 if before else 1, updated_at=now, steps=given)
