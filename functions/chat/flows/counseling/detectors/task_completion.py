"""Task Completion Checker: rules fill slots and check the gate; the model extracts and judges the rest."""

import re
from dataclasses import dataclass
from typing import assert_never

from pydantic import Field, JsonValue

from functions.chat.findings import Findings, after
from functions.chat.flows.counseling.detectors.corrections import corrected_by_rule
from functions.chat.flows.counseling.detectors.matters import asks_to_agree
from functions.chat.flows.counseling.detectors.slot_reading import (
    ReadValue,
    by_rule,
    correctable,
    declined,
    filled,
    is_no_name,
    open_slots,
)
from functions.chat.flows.counseling.detectors.told_names import denies_name
from functions.chat.flows.counseling.going_on import taken_up_now
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.session_events import MisreadTold
from shared.domain.counseling.task import CompletionRule, Task
from shared.domain.counseling.task_events import SlotTakenBack
from shared.domain.counseling.task_remarks import task_remarks
from shared.domain.counseling.user_state import Resistance
from shared.domain.event import Event
from shared.domain.slots import AnswerWords, Invalid, Slot, SlotKind, validate
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.lexicon.clause_text import clauses_of
from shared.lexicon.sentences import sentences_of
from shared.lexicon.words import Answer, Words
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import is_verbatim_quote

_NUMERALS = {
    number: rf"(?<![가-힣])(?:{korean})(?:\s|번|개|명|살|시|점|달|주|해|시간|쯤|이요|요|$)|\b{english}\b"
    for number, (korean, english) in enumerate(
        (
            ("영|빵", "zero"),
            ("하나|한|일", "(?:one|once)"),
            ("둘|두|이", "(?:two|twice)"),
            ("셋|세|석|삼", "three"),
            ("넷|네|넉|사", "four"),
            ("다섯|오", "five"),
            ("여섯|육", "six"),
            ("일곱|칠", "seven"),
            ("여덟|팔", "eight"),
            ("아홉|구", "nine"),
            ("열|십", "ten"),
        )
    )
}
"""Numbers in words, as a whole word with a counter or without."""
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


def holds(slot: Slot, read: ReadValue, text: str, content: Content, reply: str = "") -> bool:
    """Return whether a value that a model read with the user's own words for it counts.

    What the words mean is the model's to read, so free text may say it in other words. It is no value if the words
    decline, only agree or say nothing; a wish may be what the reply before proposed, if the user only agrees to it.
    A value that is invalid, such as a number out of bounds, holds: the user is told why.
    """
    words, value = content.session_words, str(read.value)
    if slot.kind is SlotKind.NAME:
        return _is_own_name(slot, read, text, content)
    if words.declines(value, slot.kind) or content.lexicon.read(value).is_unsure:
        return False
    match slot.kind:
        case SlotKind.TEXT:
            if words.only_agrees(read.quote):
                return _is_proposed(slot, value, reply, content)
            declined = words.declines(read.quote, slot.kind) or content.lexicon.read(read.quote).is_unsure
            told = all(_tells_value(slot, each, content) for each in (value, read.quote))
            return told and not declined and not value.rstrip().endswith(("?", "？"))
        case SlotKind.BOOLEAN:
            return _agrees_with(slot, value, read.quote, reply, content)
        case SlotKind.INTEGER:
            return _number_stands_in(value, read.quote, content.answers)
        case SlotKind.CHOICE:
            return is_verbatim_quote(value, text)
        case _:
            assert_never(slot.kind)


def _is_own_name(slot: Slot, read: ReadValue, text: str, content: Content) -> bool:
    """Return whether a name is neither a refusal nor another person's; one that corrects may stand in any form."""
    value, told = str(read.value), content.session_words.beside_refusal(text, slot.kind)
    if is_no_name(value, told, content) or content.people_words.own(value, told):
        return False
    if read.corrects and is_verbatim_quote(value, read.quote):
        return True
    asks = "?" if text.rstrip().endswith(("?", "？")) else ""
    return content.lexicon.stands_as_name(value, told + asks)


def _tells_value(slot: Slot, value: str, content: Content) -> bool:
    """Return whether free text tells something: a bare yes and "I don't know" do not."""
    none = content.answers.says_none(value) or content.session_words.wants_none(value)
    return _is_wish(value, content) or (slot.none_is_answer and none)


def _is_proposed(slot: Slot, value: str, reply: str, content: Content) -> bool:
    wanted = content.lexicon.read(value).content_words
    said = (content.lexicon.read(sentence).content_words for sentence in sentences_of(reply))
    return not slot.none_is_answer and bool(wanted) and any(wanted <= words for words in said)


def _agrees_with(slot: Slot, value: str, quote: str, reply: str, content: Content) -> bool:
    """Return whether the value is a yes or no, and the quote does not plainly say the other one.

    A yes to another question agrees to no proposal.
    """
    given, said = validate(slot, value, content.answers), validate(slot, quote, content.answers)
    if isinstance(given, Invalid):
        return False
    if slot.agrees and not asks_to_agree(slot, reply, content):
        named = content.lexicon.read(slot.label).content_words & content.lexicon.read(quote).content_words
        return said == given and bool(named)
    return said == given or isinstance(said, Invalid)


def _number_stands_in(value: str, quote: str, words: AnswerWords) -> bool:
    """Return whether the quote has the number, in digits or words; "none" is 0."""
    digits = re.fullmatch(r"\s*(-?\d{1,9})\s*\D{0,6}\s*", value)
    if not digits:
        return words.says_none(value) and words.says_none(quote)
    number = int(digits[1])
    spoken = number == 0 and words.says_none(quote)
    return spoken or number in map(int, re.findall(r"\d{1,9}", quote)) or _spelt(number, quote)


def _spelt(number: int, quote: str) -> bool:
    return number in _NUMERALS and bool(re.search(_NUMERALS[number], quote, re.IGNORECASE))


def _is_wish(value: str, content: Content) -> bool:
    """Return whether the text says more than a yes, a no, "none" or "I don't know"."""
    words = content.lexicon.read(value)
    none = content.session_words.wants_none(value) or words.is_backchannel
    return (
        not none
        and words.answer is not Answer.CONFIRM
        and any(map(_tells, map(content.lexicon.read, clauses_of(value))))
    )


def _tells(clause: Words) -> bool:
    """Return whether a clause has content; "글쎄요" and "모르겠어요" have none."""
    return bool(clause.content_words) and clause.resistance is Resistance.NONE and not clause.is_unsure
