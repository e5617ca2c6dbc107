"""The written cases for the agents of other services and of the background, read and checked."""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from cases.case import Exchange
from shared.content.loader import load_yaml
from shared.domain.counseling.supervision import Criterion
from shared.locale import Locale
from shared.model import Model
from tests.evaluation.cases import WrittenMessage

HOME = Path(__file__).parents[1] / "fixtures" / "evaluation"
FEWEST = 20
"""Cases of a group."""


class WrittenDialogue(Model):
    """Turns of a session: what the user said, and the reply to it."""

    id: str = Field(pattern=r"^(ko|en)_[a-z_]+_\d+$")
    turns: tuple[Exchange, ...] = Field(min_length=1, max_length=3)


class JudgedTask(Model):
    """The task under way in a dialogue that is judged, and its session."""

    title: str
    target: str
    restrictions: str
    goal: str
    level: int = Field(ge=1, le=5)


class SupervisionCase(WrittenDialogue):
    """A dialogue to be judged; a finding that can be disputed is None."""

    task: str
    red_item: bool | None = False
    violated: bool | None = False
    needs_improvement: bool
    low: frozenset[Criterion] = frozenset()
    sound: frozenset[Criterion] = frozenset()


class SummaryCase(WrittenDialogue):
    """A dialogue to be summarised; each fact is a list of spellings of which one is enough."""

    before: str = ""
    known: dict[str, str] = Field(default_factory=dict)
    keeps: tuple[tuple[str, ...], ...] = Field(min_length=1)
    leaves_out: tuple[tuple[str, ...], ...] = Field(min_length=1)


class ExtractionCase(WrittenMessage):
    """A message about a booking that the rules do not read whole.

    Attributes:
        slot: What was asked for.
        expected: By value, its spellings; a note holds one of them.
    """

    slot: Literal["date", "time"]
    expected: dict[Literal["date", "time", "way", "note"], tuple[str, ...]]


def locale_of(case_id: str) -> Locale:
    """Return a case's language, which its id begins with."""
    return Locale(case_id[:2])


class AgentCases(Model):
    """The cases of a file; it holds those of one agent."""

    extraction: tuple[ExtractionCase, ...] = Field((), min_length=FEWEST)
    tasks: dict[str, JudgedTask] = Field(default_factory=dict)
    supervision: tuple[SupervisionCase, ...] = Field((), min_length=FEWEST)
    summaries: tuple[SummaryCase, ...] = Field((), min_length=FEWEST)


@cache
def written(name: str) -> AgentCases:
    """Return a file's cases; a ConfigError says where the file is wrong."""
    return load_yaml(HOME / f"{name}.yaml", AgentCases)
