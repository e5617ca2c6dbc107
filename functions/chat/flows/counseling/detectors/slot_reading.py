"""Slots: which ones a message may fill, which values are read by rule, and which are stored."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

from functions.chat.findings import Findings
from functions.chat.flows.counseling.detectors.corrections import answered_contradiction, corrects
from functions.chat.flows.counseling.detectors.matters import asks_for, leads_to, matters_asked
from functions.chat.flows.counseling.detectors.told_names import name_answered, named_alone
from functions.chat.flows.counseling.misread import newest_reply
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.level import LevelSign
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import Source, bounded_quote
from shared.domain.counseling.task import CompletionRule
from shared.domain.counseling.task_events import SlotContradicted, SlotDeclined, SlotFilled, SlotRejected
from shared.domain.slots import AnswerWords, Invalid, Slot, SlotKind, SlotValue, validate
from shared.engine.flow import Turn
from shared.safety.protocol_questions import ToldByAnswer, Topic

_SENTENCE = re.compile(r"[^.!?\n]+")
SHORT_ANSWER = 12
"""Maximum characters of a message that is read as the bare answer to the last question."""


SlotEvent = SlotFilled | SlotContradicted | SlotRejected


@dataclass(frozen=True)
class ReadValue:
    """A value read in the message.

    Attributes:
        quote: The user's words that hold it.
        corrects: A model read that the user puts it in place of the known value.
    """

    value: SlotValue
    quote: str
    corrects: bool = False


def read_by_name(state: Session) -> frozenset[str]:
    """Return the names of the open slots of free text: any value fills them, and a first one contradicts no other."""
    return frozenset(slot.name for slot in open_slots(state) if slot.kind is SlotKind.TEXT)


def open_slots(state: Session) -> tuple[Slot, ...]:
    """Return the slots of this Part that were neither given nor declined; users often tell more than was asked.

    An agreement counts only after the proposal was made.
    """
    slots = {
        slot.name: slot
        for task in state.tasks
        if task.part == state.current_part and not task.covered and task.completion_rule is not CompletionRule.STEPS
        for slot in task.slots
        if not slot.agrees or slot.name in state.asked
    }
    answered = (*state.user_info, *state.declined_slots)
    return tuple(slot for name, slot in slots.items() if name not in answered)


def correctable(state: Session, text: str, content: Content) -> tuple[Slot, ...]:
    """Return the given or declined slots that a message may change: names of any Part, others of this Part.

    Given free text is only changed by a message that corrects something.
    """
    correcting = bool(content.session_words.corrections(text))
    slots = {
        slot.name: slot
        for task in state.tasks
        for slot in task.slots
        if slot.kind is SlotKind.NAME or task.part == state.current_part
        if slot.name in state.declined_slots
        or (slot.name in state.user_info and (correcting or slot.kind is not SlotKind.TEXT))
    }
    return tuple(slots.values())


def declined(message: UserMessage, state: Session, content: Content) -> tuple[SlotDeclined | None, frozenset[str]]:
    """Return the refusal of a slot, if any: of the one that the user names, else of the one that the reply asked for.

    Returns:
        The event, and the slots for which this message gives no value, including the slot declined by the client.
        A user who refuses one name and gives another has given a name.
    """
    by_client = frozenset({message.declines} if message.declines and message.declines in state.declined_slots else ())
    slot = _refusable(message, state, content)
    if slot is None or not message.answers or not _refused(slot, _beside_label(message.text, slot), content):
        return None, by_client
    told_beside = slot.name != message.declines and content.session_words.beside_refusal(message.text, slot.kind)
    return SlotDeclined(slot=slot.name), by_client if told_beside else by_client | {slot.name}


def _refusable(message: UserMessage, state: Session, content: Content) -> Slot | None:
    """Return the open slot that a refusal is about; the model may have asked for another than was planned."""
    slots, reply = open_slots(state), newest_reply(state)
    told = message.words.content_words
    labels = {slot.name: content.lexicon.read(slot.label).content_words for slot in slots}
    named = (slot for slot in slots if labels[slot.name] and labels[slot.name] <= told)
    matters = matters_asked(reply, content)
    asked = (slot for slot in slots if slot.name in matters)
    planned = (slot for slot in slots if slot.name == state.last_asked and leads_to(slot, reply, content))
    return next(chain(named, asked, planned), None)


def _beside_label(text: str, slot: Slot) -> str:
    """Return a message without the slot's name at its start ("상담 경험은 말 안 할래요")."""
    return re.sub(rf"^{re.escape(slot.label)}(?:은|는|이|가|을|를|도|까지는?|에 ?대해서?는?)? ?", "", text.strip())


def declined_by_client(message: UserMessage, state: Session) -> Findings:
    """Return the refusal sent by the client, if the slot is open and was asked for."""
    name = message.declines
    if name and state.asked.get(name) and any(slot.name == name for slot in open_slots(state)):
        return Findings(events=(SlotDeclined(slot=name),))
    return Findings()


def _refused(slot: Slot, text: str, content: Content) -> bool:
    """Return whether the answer refuses the slot; other content makes it an answer, unless a name was asked for."""
    words = content.session_words
    if slot.kind is not SlotKind.NAME:
        return words.declines(text, slot.kind) or (not slot.none_is_answer and words.wants_none(text))
    if named_by_rule(text, content):
        return False
    return words.declines(text, slot.kind) or words.refuses(text, SlotKind.TEXT)


