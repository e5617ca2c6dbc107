"""Task Completion Checker: rules fill slots and check the gate; the model extracts and judges the rest."""

from dataclasses import dataclass

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
from functions.chat.flows.counseling.detectors.told_names import denies_name
from functions.chat.flows.counseling.findings import Findings, after
from functions.chat.flows.counseling.going_on import taken_up_now
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.session_events import MisreadTold
from shared.domain.counseling.task import CompletionRule, Task
from shared.domain.counseling.task_events import SlotTakenBack
from shared.domain.counseling.task_remarks import task_remarks
from shared.domain.event import Event
from shared.domain.slots import Slot
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import is_verbatim_quote

AGENT = "task_completion_checker"
MOST_FOUND = 8
"""Values that are read in one message."""


class SlotFound(AnswerSchema):
    """A value the user gave, in their words."""

    name: str
    quote: str = Field(description="The user's own words that hold the value, verbatim")
    value: str
    corrects: bool = Field(description="The user says that the known value of this name is wrong, and gives this one")


class TaskCompletion(AnswerSchema):
    """The model's proposal: the verdict before the evidence."""

    # Unlike in other schemas the verdict comes first, so that it can be acted on before the answer ends.
    complete: bool = Field(description="The task's completion criteria are met by what the user has said")
    evidence: str = Field(description="The user's own words that show it, verbatim; empty if it is not complete")
    slots: tuple[SlotFound, ...] = Field(
        description="Values the user gave in the newest message; or empty", max_length=MOST_FOUND
    )


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
    prompt=Prompt(PROMPTS, AGENT, 4, CompletionInput),
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


@dataclass(frozen=True)
class OpenCheck:
    """A check that a model must finish.

    Attributes:
        found: What the rules found.
        wanted: The slots that may be filled.
        ruled: Names of the slots that rules filled.
        turned_away: The user declined, corrected or changed the topic, so that nothing is complete.
    """

    found: Findings
    state: Session
    current: Task | None
    wanted: tuple[Slot, ...]
    ruled: frozenset[str]
    turned_away: bool
    given: CompletionInput


def begin_check(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content
) -> Checked | OpenCheck:
    """Fill slots by rule; return the result if no model is needed, else what to ask it."""
    refused, declined_now = declined(message, session, content)
    events: tuple[Event[Session], ...] = (refused,) if refused else ()
    state = after(session, events, turn.now)
    changeable = correctable(session, message.text, content)
    wanted = tuple(slot for slot in (*open_slots(session), *changeable) if slot.name not in declined_now)
    ruled = by_rule(session, wanted, message, content)
    ruled |= corrected_by_rule(session, wanted, message.text, content)
    heard = {name: ReadValue(value, message.text) for name, value in ruled.items()}
    events += filled(turn, session, wanted, heard, content)
    if (misnamed := denies_name(message.text, session)) and misnamed not in ruled:
        events += (SlotTakenBack(slot=misnamed),)
    if session.plan_status is PlanStatus.PLANNING:
        turn.scope.ledger.ruled(AGENT, None, "the plan is being made")
        return Checked(Findings(events=events), held=True)
    if turn.seq in session.set_aside:
        turn.scope.ledger.ruled(AGENT, None, "the user's safety goes first")
        return Checked(Findings(events=events), held=True)
    current = None if taken_up_now(found) else session.task_in_progress
    state = after(session, events, turn.now)
    reason = _needs_no_model(message, state, current)
    if reason is not None:
        turn.scope.ledger.ruled(AGENT, _values(state, wanted), reason)
        return Checked(Findings(events=events), current)
    return OpenCheck(
        found=Findings(events=events),
        state=state,
        current=current,
        wanted=wanted,
        ruled=frozenset(ruled),
        turned_away=bool(declined_now or found.of(MisreadTold)) or message.words.changes_topic,
        given=_input(turn, message.text, state, current, changeable),
    )


def finish_check(
    turn: Turn[Session],
    message: UserMessage,
    check: OpenCheck,
    answer: TaskCompletion,
    content: Content,
    *,
    circular: bool = False,
) -> Checked:
    """Check the model's answer: values and evidence must be the user's words.

    From circular talk no new value is taken that only the model read: what is said again and again is no new answer. A
    correction, which may be said again because it was not heard, counts.
    """
    slots = {slot.name: slot for slot in check.wanted}
    reply = turn.state.recent[-1].text if turn.state.recent and message.answers else ""
    read = {
        each.name: value
        for each in answer.slots
        if each.corrects or not (circular or each.name in check.ruled)
        if each.name in slots and is_verbatim_quote(each.quote, message.text)
        if holds(
            slots[each.name], value := ReadValue(each.value, each.quote, each.corrects), message.text, content, reply
        )
    }
    found = check.found + Findings(events=filled(turn, check.state, check.wanted, read, content))
    complete = answer.complete and not check.turned_away
    shown = complete and _shown(answer.evidence, turn, message.text, check.state, content)
    said = _said_in(answer.evidence, turn, message.text) if shown else 0
    evidence = answer.evidence if shown else ""
    return Checked(found, check.current, evidence, said, turned_away=check.turned_away)


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
    return "\n".join([*(message.text for message in _earlier(turn)), text])


def _said_in(evidence: str, turn: Turn[Session], text: str) -> int:
    if is_verbatim_quote(evidence, text):
        return turn.seq
    said = (one.seq for one in reversed(_earlier(turn)) if is_verbatim_quote(evidence, one.text))
    return next(said, turn.seq)


def _earlier(turn: Turn[Session]) -> list[Message]:
    aside = turn.state.set_aside
    return [one for one in turn.state.recent if one.role is Role.USER and one.seq not in aside]


def _values(state: Session, slots: tuple[Slot, ...]) -> dict[str, JsonValue]:
    return {slot.name: state.user_info[slot.name] for slot in slots if slot.name in state.user_info}
