"""Slots: which may be heard in a message, what needs no model to be heard, and what is noted."""

from collections.abc import Mapping

from functions.chat.flows.counseling.progress import Progress
from shared.content.catalogue import Content
from shared.content.instructions import instructive
from shared.content.lexicon import Lexicon
from shared.domain.counseling.session import Session
from shared.domain.counseling.task_events import SlotDeclined, SlotFilled, SlotRejected
from shared.domain.slots import Invalid, Slot, SlotKind, SlotValue, means_none, validate

SHORT_ANSWER = 12
"""Characters up to which a message is read as the bare answer to the last question. Own threshold."""


def open_slots(state: Session) -> tuple[Slot, ...]:
    """Return the slots of this Part that were neither given nor declined: people say more than they were asked."""
    slots = {
        slot.name: slot
        for task in state.tasks
        if task.part == state.current_part and not task.covered
        for slot in task.slots
    }
    answered = (*state.user_info, *state.declined_slots)
    return tuple(slot for name, slot in slots.items() if name not in answered)


def correctable(state: Session) -> tuple[Slot, ...]:
    """Return the slots that the user may correct in passing, or give after they declined: of this Part, a name always.

    Free text that was given is left alone: later words add to it rather than replace it.
    """
    slots = {
        slot.name: slot
        for task in state.tasks
        for slot in task.slots
        if slot.kind is SlotKind.NAME or task.part == state.current_part
        if slot.name in state.declined_slots or (slot.name in state.user_info and slot.kind is not SlotKind.TEXT)
    }
    return tuple(slots.values())


def note_declined(progress: Progress, content: Content) -> frozenset[str]:
    """Note what the user does not want to tell: by the client's word for it, or as the answer to what was just asked.

    Returns:
        The slots that this message declined: nothing in it is a value of theirs.
    """
    state, turn = progress.state, progress.turn
    slots = {slot.name: slot for slot in open_slots(state)}
    declined = {turn.declines} if turn.declines and state.asked.get(turn.declines) else set[str]()
    asked = slots.get(state.last_asked or "")
    if asked is not None and turn.answers and not _named(asked, turn.text, content.lexicon):
        declined |= {asked.name} if content.session_words.declines(turn.text, asked.kind) else set()
    found = frozenset(declined & slots.keys())
    progress.note(*(SlotDeclined(slot=name) for name in sorted(found)))
    return found


def _named(slot: Slot, text: str, lexicon: Lexicon) -> bool:
    """Tell whether a name was asked for and is given: somebody may be called by a word of refusal."""
    return slot.kind is SlotKind.NAME and lexicon.name(text) is not None


def by_rule(state: Session, wanted: tuple[Slot, ...], text: str, lexicon: Lexicon) -> dict[str, SlotValue]:
    """Read what needs no model: a name said as such, and a bare answer to the question just asked."""
    found: dict[str, SlotValue] = {}
    for slot in wanted:
        if slot.kind is SlotKind.NAME and (name := lexicon.name(text)):
            found[slot.name] = name
        elif slot.name == state.last_asked and len(text) <= SHORT_ANSWER:
            found |= _bare_answer(slot, text)
    return found


def _bare_answer(slot: Slot, text: str) -> dict[str, SlotValue]:
    if slot.kind is SlotKind.TEXT:
        return {slot.name: text} if means_none(text) else {}
    if slot.kind is SlotKind.NAME:
        return {}
    value = validate(slot, text)
    return {} if isinstance(value, Invalid) else {slot.name: value}


def fill(progress: Progress, wanted: tuple[Slot, ...], found: Mapping[str, SlotValue], lexicon: Lexicon) -> None:
    """Note the values that hold, and tell of those that do not.

    What only leads over to a text is no part of it; what gives orders to a model is nobody's name.
    """
    for slot in wanted:
        if slot.name not in found:
            continue
        given = found[slot.name]
        if slot.kind is SlotKind.TEXT and isinstance(given, str):
            given = lexicon.without_lead_in(given)
        value = validate(slot, given)
        if slot.kind is SlotKind.NAME and instructive(str(value)):
            value = Invalid(slot=slot.name, reason=slot.error)
        if isinstance(value, Invalid):
            progress.note(SlotRejected(slot=slot.name, error=value.reason))
        elif progress.state.user_info.get(slot.name) != value:
            progress.note(SlotFilled(slot=slot.name, value=value))


def is_no_name(text: str, content: Content) -> bool:
    """Tell whether words that a model takes for a name are none: they decline to give one ("없어요")."""
    return content.lexicon.is_no_name(text) or content.session_words.declines(text, SlotKind.NAME)
