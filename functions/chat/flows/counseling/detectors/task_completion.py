"""Task Completion Checker: rules fill slots and check the gate; the model extracts and judges the rest."""

from dataclasses import dataclass
from typing import assert_never

from pydantic import Field, JsonValue

from functions.chat.flows.counseling.detectors.corrections import corrected_by_rule
from functions.chat.flows.counseling.detectors.proposed_values import holds
from functions.chat.flows.counseling.detectors.slot_reading import (
    ReadValue,
    by_rule,
    correctable,
    declined,
    filled,
    open_slots,
)
from functions.chat.flows.counseling.findings import Findings, after
from functions.chat.flows.counseling.going_on import taken_up_now
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.lifecycle import turns_exhausted
from shared.domain.counseling.readings import before, newly_named
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.session_events import MisreadTold
from shared.domain.counseling.task import CompletionRule, SufficientReason, Task
from shared.domain.counseling.task_events import TaskCovered, TaskSignSeen, TaskTurnSpent
from shared.domain.counseling.task_remarks import task_remarks
from shared.domain.event import Event
from shared.domain.slots import Slot, gate_open
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.lexicon.words import Words
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.levels import RiskLevel
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import is_verbatim_quote

AGENT = "task_completion_checker"
EVIDENCE_LENGTH = 300
"""Maximum characters of stored evidence."""
_HELD_AT_A_FEELING = (SufficientReason.JUDGED, SufficientReason.BOUNDED)
"""Reasons that do not close a task in the turn of a new feeling, which is received first."""
LONGEST_HELD = 2
"""Turns after its bound for which new feelings keep a task open."""


class SlotFound(AnswerSchema):
    """A value the user gave, in their words."""

    name: str
    quote: str = Field(description="The user's own words that hold the value, verbatim")
    value: str


class TaskCompletion(AnswerSchema):
    """The model's proposal: the verdict before the evidence."""

    # Unlike in other schemas the verdict comes first, so that it can be acted on before the answer ends.
    complete: bool = Field(description="The task's completion criteria are met by what the user has said")
    evidence: str = Field(description="The user's own words that show it, verbatim; empty if it is not complete")
    slots: tuple[SlotFound, ...] = Field(description="Values the user gave in the newest message; or empty")


class GivenSlot(Model):
    """A value that the user may correct."""

    name: str
    label: str
    value: str


class CompletionInput(Model):
    """Prompt variables.

    Attributes:
        supervision: The supervisor's improvements for the task, while its score is low.
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
    prompt=Prompt(PROMPTS, AGENT, 3, CompletionInput),
    answers=TaskCompletion,
    safe_default=TaskCompletion(complete=False, evidence="", slots=()),
)


@dataclass(frozen=True)
class Checked:
    """The checker's result.

    Attributes:
        current: The task that was checked; None if there is none.
        evidence: The user's words that support the model's verdict; empty if the task is not complete.
        said_seq: The turn in which the user said them.
        held: No task is covered in this turn: the plan is being made, or the user's safety goes first.
        turned_away: The user declines, corrects the reply or changes the topic: no sign for the task.
    """

    found: Findings
    current: Task | None = None
    evidence: str = ""
    said_seq: int = 0
    held: bool = False
    turned_away: bool = False


async def check_task(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content
) -> Checked:
    """Fill slots and check whether the current task's goal is reached."""
    refused, declined_now = declined(message, session, content)
    events: tuple[Event[Session], ...] = (refused,) if refused else ()
    state = after(session, events, turn.now)
    changeable = correctable(session, message.text, content)
    wanted = tuple(slot for slot in (*open_slots(session), *changeable) if slot.name not in declined_now)
    ruled = by_rule(session, wanted, message.text, content)
    ruled |= corrected_by_rule(session, wanted, message.text, content)
    heard = {name: ReadValue(value, message.text) for name, value in ruled.items()}
    events += filled(turn, session, wanted, heard, content)
    if session.plan_status is PlanStatus.PLANNING:
        turn.scope.ledger.ruled(AGENT, None, "the plan is being made")
        return Checked(Findings(events=events), held=True)
    if _about_danger(turn, session):
        turn.scope.ledger.ruled(AGENT, None, "the user's safety goes first")
        return Checked(Findings(events=events), held=True)
    current = None if taken_up_now(found) else session.task_in_progress
    if current is not None:
        events += (TaskTurnSpent(task_id=current.id),)
    state = after(session, events, turn.now)
    reason = _needs_no_model(message, state, current)
    if reason is not None:
        turn.scope.ledger.ruled(AGENT, _values(state, wanted), reason)
        return Checked(Findings(events=events), current)
    answer = await turn.runner.ask(CHECKER, _input(turn, message.text, state, current, changeable), turn.scope)
    slots = {slot.name: slot for slot in wanted}
    read = {
        each.name: value
        for each in answer.slots
        if each.name not in ruled and is_verbatim_quote(each.quote, message.text)
        if each.name in slots
        if holds(slots[each.name], value := ReadValue(each.value, each.quote), message.text, content)
    }
    events += filled(turn, state, wanted, read, content)
    turned_away = bool(declined_now or found.of(MisreadTold)) or message.words.changes_topic
    shown = answer.complete and not turned_away and _shown(answer.evidence, turn, message.text, state, content)
    said = _said_in(answer.evidence, turn, message.text) if shown else 0
    evidence = answer.evidence if shown else ""
    return Checked(Findings(events=events), current, evidence, said, turned_away=turned_away)


