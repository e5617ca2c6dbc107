"""The agents of a search: triage (scope and tool need in one call), planner, evaluator, responder."""

from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from shared.domain.agreement.numbers import MOST_NUMBERS
from shared.domain.agreement.tool_calls import MOST_QUERIES, MOST_TITLES, MOST_TOPICS, ToolCall, ToolName, repaired
from shared.engine.agent import Agent, AnswerSchema, Speaker, unsent
from shared.model import Model
from shared.prompts.catalogue import Prompt

_PROMPTS = Path(__file__).parent / "prompts"


class Line(Model):
    """A line of the dialogue before the question."""

    speaker: str
    text: str


class PassageView(Model):
    """A passage as a prompt shows it."""

    label: str
    title: str
    text: str


class TriageInput(Model):
    """Prompt variables."""

    text: str
    document_title: str
    earlier: tuple[Line, ...] = ()


class Triage(AnswerSchema):
    """Whether the question is about the document, and whether the document must be read for it."""

    reason: str
    in_scope: bool
    needs_tools: bool


class PlannerInput(Model):
    """Prompt variables."""

    text: str
    document_title: str
    round: int
    most_rounds: int
    outline: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    missing: str = ""
    earlier: tuple[Line, ...] = ()


class PlannedTool(StrEnum):
    """The tools, and none."""

    STRUCTURE = ToolName.STRUCTURE.value
    SEARCH = ToolName.SEARCH.value
    BY_INDEX = ToolName.BY_INDEX.value
    BY_TITLE = ToolName.BY_TITLE.value
    STANDARD = ToolName.STANDARD.value
    NONE = "none"


class PlannedTopic(AnswerSchema):
    topic_name: str
    queries: tuple[str, ...] = Field(max_length=MOST_QUERIES, json_schema_extra=unsent)


class PlannedArgs(AnswerSchema):
    """The arguments of all tools; those of other tools are empty."""

    topics: tuple[PlannedTopic, ...] = Field(max_length=MOST_TOPICS)
    article_numbers: tuple[str, ...] = Field(max_length=MOST_NUMBERS)
    exhibit_numbers: tuple[str, ...] = Field(max_length=MOST_NUMBERS)
    titles: tuple[str, ...] = Field(max_length=MOST_TITLES)
    user_article_numbers: tuple[str, ...] = Field(max_length=MOST_NUMBERS)
    topic: str


NO_ARGS = PlannedArgs(topics=(), article_numbers=(), exhibit_numbers=(), titles=(), user_article_numbers=(), topic="")


class ToolPlan(AnswerSchema):
    """The next tool. Arguments under wrong names or of wrong types are repaired before they are checked."""

    reason: str
    tool: PlannedTool
    args: PlannedArgs

    @model_validator(mode="before")
    @classmethod
    def _repair(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("args"), dict):
            return data
        call = _call(data.get("tool"), data["args"])
        args = NO_ARGS.model_dump() if call is None else call.args.model_dump()
        return {**data, "args": args}

    @property
    def call(self) -> ToolCall | None:
        """The call; None if there is none, or none that could be run."""
        return _call(self.tool.value, self.args.model_dump())


def _call(tool: object, args: dict[str, object]) -> ToolCall | None:
    names = [name for name in ToolName if name.value == tool]
    return repaired(names[0], args) if names else None


class EvaluatorInput(Model):
    """Prompt variables."""

    text: str
    round: int
    most_rounds: int
    passages: tuple[PassageView, ...] = ()
    done: tuple[str, ...] = ()


class Sufficiency(AnswerSchema):
    """Whether what was read answers the question."""

    reason: str
    missing: str
    sufficient: bool


class ResponderInput(Model):
    """Prompt variables."""

    document_title: str
    casual: bool
    passages: tuple[PassageView, ...]


TRIAGE = Agent(
    name="agreement_triage",
    prompt=Prompt(_PROMPTS, "agreement_triage", 1, TriageInput),
    answers=Triage,
    safe_default=Triage(reason="", in_scope=True, needs_tools=True),
)
TOOL_PLANNER = Agent(
    name="agreement_planner",
    prompt=Prompt(_PROMPTS, "agreement_planner", 1, PlannerInput),
    answers=ToolPlan,
    safe_default=ToolPlan(reason="", tool=PlannedTool.NONE, args=NO_ARGS),
)
EVALUATOR = Agent(
    name="agreement_evaluator",
    prompt=Prompt(_PROMPTS, "agreement_evaluator", 1, EvaluatorInput),
    answers=Sufficiency,
    safe_default=Sufficiency(reason="", missing="", sufficient=True),
)
RESPONDER = Speaker(name="agreement_responder", prompt=Prompt(_PROMPTS, "agreement_responder", 1, ResponderInput))
