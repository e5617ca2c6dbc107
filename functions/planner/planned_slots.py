"""Validates the slots of a planned task, so that nothing odd, known or alarming is asked for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from functions.planner.proposal import SLOT_KINDS, SlotProposal
from functions.planner.proposal_errors import ProposalErrors
from shared.content.schemas.plans import PlanFile
from shared.domain.counseling.plans import Fault
from shared.domain.counseling.session import Session
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


def _snake(name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).lower()
    return _NOT_IN_A_NAME.sub("_", words).strip("_").lstrip("0123456789_")[:_NAME_LENGTH].rstrip("_")


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()
