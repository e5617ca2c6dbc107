"""What the planner proposes for Part 2. Its fields are lenient: one thing that is wrong must not cost the others."""

from pydantic import BaseModel, ConfigDict, Field

from shared.domain.counseling.task import Priority, TaskKind
from shared.domain.slots import SlotKind

KINDS = (
    TaskKind.EXPLORATION,
    TaskKind.EMOTION,
    TaskKind.PATTERN,
    TaskKind.COPING,
    TaskKind.INFORMATION,
    TaskKind.GOAL_SETTING,
)
"""What a task of Part 2 can be about."""
SLOT_KINDS = (SlotKind.TEXT, SlotKind.BOOLEAN, SlotKind.INTEGER, SlotKind.CHOICE)
"""What a planned slot can hold. Part 1 asked for the user's name, and other people's are not collected."""


class KeywordRating(BaseModel):
    """How near one keyword is to what the client told."""

    model_config = ConfigDict(frozen=True)

    keyword: str = Field(description="One of the given keywords, unchanged")
    relevance: float = Field(default=0, description="0 nothing of it, 5 plainly brought up, 10 all about it")
    quote: str = Field(default="", description="The client's own words that show it, verbatim; empty if there are none")


class SlotProposal(BaseModel):
    """Something that a task is to learn."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(default="", description="snake_case, English")
    kind: str = Field(default="text", json_schema_extra={"enum": [kind.value for kind in SLOT_KINDS]})
    label: str = Field(default="", description="What people call it, in a few words")
    questions: tuple[str, ...] = Field(default=(), description="Two or three ways to ask the client, gentlest first")
    choices: tuple[str, ...] = Field(default=(), description="For kind choice only: two to six")
    minimum: int | None = None
    maximum: int | None = None


class TaskProposal(BaseModel):
    """A task as the model words it; ids are code's."""

    model_config = ConfigDict(frozen=True)

    kind: str = Field(default="", json_schema_extra={"enum": [kind.value for kind in KINDS]})
    priority: str = Field(default="medium", json_schema_extra={"enum": [priority.value for priority in Priority]})
    module_id: str = Field(default="", description="Id of a technique")
    title: str = Field(default="", description="Shown to the client: short, plain, no jargon")
    description: str = ""
    target: str = Field(default="", description="What the client will have found or said")
    completion_criteria: str = Field(default="", description="What the client must have said for it to be done")
    restrictions: str = Field(default="", description="What the counsellor must not do in it")
    slots: tuple[SlotProposal, ...] = Field(default=(), description="Only where one plain fact decides; mostly none")


class PlanProposal(BaseModel):
    """The model's plan of Part 2."""

    model_config = ConfigDict(frozen=True)

    ratings: tuple[KeywordRating, ...] = Field(default=(), description="Every given keyword, once")
    goal: str = Field(default="", description="One sentence: concrete, and within the level's depth")
    tasks: tuple[TaskProposal, ...] = Field(default=(), description="In the order in which they lead on")


NO_PLAN = PlanProposal()
"""Holds when the model fails: nothing of it is used."""
