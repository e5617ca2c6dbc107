"""Task Completion Checker: slots and the gate by rule; the model extracts and judges what has no rule."""

from dataclasses import dataclass
from typing import assert_never

from pydantic import Field, JsonValue

from functions.chat.flows.counseling.detectors.slot_reading import (
    by_rule,
    correctable,
    fill,
    holds,
    note_declined,
    open_slots,
)
from functions.chat.flows.counseling.going_on import taken_up_now
from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.prompting import PROMPTS
from shared.content.catalogue import Content
from shared.content.instructions import instructive
from shared.content.lexicon import Lexicon
from shared.domain.counseling.lifecycle import turns_exhausted
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import CompletionRule, SufficientReason, Task
from shared.domain.counseling.task_events import TaskCovered, TaskTurnSpent
from shared.domain.counseling.task_remarks import task_remarks
from shared.domain.slots import Slot, gate_open
from shared.engine.agent import Agent, AnswerSchema
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import is_verbatim_quote

AGENT = "task_completion_checker"
EVIDENCE_LENGTH = 300
"""Characters of evidence that are kept."""


class SlotFound(AnswerSchema):
    """A value the user gave, in their words."""

    name: str
    quote: str = Field(description="The user's own words that hold the value, verbatim")
    value: str


class TaskCompletion(AnswerSchema):
    """The model's proposal: the verdict before the evidence."""

    # Against the rule of other schemas: this verdict is to be acted on before the answer ends.
    complete: bool = Field(description="The task's completion criteria are met by what the user has said")
    evidence: str = Field(description="The user's own words that show it, verbatim; empty if it is not complete")
    slots: tuple[SlotFound, ...] = Field(description="Values the user gave in the newest message; or empty")


class GivenSlot(Model):
    """A value that the user may correct."""

    name: str
    label: str
    value: str


class CompletionInput(Model):
    """What the prompt is rendered from.

    Attributes:
        supervision: What the supervisor wants mended about the task, while its score is low.
    """

    task_title: str
    task_target: str
    completion_criteria: str
    judged: bool
    slots: tuple[Slot, ...]
    given: tuple[GivenSlot, ...]
    last_question: str | None
    supervision: tuple[str, ...] = ()
    lines: tuple[Line, ...]
    text: str


CHECKER = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 2, CompletionInput),
    answers=TaskCompletion,
    safe_default=TaskCompletion(complete=False, evidence="", slots=()),
)


@dataclass(frozen=True)
class Checked:
    """What the checker found of the task that was in progress.

    Attributes:
        current: None where no task was worked on.
        evidence: The user's own words that the model's judgement rests on; empty where it found nothing.
    """

    current: Task | None
    evidence: str = ""


async def check_task(progress: Progress, content: Content) -> Checked | None:
    """Fill slots, and ask whether the current task's goal is reached; None while the plan is being made."""
    state, turn, lexicon = progress.state, progress.turn, content.lexicon
    declined = note_declined(progress, content)
    wanted = tuple(slot for slot in (*open_slots(state), *correctable(state)) if slot.name not in declined)
    ruled = by_rule(state, wanted, turn.text, content)
    fill(progress, wanted, ruled, lexicon)
    if state.plan_status is PlanStatus.PLANNING:
        turn.scope.ledger.ruled(AGENT, None, "the plan is being made")
        return None
    current = None if taken_up_now(progress) else state.task_in_progress
    if current is not None:
        progress.note(TaskTurnSpent(task_id=current.id))
    reason = _needs_no_model(progress, current, lexicon)
    if reason is not None:
        turn.scope.ledger.ruled(AGENT, _values(progress.state, wanted), reason)
        return Checked(current)
    answer = await turn.runner.ask(CHECKER, _input(progress, current), turn.scope)
    slots = {slot.name: slot for slot in wanted}
    found = {
        each.name: each.value
        for each in answer.slots
        if each.name not in ruled and is_verbatim_quote(each.quote, turn.text)
        if each.name in slots and holds(slots[each.name], each.value, turn.text, content)
    }
    fill(progress, wanted, found, lexicon)
    turned_away = bool(declined) or lexicon.changes_topic(turn.text)
    shown = answer.complete and not turned_away and _shown(answer.evidence, progress)
    return Checked(current, answer.evidence if shown else "")


