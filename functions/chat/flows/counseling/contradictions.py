"""Words the question which of two values of a slot holds."""

from shared.content.catalogue import Content
from shared.content.schemas.messages import Messages
from shared.domain.counseling.directive import Clarification, Stance
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import Source
from shared.domain.slots import Slot, SlotKind, SlotValue
from shared.services.counseling.prompt_slots import in_words

LONGEST_WORDS = 40
"""Maximum characters of the user's words that the question repeats; longer ones are replaced by the value."""
_QUOTING = {(True, True): "words", (True, False): "only_before", (False, True): "only_now", (False, False): "neither"}
"""The question, by whether what was said before, and later, has content to be quoted."""
_FREE = (Stance.WORK, Stance.GATHER, Stance.ACCOMPANY)
"""Stances without a question of their own."""


def next_clarification(state: Session, stance: Stance, content: Content) -> Clarification | None:
    """Return the question about the oldest contradiction that was not asked about; None if there is none."""
    if stance not in _FREE:
        return None
    slots = {slot.name: slot for task in state.tasks for slot in task.slots}
    for name, found in state.contradictions.items():
        if found.settled or found.asked_seq is not None or name not in slots or name not in state.user_info:
            continue
        before = (state.user_info[name], state.info_sources.get(name))
        return Clarification(
            slot=name, question=_question(state, slots[name], before, (found.value, found.source), content)
        )
    return None


def _question(
    state: Session,
    slot: Slot,
    before: tuple[SlotValue, Source | None],
    now: tuple[SlotValue, Source | None],
    content: Content,
) -> str:
    messages = content.messages(state.locale, state.register_)
    if slot.kind is SlotKind.NAME:
        carried = before[1] is None or before[1].conversation_id is not None
        key = "carried_name" if carried and state.carried is not None else "name"
        return messages.contradiction(key, label=slot.label, before=str(before[0]), now=str(now[0]))
    first, later = (_words(*each, messages, content) for each in (before, now))
    if first == later:
        first, later = (in_words(each[0], messages) for each in (before, now))
    key = _QUOTING[_has_content(first, content), _has_content(later, content)]
    return messages.contradiction(key, label=slot.label, before=first, now=later)


def _has_content(said: str, content: Content) -> bool:
    """Return whether words say more than a bare yes, no or sound."""
    words = content.lexicon.read(said)
    return not words.is_backchannel and (bool(words.content_words) or " " in words.said.strip())


def _words(value: SlotValue, source: Source | None, messages: Messages, content: Content) -> str:
    """Return the user's words if they are short and fit to be repeated, else the value."""
    said = " ".join(source.quote.split()).rstrip(" .!?…~") if source else ""
    rules = content.text_rules
    fit = said and len(said) <= LONGEST_WORDS and not rules.alarming(said) and not rules.instructive(said)
    return said if fit else in_words(value, messages)
