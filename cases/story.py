"""A story: one whole session, line by line what the client says, how it is read, what is replied and what must hold.

The form is explained in `cases/README.md`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from functions.chat.reading import DangerKind
from shared.content.conditions import load_conditions
from shared.content.loader import load_yaml
from shared.domain.counseling.directive import Stance
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import CompletionRule, Part, Priority, Task, TaskKind, TaskOrigin
from shared.domain.counseling.user_state import EmotionLabel
from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import SlotValue
from shared.locale import Locale
from shared.model import Model
from shared.safety.levels import RiskLevel
from shared.services.counseling.evidence import is_verbatim_quote, plain

STORIES = Path(__file__).parent / "stories"
_WHO = {"own_life": "own", "other_life": "other", "harm_to_others": "harm", "violence": "violence"}

Told: TypeAlias = tuple[SlotValue, str]
"""A value, and the client's words for it."""


def _listed(value: object) -> object:
    """Return one as a list of one; and a danger `[kind, level, quote]` as a list of it."""
    if isinstance(value, list) and value and not isinstance(value[0], list):
        return [value] if len(value) == 3 and str(value[0]) in _WHO else value
    return [value] if isinstance(value, str) else value


Listed = BeforeValidator(_listed)
"""One is read as a list of one."""


def _risk(value: object) -> object:
    return RiskLevel[value.upper()] if isinstance(value, str) and value.upper() in RiskLevel.__members__ else value


class Gold(Model):
    """How a careful counsellor reads one message.

    Attributes:
        danger: Kind, level and the client's words.
        signs: The client's words by condition; `told` and `corrects` follow from `values` and `corrects`.
        feeling: Name, intensity (1-10) and words.
        asked: What the message answers: the `asks` of the line before.
        module: Those that serve equally well.
        notes: What an author who had seen no condition noted, in plain words.
    """

    danger: Annotated[tuple[tuple[str, str, str], ...], Listed] = ()
    signs: Mapping[str, str] = Field(default_factory=dict)
    values: Mapping[str, Told] = Field(default_factory=dict)
    corrects: Mapping[str, Told] = Field(default_factory=dict)
    feeling: tuple[EmotionLabel, int, str] | None = None
    asked: str | None = None
    next_task: str | None = None
    module: Annotated[tuple[ModuleId, ...], Listed] = ()
    notes: tuple[str, ...] = ()

    @property
    def dangers(self) -> dict[DangerKind, str]:
        """The client's words by kind of danger."""
        return {DangerKind(f"{_WHO[who]}_{level}"): quote for who, level, quote in self.danger}

    @property
    def quotes(self) -> Iterator[str]:
        """All words that must be the client's."""
        yield from (quote for _, _, quote in self.danger)
        yield from self.signs.values()
        yield from (quote for _, quote in (*self.values.values(), *self.corrects.values()))
        yield from (self.feeling[2],) if self.feeling else ()


class Holds(Model):
    """What holds after a line; only what changed since the line before is written."""

    part: Part | None = None
    task: str | None = None
    stance: Stance | None = None
    risk: Annotated[RiskLevel | None, BeforeValidator(_risk)] = None
    service: Literal["counseling", "agreement", "booking"] = "counseling"
    ended: bool = False


class StoryLine(Model):
    """One turn."""

    client: str
    reading: Gold = Gold()
    reply: str
    asks: str | None = None
    holds: Holds = Holds()

    @model_validator(mode="after")
    def _quotes_the_client(self) -> "StoryLine":
        if wrong := [quote for quote in self.reading.quotes if not is_verbatim_quote(quote, self.client)]:
            raise ValueError(f"not the client's words: {wrong}")
        if unknown := set(self.reading.signs) - set(load_conditions().conditions):
            raise ValueError(f"no such condition: {sorted(unknown)}")
        return self