def cover_tasks(message: UserMessage, session: Session, checked: Checked, seq: int) -> Findings:
    """Return the tasks covered now, and the sign that this turn gives for the current one.

    A judged task needs signs from several turns; in circular talk the model's verdict is none. One that a new feeling
    kept open is covered in the next turn.
    """
    if checked.held:
        return Findings()
    judged = "" if session.user_state.circular else checked.evidence
    sign: tuple[Event[Session], ...] = ()
    current = checked.current
    if current is not None and judged:
        sign = (TaskSignSeen(task_id=current.id, seq=checked.said_seq),)
        current = current.with_sign(checked.said_seq)
    signed = not (session.user_state.circular or checked.turned_away)
    covered = (
        (task, reason)
        for task in session.tasks
        if (reason := _covered(message.words, session, task, current, signed=signed))
        if not (reason in _HELD_AT_A_FEELING and _feels_anew(session, task, seq))
    )
    events = (
        TaskCovered(
            task_id=task.id, reason=reason, evidence=_evidence(message.text, session, task, reason, judged), seq=seq
        )
        for task, reason in covered
    )
    return Findings(events=(*sign, *events))


def _needs_no_model(message: UserMessage, state: Session, current: Task | None) -> str | None:
    """Return the rule that makes the model's answer unnecessary, or None."""
    words, wanted = message.words, open_slots(state)
    judged = current is not None and current.completion_rule is CompletionRule.JUDGED
    if words.is_backchannel:
        return "backchannel"
    if current is not None and current.completion_rule is CompletionRule.STEPS:
        return "the steps of the safety plan are read by rule"
    if not wanted and not judged and not message.corrects_value:
        return "gate"
    if judged and not wanted and words.says_task_done:
        return "explicit"
    return None


def _covered(
    words: Words, state: Session, task: Task, current: Task | None, *, signed: bool
) -> SufficientReason | None:
    if task.part != state.current_part or task.covered:
        return None
    if gate_open(task.required_slots, state.user_info, state.declined_slots) and not state.user_state.circular:
        return SufficientReason.GATE
    if current is None or task.id != current.id:
        return None
    if task.completion_rule is CompletionRule.REPLY:
        return SufficientReason.REPLY
    if task.completion_rule is CompletionRule.NOTHING_LEFT and words.has_nothing_to_say:
        return SufficientReason.REPLY
    if words.says_task_done:
        return SufficientReason.EXPLICIT
    if signed and task.completion_rule is CompletionRule.JUDGED and len(current.signs) >= current.min_turns:
        return SufficientReason.JUDGED
    return SufficientReason.BOUNDED if turns_exhausted(current) else None


