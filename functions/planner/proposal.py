"""What the planner proposes for Part 2, and what of it holds: each item is checked by code, corrected or dropped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from shared.content.catalogue import Content
from shared.content.crisis_rules import alarming
from shared.domain.counseling.module import CRISIS_MODULE, Module
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, Priority, Task, TaskKind, TaskOrigin
from shared.domain.ids import ModuleId, TaskId
from shared.domain.locale import Locale

FEWEST_TASKS, MOST_TASKS = 3, 6
"""Tasks of a plan (domain.md, "1 → 2")."""
MOST_KEYWORDS = 4
KINDS = (
    TaskKind.EXPLORATION,
    TaskKind.EMOTION,
    TaskKind.PATTERN,
    TaskKind.COPING,
    TaskKind.INFORMATION,
    TaskKind.GOAL_SETTING,
)
"""What a task of Part 2 can be about."""
_TITLE_LENGTH, _TEXT_LENGTH = 60, 300
_ALARMING = "speaks of suicide or harm, which is no subject of a plan"


class TaskProposal(BaseModel):
    """A task as the model words it; ids are code's."""

    model_config = ConfigDict(frozen=True)

    kind: str = Field(json_schema_extra={"enum": [kind.value for kind in KINDS]})
    priority: str = Field(default="medium", json_schema_extra={"enum": [priority.value for priority in Priority]})
    module_id: str = Field(default="", description="Id of a technique")
    title: str = Field(description="Shown to the client: short, plain, no jargon")
    description: str
    target: str = Field(description="What the client will have found or said")
    completion_criteria: str = Field(description="What the client must have said for it to be done; observable")
    restrictions: str = Field(default="", description="What the counsellor must not do in it")


class PlanProposal(BaseModel):
    """The model's plan of Part 2."""

    model_config = ConfigDict(frozen=True)

    selected_keywords: tuple[str, ...] = Field(description="One to four of the given keywords, unchanged")
    goal: str = Field(description="One sentence: concrete, and within the level's depth")
    tasks: tuple[TaskProposal, ...] = Field(description="Three to six, in the order in which they lead on")


NO_PLAN = PlanProposal(selected_keywords=(), goal="", tasks=())
"""Holds when the model fails: nothing of it is used."""


@dataclass(frozen=True)
class Plan:
    """What holds of a proposal."""

    goal: str
    keywords: tuple[str, ...]
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class Reader:
    """Reads proposals for one session.

    Attributes:
        keywords: The user's own; none other counts.
        fewest: A plan with fewer valid tasks does not hold.
        make_id: Gives the n-th task its id, from 1.
    """

    content: Content
    locale: Locale
    keywords: Sequence[str]
    fewest: int
    make_id: Callable[[int], TaskId]
    origin: TaskOrigin

    def wrong(self, proposal: PlanProposal) -> str | None:
        """Return what keeps a proposal from holding, for the re-ask."""
        plan = self.read(proposal)
        problems = []
        if not plan.goal:
            problems.append(f"goal is empty, or {_ALARMING}")
        if self.keywords and not plan.keywords:
            problems.append(f"selected_keywords must be one to {MOST_KEYWORDS} of {list(self.keywords)}")
        if len(plan.tasks) < self.fewest:
            kinds = [kind.value for kind in KINDS]
            problems.append(
                f"{len(plan.tasks)} valid tasks, at least {self.fewest} are needed: different titles, no empty text, "
                f"none that {_ALARMING}, kind one of {kinds}"
            )
        return "; ".join(problems) or None

    def read(self, proposal: PlanProposal) -> Plan:
        """Return what holds: unknown keywords and kinds, doubles, crises and what is too many are dropped."""
        named = {self.content.part2_templates.keyword(word, self.locale).casefold(): word for word in self.keywords}
        named |= {word.casefold(): word for word in self.keywords}
        chosen = [named[name] for word in proposal.selected_keywords if (name := word.strip().casefold()) in named]
        return Plan(
            goal="" if alarming(proposal.goal) else _trimmed(proposal.goal, _TEXT_LENGTH),
            keywords=tuple(dict.fromkeys(chosen))[:MOST_KEYWORDS],
            tasks=self._tasks(proposal.tasks),
        )

    def _tasks(self, proposals: Sequence[TaskProposal]) -> tuple[Task, ...]:
        found: dict[str, Task] = {}
        modules = self.content.modules(self.locale)
        for proposal in proposals:
            task = self._task(proposal, modules, len(found) + 1)
            if task is not None and len(found) < MOST_TASKS:
                found.setdefault(task.title.casefold(), task)
        return tuple(found.values())

    def _task(self, proposal: TaskProposal, modules: Sequence[Module], number: int) -> Task | None:
        kind = next((kind for kind in KINDS if kind.value == proposal.kind.strip().casefold()), None)
        texts = [
            _trimmed(text, _TEXT_LENGTH)
            for text in (proposal.description, proposal.target, proposal.completion_criteria)
        ]
        title = _trimmed(proposal.title, _TITLE_LENGTH)
        if kind is None or not title or not all(texts) or alarming(title, *texts):
            return None
        priority = next((p for p in Priority if p.value == proposal.priority.strip().casefold()), Priority.MEDIUM)
        return Task(
            id=self.make_id(number),
            part=Part.EXPLORATION,
            kind=kind,
            module_id=_module(proposal.module_id.strip(), kind, modules),
            priority=priority,
            title=title,
            description=texts[0],
            target=texts[1],
            completion_criteria=texts[2],
            restrictions=_trimmed(proposal.restrictions, _TEXT_LENGTH) or None,
            origin=self.origin,
        )


def keywords_shown(content: Content, session: Session, keywords: Sequence[str]) -> tuple[str, ...]:
    """Return keywords as the prompt names them, in the session's language."""
    return tuple(content.part2_templates.keyword(word, session.locale) for word in keywords)


def _module(named: str, kind: TaskKind, modules: Sequence[Module]) -> ModuleId:
    """An unknown technique gives way to the one that suits the kind; crisis support is never planned."""
    known = {module.id for module in modules} - {CRISIS_MODULE}
    if named in known:
        return ModuleId(named)
    return next(module.id for module in modules if kind in module.suits)


def _trimmed(text: str, length: int) -> str:
    words = " ".join(text.split())
    return words if len(words) <= length else words[: length - 1].rstrip() + "…"