class PlannedTask(Model):
    """A task of Part 2 as the planner answers it."""

    id: TaskId
    kind: TaskKind
    priority: Priority = Priority.MEDIUM
    title: str
    target: str
    criteria: str

    def pending(self) -> Task:
        return Task(
            id=self.id,
            part=Part.EXPLORATION,
            kind=self.kind,
            module_id=ModuleId("empathy_expression"),
            priority=self.priority,
            title=self.title,
            description=self.target,
            target=self.target,
            completion_criteria=self.criteria,
            completion_rule=CompletionRule.JUDGED,
            origin=TaskOrigin.PLANNER,
        )


class Plan(Model):
    """A plan of Part 2.

    Attributes:
        after: Line (1 = the first) after which it holds; 0 for the first plan, which holds from Part 2 on.
        parks: Tasks of an earlier plan that it puts aside.
    """

    goal: str
    tasks: tuple[PlannedTask, ...] = Field(min_length=1)
    after: int = 0
    parks: tuple[TaskId, ...] = ()


class Closing(Model):
    """What the client gets to read of the session at its end.

    Attributes:
        sentences: Each after the client's words that it rests on.
        goals: Each after the client's words that hold it.
    """

    sentences: tuple[tuple[str, str], ...] = Field(min_length=1)
    goals: tuple[tuple[str, str], ...] = ()
    next_session: str


class CarriedOver(Model):
    """The record of an earlier session."""

    summary: str
    goals: tuple[str, ...] = ()
    next_plan: str = ""


class Opens(Model):
    """How the session is opened."""

    session_type: SessionType = SessionType.FIRST_SESSION
    name: str | None = None
    carried: CarriedOver | None = None
    document: bool = False
    booking: bool = False


class Story(Model):
    """One whole session.

    Attributes:
        plan: The plan of Part 2, and those that replace it.
        trial: It plays to its end as it is written, and a start without a key offers it.
        blind: Its author had seen neither prompt nor conditions, and it was opened only after the prompt was done.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    locale: Locale
    title: str
    about: str
    opens: Opens = Opens()
    trial: bool = False
    blind: bool = False
    plan: Annotated[tuple[Plan, ...], BeforeValidator(lambda one: [one] if isinstance(one, dict) else one)] = ()
    lines: tuple[StoryLine, ...] = Field(min_length=1)
    closing: Closing | None = None

    @model_validator(mode="after")
    def _closes_in_the_clients_words(self) -> "Story":
        quotes = [quote for quote, _ in (*self.closing.sentences, *self.closing.goals)] if self.closing else []
        if wrong := [one for one in quotes if not any(is_verbatim_quote(one, line.client) for line in self.lines)]:
            raise ValueError(f"the closing quotes what the client did not say: {wrong}")
        return self

    @model_validator(mode="after")
    def _starts_whole(self) -> "Story":
        first = self.lines[0].holds
        if first.part is None or first.task is None or first.stance is None:
            raise ValueError("the first line holds part, task and stance")
        return self

    def held(self, number: int) -> Holds:
        """Return all that holds after line `number` (1 is the first); what a line leaves out stands as before."""
        held = Holds(risk=RiskLevel.NONE)
        for line in self.lines[:number]:
            now = line.holds
            changed = {name: getattr(now, name) for name in ("part", "task", "stance", "risk")}
            kept = {name: value for name, value in changed.items() if value is not None}
            held = held.model_copy(update={**kept, "service": now.service, "ended": now.ended})
        return held


@cache
def load_story(path: Path) -> Story:
    """Load a story (`ContentError` for a wrong file, with its line)."""
    story = load_yaml(path, Story)
    if story.id != path.stem:
        raise ValueError(f"{path.name}: its id is {story.id}")
    return story


def load_stories(folder: Path = STORIES) -> Sequence[Story]:
    """Load all stories of a folder, by name."""
    return [load_story(path) for path in sorted(folder.glob("*.yaml"))]


def letters(text: str) -> str:
    """Return a line without spaces and punctuation, unless it has nothing else."""
    return plain(text) or text.strip()


def same_words(one: str, other: str) -> bool:
    """Return whether two lines differ in spaces and punctuation alone."""
    return letters(one) == letters(other)