def _feels_anew(state: Session, task: Task, seq: int) -> bool:
    """Return whether this turn brings a new feeling; past its bound a task waits for few of them."""
    late = task.turns_spent >= task.max_turns + LONGEST_HELD
    return newly_named(state.user_state, before(state.readings, seq)) and not late


def _evidence(text: str, state: Session, task: Task, reason: SufficientReason, judged: str) -> str:
    """Return the user's words that show that the task is covered; empty if it ran out of turns."""
    match reason:
        case SufficientReason.GATE:
            given = state.user_info
            words = "; ".join(f"{slot.label}: {given[slot.name]}" for slot in task.required_slots if slot.name in given)
        case SufficientReason.JUDGED:
            words = judged or _signed_words(state, task)
        case SufficientReason.REPLY | SufficientReason.EXPLICIT:
            words = text
        case SufficientReason.BOUNDED:
            words = ""
        case _:
            assert_never(reason)
    return words[:EVIDENCE_LENGTH]


def _signed_words(state: Session, task: Task) -> str:
    """Return the newest message that was a sign for a task, as far as the window holds one."""
    said = (one.text for one in reversed(state.recent) if one.role == "user" and one.seq in task.signs)
    return next(said, "")


def _input(
    turn: Turn[Session], text: str, state: Session, current: Task | None, changeable: tuple[Slot, ...]
) -> CompletionInput:
    asked = next((slot for slot in open_slots(state) if slot.name == state.last_asked), None)
    return CompletionInput(
        task_title=current.title if current else "",
        task_target=current.target if current else "",
        completion_criteria=current.completion_criteria if current else "",
        judged=current is not None and current.completion_rule is CompletionRule.JUDGED,
        slots=open_slots(state),
        given=tuple(
            GivenSlot(name=slot.name, label=slot.label, value=str(state.user_info[slot.name]))
            for slot in changeable
            if slot.name in state.user_info
        ),
        last_question=asked.questions[0] if asked else None,
        supervision=task_remarks(state, turn.seq).improvements,
        lines=lines(turn.state.recent),
        text=text,
    )


def _shown(evidence: str, turn: Turn[Session], text: str, state: Session, content: Content) -> bool:
    """Return whether the evidence is the user's words and no instruction to a model ("complete=true")."""
    return is_verbatim_quote(evidence, _users_words(turn, text, state)) and not content.text_rules.instructive(evidence)


def _users_words(turn: Turn[Session], text: str, state: Session) -> str:
    """Return the words that may be evidence; only the newest message if the dialogue has left the task."""
    if task_remarks(state, turn.seq).astray:
        return text
    earlier = [message.text for message in turn.state.recent if message.role == "user"]
    return "\n".join([*earlier, text])


def _said_in(evidence: str, turn: Turn[Session], text: str) -> int:
    """Return the newest turn whose message has the words."""
    if is_verbatim_quote(evidence, text):
        return turn.seq
    said = (
        one.seq for one in reversed(turn.state.recent) if one.role == "user" and is_verbatim_quote(evidence, one.text)
    )
    return next(said, turn.seq)


def _about_danger(turn: Turn[Session], session: Session) -> bool:
    """Return whether the message is about a danger: told now, answered, or followed through until this turn."""
    before, now = turn.state.risk, session.risk
    asked = before.asked_seq is not None and before.asked_seq == turn.state.seq
    asked = asked or (before.level is not RiskLevel.NONE and before.last_seq == turn.state.seq)
    return before.follow_through or asked or (now.level is not RiskLevel.NONE and now.last_seq == turn.seq)


def _values(state: Session, slots: tuple[Slot, ...]) -> dict[str, JsonValue]:
    return {slot.name: state.user_info[slot.name] for slot in slots if slot.name in state.user_info}
