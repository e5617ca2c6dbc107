"""The planner's proposal for Part 2. The schema is lenient, so that one wrong value does not cost the others."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import Field

from shared.domain.counseling.plans import Fault, PlanFinding
from shared.domain.counseling.task import Priority, TaskKind
from shared.domain.slots import SlotKind
from shared.engine.agent import AnswerSchema, unsent
from shared.safety.text_rules import TextRules

WHAT_LENGTH = 60
"""Maximum characters of the text that is stored with a fault."""


@dataclass
class ProposalErrors:
    """The faults of one proposal, in the order in which they were found."""

    rules: TextRules
    found: list[PlanFinding] = field(default_factory=list)

    def note(self, fault: Fault, what: str = "") -> None:
        """Note a fault; alarming or instructive text is not stored."""
        named = " ".join(what.split())[:WHAT_LENGTH]
        self.found.append(
            PlanFinding(fault=fault, what="" if self.rules.alarming(named) or self.rules.instructive(what) else named)
        )

    def unfit(self, *wordings: str) -> Fault | None:
        """Return the fault of alarming or instructive texts, which are no subject of a plan, or None."""
        if self.rules.alarming(*wordings):
            return Fault.ALARMING
        return Fault.INSTRUCTIVE if self.rules.instructive(*wordings) else None

    def text(self, text: str, length: int) -> str:
        """Return a text on one line, cut to its length."""
        words = " ".join(text.split())
        if len(words) <= length:
            return words
        self.note(Fault.CUT, words)
        return words[: length - 1].rstrip() + "…"


def counted(found: Sequence[PlanFinding]) -> dict[Fault, int]:
    """Return how often each fault was found."""
    return dict(Counter(finding.fault for finding in found))


KINDS = (
    TaskKind.EXPLORATION,
    TaskKind.EMOTION,
    TaskKind.PATTERN,
    TaskKind.COPING,
    TaskKind.INFORMATION,
    TaskKind.GOAL_SETTING,
)
"""Kinds of tasks in Part 2."""
SLOT_KINDS = (SlotKind.TEXT, SlotKind.BOOLEAN, SlotKind.INTEGER, SlotKind.CHOICE)
"""Kinds of planned slots. Part 1 asked for the user's name, and other people's names are not collected."""


class KeywordRating(AnswerSchema):
    """How near one keyword is to what the client told."""

    keyword: str = Field(description="One of the given keywords, unchanged")
    quote: str = Field(description="The client's own words that show it, verbatim; empty if there are none")
    relevance: float = Field(description="0 nothing of it, 5 plainly brought up, 10 all about it")


class SlotProposal(AnswerSchema):
    """Something that a task is to learn."""

    name: str = Field(description="snake_case, English")
    label: str = Field(description="What people call it, in a few words")
    kind: str = Field(json_schema_extra={"enum": [kind.value for kind in SLOT_KINDS]})
    questions: tuple[str, ...] = Field(
        description="Two or three ways to ask the client, gentlest first", max_length=20, json_schema_extra=unsent
    )
    choices: tuple[str, ...] = Field(
        description="For kind choice two to six; otherwise empty", max_length=20, json_schema_extra=unsent
    )
    minimum: int | None = Field(description="For kind integer the least that can be meant; otherwise null")
    maximum: int | None = Field(description="For kind integer the most that can be meant; otherwise null")


class TaskProposal(AnswerSchema):
    """A task as the model words it; ids are code's."""

    title: str = Field(description="Shown to the client: short, plain, no jargon")
    description: str = Field(description="What the counsellor does in it together with the client")
    target: str = Field(description="What the client will have found or said")
    completion_criteria: str = Field(description="What the client must have said for it to be done")
    restrictions: str = Field(description="What the counsellor must not do in it")
    kind: str = Field(json_schema_extra={"enum": [kind.value for kind in KINDS]})
    module_id: str = Field(description="Id of a technique")
    priority: str = Field(json_schema_extra={"enum": [priority.value for priority in Priority]})
    slots: tuple[SlotProposal, ...] = Field(
        description="Only where one plain fact decides; mostly empty", max_length=20, json_schema_extra=unsent
    )


class PlanProposal(AnswerSchema):
    """The model's plan of Part 2."""

    ratings: tuple[KeywordRating, ...] = Field(
        description="Every given keyword, once", max_length=300, json_schema_extra={"maxItems": 8}
    )
    goal: str = Field(description="One sentence: concrete, and within the level's depth")
    tasks: tuple[TaskProposal, ...] = Field(
        description="In the order in which they lead on", max_length=300, json_schema_extra=unsent
    )


NO_PLAN = PlanProposal(ratings=(), goal="", tasks=())
"""The answer if the model fails; nothing of it is used."""
