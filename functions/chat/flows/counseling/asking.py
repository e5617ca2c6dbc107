"""What the next reply asks for, and when it asks for nothing."""

from functions.chat.flows.counseling.findings import Findings
from shared.domain.conversation import Role
from shared.domain.counseling.directive import Ask
from shared.domain.counseling.module import RESISTANCE_MODULE
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Task
from shared.domain.counseling.task_events import SlotFilled
from shared.domain.counseling.user_state import Resistance, StateSignal
from shared.domain.slots import Slot, missing
from shared.engine.flow import Turn
from shared.lexicon.lexicon import Lexicon

REST_AFTER_ASKING = 3
"""Turns in which a slot is left alone after it was asked for and not given."""
MOST_ASKS = 2
"""Times that a slot is asked for in vain; then it is left alone for good."""
HELD_AFTER_RESISTANCE = 3
"""Turns without questions after strong resistance, its own included, unless the user tells something before."""
TELLING = 3
"""Content words from which a message tells something."""
_HOLD_QUESTIONS = {StateSignal.RISK, StateSignal.STRONG_EMOTION}


def next_ask(state: Session, task: Task | None, seq: int, *, again: bool = False) -> Ask | None:
    """Return the first slot still missing that may be asked for now, in other words each time.

    A user who is only short or evasive is asked all the same, by a gentler technique.

    Args:
        state: The session.
        task: The one at work.
        seq: The turn.
        again: What the last reply asked for may be asked at once: the answer could not be read.
    """
    for slot in missing(task.required_slots, state.user_info, state.declined_slots) if task else ():
        if not (_rested(state, slot, seq) or (again and slot.name == state.last_asked)):
            continue
        question = slot.question(state.asked.get(slot.name, 0))
        if question is not None:
            return Ask(slot=slot.name, question=question, error=state.slot_errors.get(slot.name))
    return None


def holds_questions(turn: Turn[Session], state: Session, found: Findings, lexicon: Lexicon) -> bool:
    """Return whether nothing is asked for: in danger, in strong emotion, while resistance is met and shortly after."""
    if state.user_state.resistance is Resistance.STRONG or state.current_module == RESISTANCE_MODULE:
        return True
    return bool(_HOLD_QUESTIONS & set(state.user_state.signals())) or _after_resistance(turn, state, found, lexicon)


def _rested(state: Session, slot: Slot, seq: int) -> bool:
    """Return whether a slot may be asked for: never asked, long ago and not too often, or answered wrongly."""
    if slot.name in state.slot_errors:
        return True
    last = state.asked_seq.get(slot.name)
    return state.asked.get(slot.name, 0) < MOST_ASKS and (last is None or seq - last > REST_AFTER_ASKING)


def _after_resistance(turn: Turn[Session], state: Session, found: Findings, lexicon: Lexicon) -> bool:
    strong = [one.seq for one in state.readings if one.resistance is Resistance.STRONG]
    if not strong or turn.seq - strong[-1] >= HELD_AFTER_RESISTANCE or found.of(SlotFilled):
        return False
    since = [each.text for each in turn.state.recent if each.role is Role.USER and each.seq > strong[-1]]
    return not any(_tells(text, lexicon) for text in (*since, turn.text))


def _tells(text: str, lexicon: Lexicon) -> bool:
    return len(lexicon.content_words(text)) >= TELLING and lexicon.resistance(text) is Resistance.NONE
