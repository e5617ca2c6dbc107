"""Validates a proposal for Part 2: each part is corrected or dropped, and faults are counted."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from functions.planner.keywords import chosen_of, rate, shown
from functions.planner.proposal import KINDS, SLOT_KINDS, PlanProposal, ProposalErrors, SlotProposal, TaskProposal
from shared.content.catalogue import Content
from shared.content.schemas.plans import PlanFile
from shared.domain.counseling.module import plannable
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.plans import Fault, PlanFinding, RatedKeyword
from shared.domain.counseling.replanning import plain_title, waits_in_part2
from shared.domain.counseling.review import out_of_plan
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import CompletionRule, Part, Priority, Task, TaskKind, TaskOrigin, signs_needed
from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import Slot, SlotKind

MOST_SLOTS = 2
"""Maximum slots of a task."""
FEWEST_CHOICES, MOST_CHOICES = 2, 6
MOST_QUESTIONS = 3
_LABEL_LENGTH, _QUESTION_LENGTH, _CHOICE_LENGTH, _NAME_LENGTH = 30, 120, 30, 40
_UNNAMED = "detail"
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")
_ASKS = re.compile(r"[?？][\s\"'”’)]*$")


@dataclass(frozen=True)
class SlotReader:
    """Validates the slots of one plan.

    Attributes:
        taken: Names of the plan's slots so far.
    """

    plans: PlanFile
    session: Session
    tally: ProposalErrors
    taken: set[str] = field(default_factory=set)

    def read(self, proposals: Sequence[SlotProposal]) -> tuple[Slot, ...]:
        """Return the valid slots of a task."""
        slots = [slot for proposal in proposals if (slot := self._slot(proposal)) is not None]
        for slot in slots[MOST_SLOTS:]:
            self.tally.note(Fault.TOO_MANY_SLOTS, slot.label)
        return tuple(slots[:MOST_SLOTS])

    def _slot(self, proposal: SlotProposal) -> Slot | None:
        kind = next((kind for kind in SLOT_KINDS if kind.value == proposal.kind.strip().casefold()), None)
        label = self.tally.text(proposal.label, _LABEL_LENGTH)
        questions = self._questions(proposal)
        choices = self._choices(proposal, kind)
        fault = self._fault(proposal, kind, label, questions, choices)
        if fault is not None or kind is None:
            self.tally.note(fault or Fault.SLOT_KIND, label)
            return None
        bounds = self._bounds(proposal, kind)
        return Slot(
            name=self._name(proposal),
            kind=kind,
            label=label,
            questions=questions,
            error=self.plans.slot_error(kind, choices, bounds, self.session.locale, self.session.register_),
            choices=choices,
            minimum=bounds[0],
            maximum=bounds[1],
        )

    def _fault(
        self,
        proposal: SlotProposal,
        kind: SlotKind | None,
        label: str,
        questions: Sequence[str],
        choices: Sequence[str],
    ) -> Fault | None:
        if unfit := self.tally.unfit(proposal.label, *proposal.questions, *proposal.choices):
            return unfit
        if kind is None:
            return Fault.SLOT_KIND
        if not label or not questions:
            return Fault.SLOT_TEXT
        if kind is SlotKind.CHOICE and len(choices) < FEWEST_CHOICES:
            return Fault.SLOT_CHOICES
        return Fault.SLOT_KNOWN if self._known(proposal, label) else None

    def _known(self, proposal: SlotProposal, label: str) -> bool:
        given = self.session.user_info
        labels = {_plain(slot.label) for task in self.session.tasks for slot in task.slots if slot.name in given}
        return _snake(proposal.name) in given or _plain(label) in labels

    def _questions(self, proposal: SlotProposal) -> tuple[str, ...]:
        asked = dict.fromkeys(" ".join(question.split()) for question in proposal.questions)
        return tuple(one for one in asked if _ASKS.search(one) and len(one) <= _QUESTION_LENGTH)[:MOST_QUESTIONS]

    def _choices(self, proposal: SlotProposal, kind: SlotKind | None) -> tuple[str, ...]:
        named = dict.fromkeys(" ".join(choice.split())[:_CHOICE_LENGTH] for choice in proposal.choices)
        choices = tuple(choice for choice in named if choice)[:MOST_CHOICES]
        if kind is SlotKind.CHOICE:
            return choices
        if choices and kind is not None:
            self.tally.note(Fault.SLOT_CHOICES, proposal.label)
        return ()

    def _bounds(self, proposal: SlotProposal, kind: SlotKind) -> tuple[int | None, int | None]:
        low, high = proposal.minimum, proposal.maximum
        if kind is not SlotKind.INTEGER or (low is None and high is None):
            return None, None
        if low is not None and high is not None and low > high:
            self.tally.note(Fault.SLOT_BOUNDS, proposal.label)
            return None, None
        return low, high

    def _name(self, proposal: SlotProposal) -> str:
        """Return the proposed name in snake case, with a number if it is in use."""
        wanted = _snake(proposal.name) or _UNNAMED
        used = self.taken | {slot.name for task in self.session.tasks for slot in task.slots}
        name, number = wanted, 2
        while name in used or name in self.session.user_info:
            name, number = f"{wanted[: _NAME_LENGTH - 4]}_{number}", number + 1
        if name != proposal.name:
            self.tally.note(Fault.SLOT_RENAMED, proposal.name)
        self.taken.add(name)
        return name


FEWEST_TASKS, MOST_TASKS = 3, 6
"""Minimum and maximum tasks of a plan."""
FEWEST_REPLANNED, MOST_REPLANNED = 1, 4
"""Minimum and maximum tasks of a re-plan, not counting tasks that stay."""
_TITLE_LENGTH, _TEXT_LENGTH = 60, 300
_ALARMING = "speaks of suicide or harm or gives orders to a model, which is no subject of a plan"


@dataclass(frozen=True)
class Plan:
    """The valid part of a proposal."""

    goal: str
    keywords: tuple[RatedKeyword, ...]
    tasks: tuple[Task, ...]
    found: tuple[PlanFinding, ...] = ()

    @property
    def chosen(self) -> tuple[str, ...]:
        """Keywords of Part 2, the most relevant first."""
        return chosen_of(self.keywords)

    def misses(self, fault: Fault) -> tuple[str, ...]:
        """Return the texts in which a fault was found."""
        return tuple(finding.what for finding in self.found if finding.fault is fault)


@dataclass(frozen=True)
class Reader:
    """Validates proposals for one session.

    Attributes:
        words: The user's words.
        bounds: Minimum and maximum tasks: a plan with fewer is refused, surplus tasks are dropped.
        make_id: Returns the id of the n-th task, from 1.
        refused: Faults of the refused proposals.
    """

    content: Content
    session: Session
    persona: UserPersona
    words: str
    bounds: tuple[int, int]
    make_id: Callable[[int], TaskId]
    origin: TaskOrigin
    refused: list[PlanFinding] = field(default_factory=list)

    def wrong(self, proposal: PlanProposal) -> str | None:
        """Return why a proposal is refused, for the re-ask, or None.

        Unrated keywords are a reason only for the first proposal, or if no keyword is rated.
        """
        plan = self.read(proposal)
        goal = [] if plan.goal else [f"goal is empty, or {_ALARMING}"]
        problems = [*goal, *self._keyword_problems(plan, proposal), *self._task_problems(plan)]
        if problems:
            self.refused.extend(plan.found)
        return "; ".join(problems) or None

    def read(self, proposal: PlanProposal) -> Plan:
        """Return the valid part of a proposal."""
        tally = ProposalErrors(self.content.text_rules)
        keywords = self.persona.keywords
        unfit = tally.unfit(proposal.goal)
        goal = "" if unfit else tally.text(proposal.goal, _TEXT_LENGTH)
        if not goal:
            tally.note(unfit or Fault.EMPTY_GOAL, "goal")
        return Plan(
            goal=goal,
            keywords=rate(self.content, keywords, self.session.locale, self.words, proposal.ratings, tally),
            tasks=self._tasks(proposal.tasks, tally),
            found=tuple(tally.found),
        )

    def _keyword_problems(self, plan: Plan, proposal: PlanProposal) -> list[str]:
        unrated = plan.misses(Fault.UNRATED_KEYWORD)
        named = list(shown(self.content, unrated, self.session.locale))
        first = not self.refused
        nothing = self.persona.keywords and len(unrated) == len(self.persona.keywords)
        if not unrated or not (first or nothing):
            return []
        return [f"ratings must rate every keyword once, with its name unchanged; not rated: {named}"]

    def _task_problems(self, plan: Plan) -> list[str]:
        fewest, _ = self.bounds
        if len(plan.tasks) >= fewest:
            return []
        kinds = [kind.value for kind in KINDS]
        needed = f"{len(plan.tasks)} valid tasks, at least {fewest} are needed"
        return [f"{needed}: different titles, no empty text, none that {_ALARMING}, kind one of {kinds}"]

    def _tasks(self, proposals: Sequence[TaskProposal], tally: ProposalErrors) -> tuple[Task, ...]:
        fewest, most = self.bounds
        slots = SlotReader(self.content.part2_templates, self.session, tally)
        stay = {plain_title(one.title) for one in self.session.tasks if _stays(one)}
        found: dict[str, Task] = {}
        for proposal in proposals:
            title = plain_title(proposal.title)
            if len(found) == most:
                tally.note(Fault.TOO_MANY_TASKS, proposal.title)
            elif title in found:
                tally.note(Fault.DOUBLE_TASK, proposal.title)
            elif title in stay:
                tally.note(Fault.ALREADY_COVERED, proposal.title)
            elif (task := self._task(proposal, len(found) + 1, slots)) is not None:
                found[title] = task
        if len(found) < fewest:
            tally.note(Fault.TOO_FEW_TASKS)
        return tuple(found.values())

    def _task(self, proposal: TaskProposal, number: int, slots: SlotReader) -> Task | None:
        tally = slots.tally
        kind = next((kind for kind in KINDS if kind.value == proposal.kind.strip().casefold()), None)
        wordings = (proposal.title, proposal.description, proposal.target, proposal.completion_criteria)
        fault = tally.unfit(*wordings) or _fault(wordings, kind)
        if fault is not None or kind is None:
            tally.note(fault or Fault.UNKNOWN_KIND, proposal.title)
            return None
        title, description, target, criteria = (
            tally.text(text, _TITLE_LENGTH if text is proposal.title else _TEXT_LENGTH) for text in wordings
        )
        required = slots.read(proposal.slots)
        return Task(
            id=self.make_id(number),
            part=Part.EXPLORATION,
            kind=kind,
            module_id=self._module(proposal, kind, tally),
            priority=_priority(proposal, tally),
            title=title,
            description=description,
            target=target,
            completion_criteria=criteria,
            completion_rule=CompletionRule.SLOTS if required else CompletionRule.JUDGED,
            restrictions=self._restrictions(proposal, tally),
            origin=self.origin,
            required_slots=required,
            min_turns=signs_needed(kind),
        )

    def _module(self, proposal: TaskProposal, kind: TaskKind, tally: ProposalErrors) -> ModuleId:
        """Return the technique; one that no task of Part 2 may have is replaced by one that suits the kind."""
        modules = plannable(self.content.modules(self.session.locale), self.session.session_type)
        named = ModuleId(proposal.module_id.strip())
        if named in {module.id for module in modules}:
            return named
        tally.note(Fault.UNKNOWN_MODULE, named)
        return next(module.id for module in modules if kind in module.suits)

    def _restrictions(self, proposal: TaskProposal, tally: ProposalErrors) -> str | None:
        unfit = tally.unfit(proposal.restrictions)
        if unfit is Fault.INSTRUCTIVE:
            tally.note(unfit)
        told = "" if unfit else proposal.restrictions
        locale, level = self.session.locale, self.persona.counseling_level
        added = self.content.part2_templates.restriction_left_out(level, told, locale)
        if added:
            tally.note(Fault.RESTRICTION_ADDED, proposal.title)
        own = tally.text(told, _TEXT_LENGTH - len(added) - 1)
        return " ".join(filter(None, (own, added))) or None


def _fault(wordings: Sequence[str], kind: TaskKind | None) -> Fault | None:
    if not all(text.strip() for text in wordings):
        return Fault.EMPTY_TEXT
    return Fault.UNKNOWN_KIND if kind is None else None


def _priority(proposal: TaskProposal, tally: ProposalErrors) -> Priority:
    named = proposal.priority.strip().casefold()
    found = next((priority for priority in Priority if priority.value == named), None)
    if found is None:
        tally.note(Fault.UNKNOWN_PRIORITY, proposal.priority)
    return found or Priority.MEDIUM


def _stays(task: Task) -> bool:
    """Return whether a re-plan keeps a task; a task that was put aside may be planned again."""
    return task.part is Part.EXPLORATION and not waits_in_part2(task) and not out_of_plan(task)


def _snake(name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).lower()
    return _NOT_IN_A_NAME.sub("_", words).strip("_").lstrip("0123456789_")[:_NAME_LENGTH].rstrip("_")


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()