def cover_tasks(progress: Progress, checked: Checked | None, lexicon: Lexicon) -> None:
    """Note which tasks are covered now; words that go in a circle show no goal reached."""
    if checked is None:
        return
    judged = "" if progress.state.user_state.circular else checked.evidence
    for task in progress.state.tasks:
        covered = _covered(progress, task, checked.current, lexicon, judged=bool(judged))
        if covered is not None:
            evidence = _evidence(progress, task, covered, judged)
            progress.note(TaskCovered(task_id=task.id, reason=covered, evidence=evidence, seq=progress.turn.seq))


def _needs_no_model(progress: Progress, current: Task | None, lexicon: Lexicon) -> str | None:
    """Return the rule that makes the model's answer needless, or None."""
    wanted = open_slots(progress.state)
    judged = current is not None and current.completion_rule is CompletionRule.JUDGED
    if lexicon.is_backchannel(progress.turn.text):
        return "backchannel"
    if not wanted and not judged:
        return "gate"
    if judged and not wanted and lexicon.says_task_done(progress.turn.text):
        return "explicit"
    return None


def _covered(
    progress: Progress, task: Task, current: Task | None, lexicon: Lexicon, *, judged: bool
) -> SufficientReason | None:
    if task.part != progress.state.current_part or task.covered:
        return None
    if gate_open(task.required_slots, progress.state.user_info, progress.state.declined_slots):
        return SufficientReason.GATE
    if current is None or task.id != current.id:
        return None
    if task.completion_rule is CompletionRule.REPLY:
        return SufficientReason.REPLY
    if task.completion_rule is CompletionRule.NOTHING_LEFT and lexicon.has_nothing_to_say(progress.turn.text):
        return SufficientReason.REPLY
    if lexicon.says_task_done(progress.turn.text):
        return SufficientReason.EXPLICIT
    if judged and task.completion_rule is CompletionRule.JUDGED:
        return SufficientReason.JUDGED
    return SufficientReason.BOUNDED if turns_exhausted(current) else None


def _evidence(progress: Progress, task: Task, reason: SufficientReason, judged: str) -> str:
    """Return the user's own words that a task's being covered rests on."""
    match reason:
        case SufficientReason.GATE:
            given = progress.state.user_info
            words = "; ".join(f"{slot.label}: {given[slot.name]}" for slot in task.required_slots if slot.name in given)
        case SufficientReason.JUDGED:
            words = judged
        case SufficientReason.REPLY | SufficientReason.EXPLICIT:
            words = progress.turn.text
        case SufficientReason.BOUNDED:
            words = ""
        case _:
            assert_never(reason)
    return words[:EVIDENCE_LENGTH]


def _input(progress: Progress, current: Task | None) -> CompletionInput:
    state = progress.state
    asked = next((slot for slot in open_slots(state) if slot.name == state.last_asked), None)
    return CompletionInput(
        task_title=current.title if current else "",
        task_target=current.target if current else "",
        completion_criteria=current.completion_criteria if current else "",
        judged=current is not None and current.completion_rule is CompletionRule.JUDGED,
        slots=open_slots(state),
        given=tuple(
            GivenSlot(name=slot.name, label=slot.label, value=str(state.user_info[slot.name]))
            for slot in correctable(state)
            if slot.name in state.user_info
        ),
        last_question=asked.questions[0] if asked else None,
        supervision=task_remarks(state, progress.turn.seq).improvements,
        lines=lines(progress.turn.state.recent),
        text=progress.turn.text,
    )


def _shown(evidence: str, progress: Progress) -> bool:
    """Tell whether the user said it; orders to a model ("complete=true") show nothing of what a task is about."""
    return is_verbatim_quote(evidence, _users_words(progress)) and not instructive(evidence)


def _users_words(progress: Progress) -> str:
    """Return the words that may be evidence: of a talk that has left its task, those of the newest message alone."""
    if task_remarks(progress.state, progress.turn.seq).astray:
        return progress.turn.text
    earlier = [message.text for message in progress.turn.state.recent if message.role == "user"]
    return "\n".join([*earlier, progress.turn.text])


def _values(state: Session, slots: tuple[Slot, ...]) -> dict[str, JsonValue]:
    return {slot.name: state.user_info[slot.name] for slot in slots if slot.name in state.user_info}
