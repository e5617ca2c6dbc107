"""The written cases for the agents of a turn and of the background, read and checked."""

from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field

from shared.content.loader import load_yaml
from shared.contracts.chat import ServiceName
from shared.domain.counseling.supervision import Criterion
from shared.domain.counseling.task import Part, Priority, TaskKind
from shared.domain.counseling.user_state import EmotionLabel, Resistance, UserState
from shared.domain.ids import ModuleId
from shared.locale import Locale
from shared.model import Model
from tests.evaluation.cases import Exchange, WrittenMessage

HOME = Path(__file__).parents[1] / "fixtures" / "evaluation"
NONE_FITS = "none"
FEWEST = 20
"""Cases of a group."""

M = TypeVar("M", bound=Model)


class StateCase(WrittenMessage):
    """A message in a task."""

    topic: str = ""


class ResistanceCase(StateCase):
    expected: Resistance


class FlagCase(StateCase):
    expected: bool


class EmotionCase(StateCase):
    """Each label is right; `strong` is an intensity that needs regulation."""

    labels: frozenset[EmotionLabel] = Field(min_length=1)
    strong: bool


class StateCases(Model):
    """`user_state.yaml`."""

    resistance: tuple[ResistanceCase, ...] = Field(min_length=FEWEST)
    topic_change: tuple[FlagCase, ...] = Field(min_length=FEWEST)
    circular: tuple[FlagCase, ...] = Field(min_length=FEWEST)
    emotion: tuple[EmotionCase, ...] = Field(min_length=FEWEST)


class Criteria(Model):
    """What a task wants, and when it is done."""

    title: str
    target: str
    criteria: str


class CompletionCase(WrittenMessage):
    task: str
    complete: bool


class SlotCase(WrittenMessage):
    """A message in which values are asked for.

    Attributes:
        ask: Names of the open slots, the one that was asked for first.
        expected: By slot, the spellings of a given name, or the words of which another given value holds one.
    """

    ask: tuple[str, ...] = Field(min_length=1)
    expected: dict[str, tuple[str, ...]]


class CompletionCases(Model):
    """`task_completion.yaml`."""

    tasks: dict[str, Criteria]
    completion: tuple[CompletionCase, ...] = Field(min_length=FEWEST)
    slots: tuple[SlotCase, ...] = Field(min_length=FEWEST)
    labels: dict[str, str]


class PlannedTask(Model):
    id: str
    priority: Priority
    title: str
    target: str


class WrittenPlan(Model):
    goal: str
    tasks: tuple[PlannedTask, ...] = Field(min_length=3)


class SelectionCase(WrittenMessage):
    """A message after which a task is chosen.

    Attributes:
        expected: Ids of which one is right.
    """

    plan: str
    covered: frozenset[str] = frozenset()
    current: str | None = None
    expected: frozenset[str] = Field(min_length=1)


class SelectionCases(Model):
    """`task_selection.yaml`."""

    plans: dict[str, WrittenPlan]
    selection: tuple[SelectionCase, ...] = Field(min_length=FEWEST)


class ModuleTask(Model):
    """The task under way when a module is chosen.

    Attributes:
        module: The task's own.
    """

    part: Part
    kind: TaskKind
    module: ModuleId
    title: str


class ModuleCase(WrittenMessage):
    """A message for which a module is chosen.

    Attributes:
        state: What the detector read of it.
        expected: The modules of which one is right.
    """

    task: str
    state: UserState = UserState()
    expected: frozenset[ModuleId] = Field(min_length=1)


class ModuleCases(Model):
    """`module_selection.yaml`."""

    tasks: dict[str, ModuleTask]
    states: tuple[ModuleCase, ...] = Field(min_length=FEWEST)
    techniques: tuple[ModuleCase, ...] = Field(min_length=FEWEST)


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


class SupervisionCases(Model):
    """`supervision.yaml`."""

    tasks: dict[str, JudgedTask]
    supervision: tuple[SupervisionCase, ...] = Field(min_length=FEWEST)


class SummaryCase(WrittenDialogue):
    """A dialogue to be summarised; each fact is a list of spellings of which one is enough."""

    before: str = ""
    known: dict[str, str] = Field(default_factory=dict)
    keeps: tuple[tuple[str, ...], ...] = Field(min_length=1)
    leaves_out: tuple[tuple[str, ...], ...] = Field(min_length=1)


class SummaryCases(Model):
    """`summary.yaml`."""

    summaries: tuple[SummaryCase, ...] = Field(min_length=FEWEST)


class IntentCase(WrittenMessage):
    """A message of which the service is in doubt.

    Attributes:
        answered_by: The service of the newest reply.
        expected: The service that is meant, or `unclear`.
    """

    answered_by: ServiceName
    expected: ServiceName | Literal["unclear"]


class IntentCases(Model):
    """`intent.yaml`."""

    intent: tuple[IntentCase, ...] = Field(min_length=FEWEST)


class ExtractionCase(WrittenMessage):
    """A message about a booking that the rules do not read whole.

    Attributes:
        slot: What was asked for.
        expected: By value, its spellings; a note holds one of them.
    """

    slot: Literal["date", "time"]
    expected: dict[Literal["date", "time", "way", "note"], tuple[str, ...]]


class ExtractionCases(Model):
    """`booking_extraction.yaml`."""

    extraction: tuple[ExtractionCase, ...] = Field(min_length=FEWEST)


def locale_of(case_id: str) -> Locale:
    """Return a case's language, which its id begins with."""
    return Locale(case_id[:2])


@cache
def state_cases() -> StateCases:
    return _read("user_state", StateCases)


@cache
def completion_cases() -> CompletionCases:
    return _read("task_completion", CompletionCases)


@cache
def selection_cases() -> SelectionCases:
    return _read("task_selection", SelectionCases)


@cache
def module_cases() -> ModuleCases:
    return _read("module_selection", ModuleCases)


@cache
def supervision_cases() -> SupervisionCases:
    return _read("supervision", SupervisionCases)


@cache
def summary_cases() -> SummaryCases:
    return _read("summary", SummaryCases)


@cache
def intent_cases() -> IntentCases:
    return _read("intent", IntentCases)


@cache
def extraction_cases() -> ExtractionCases:
    return _read("booking_extraction", ExtractionCases)


def _read(name: str, model: type[M]) -> M:
    """Return a file's cases; a ConfigError says where the file is wrong."""
    return load_yaml(HOME / f"{name}.yaml", model)