def named_by_rule(text: str, content: Content) -> str | None:
    """Return the name that the user states, ignoring words that refuse one; None if there is no name."""
    told = content.session_words.beside_refusal(text, SlotKind.NAME)
    name = content.lexicon.name(told)
    return None if name is None or is_no_name(name, told, content) else name


def by_rule(state: Session, wanted: tuple[Slot, ...], message: UserMessage, content: Content) -> dict[str, SlotValue]:
    """Read values that need no model: a stated name, earlier counselling, and a bare answer to what was asked for.

    A yes with words of safety or company ("예 안전합니다", "응 집에 엄마 있어") answers no question about a fact.
    """
    found: dict[str, SlotValue] = {}
    text = message.text
    safe = _tells_of_safety(message, content)
    for slot in wanted:
        if slot.kind is SlotKind.NAME and (name := _name_told(slot, state, text, content)):
            found[slot.name] = name
        elif tells_experience(slot, text, content):
            found[slot.name] = True
        elif slot.name != state.last_asked or not asks_for(slot, newest_reply(state), content):
            continue
        elif len(answer := _answer(slot, text)) <= SHORT_ANSWER and (slot.agrees or not safe):
            # "네. 처음이에요." is a no: of a plain answer the whole message is read.
            found |= _bare_answer(slot, answer if slot.agrees else text, content.answers)
    return found


def _tells_of_safety(message: UserMessage, content: Content) -> bool:
    words, said = content.crisis_answers, message.screened
    near = words.told_by_answer(said, Topic.COMPANY, "") is ToldByAnswer.WITH_SOMEBODY
    return near or bool(words.reassurances(said))


def _name_told(slot: Slot, state: Session, text: str, content: Content) -> str | None:
    if name := named_by_rule(text, content):
        return name
    if slot.name in state.user_info:
        return None
    reply = newest_reply(state)
    return name_answered(text, content) if asks_for(slot, reply, content) else named_alone(text, reply, content)


def tells_experience(slot: Slot, text: str, content: Content) -> bool:
    """Return whether a message tells of earlier counselling, which the slot asks for."""
    asked = slot.kind is SlotKind.BOOLEAN and content.session_words.asks_for_experience(slot.questions)
    return asked and bool(content.part1_words.sign(LevelSign.EXPERIENCE, text))


def _answer(slot: Slot, text: str) -> str:
    """Return the answer in a message: to yes or no its first sentence ("네, 괜찮아요. 어제는 …"), else all of it."""
    return next(iter(_SENTENCE.findall(text)), text).strip() if slot.kind is SlotKind.BOOLEAN else text


def _bare_answer(slot: Slot, text: str, words: AnswerWords) -> dict[str, SlotValue]:
    if slot.kind is SlotKind.TEXT:
        return {slot.name: text} if slot.none_is_answer and words.says_none(text) else {}
    if slot.kind is SlotKind.NAME:
        return {}
    value = validate(slot, text, words)
    return {} if isinstance(value, Invalid) else {slot.name: value}


def filled(
    turn: Turn[Session], state: Session, wanted: tuple[Slot, ...], found: Mapping[str, ReadValue], content: Content
) -> tuple[SlotEvent, ...]:
    """Return an event for each new, each contradicting and each invalid value.

    Lead-in words are cut from free text; an instruction to a model is no valid name.
    """
    events: list[SlotEvent] = []
    for slot in wanted:
        if slot.name not in found:
            continue
        read, given = found[slot.name], found[slot.name].value
        if slot.kind is SlotKind.TEXT and isinstance(given, str):
            given = content.lexicon.without_lead_in(given)
        value = validate(slot, given, content.answers)
        if slot.kind is SlotKind.NAME and content.text_rules.instructive(str(value)):
            value = Invalid(slot=slot.name, reason=slot.error)
        if isinstance(value, Invalid):
            events.append(SlotRejected(slot=slot.name, error=value.reason))
        elif state.user_info.get(slot.name) != value:
            events += _taken(turn, slot, replace(read, value=value), state, content)
    return tuple(events)


def _taken(
    turn: Turn[Session], slot: Slot, read: ReadValue, state: Session, content: Content
) -> tuple[SlotFilled | SlotContradicted, ...]:
    """Return the event of a new value: it fills the slot, or contradicts the given one; other free text is dropped."""
    source = Source(seq=turn.seq, quote=bounded_quote(read.quote, str(read.value)))
    if _replaces(turn, slot, read, state, content):
        return (SlotFilled(slot=slot.name, value=read.value, source=source),)
    if slot.kind is SlotKind.TEXT:
        return ()
    return (SlotContradicted(slot=slot.name, value=read.value, source=source),)


def _replaces(turn: Turn[Session], slot: Slot, read: ReadValue, state: Session, content: Content) -> bool:
    """Return whether a value fills the slot: none was given, or the user corrects it or was asked which one holds."""
    if slot.name not in state.user_info or read.corrects:
        return True
    asked = answered_contradiction(turn.state)
    if asked is not None and asked[0] == slot.name:
        return True
    return corrects(slot, read.value, read.quote, state, turn.text, content)


def is_no_name(name: str, text: str, content: Content) -> bool:
    """Return whether words taken for a name are none, such as a refusal ("없어요").

    A word of refusal is a name if the user asks to be called so ("패스라고 불러 주세요").
    """
    if content.lexicon.is_no_name(name):
        return True
    return content.session_words.declines(name, SlotKind.NAME) and not content.lexicon.calls_so(name, text)
