"""Chooses the slot that the next reply asks for, or none."""

from functions.chat.findings import Findings
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.directive import Ask
from shared.domain.counseling.lifecycle import last_chance, turns_exhausted
from shared.domain.counseling.module import RESISTANCE_MODULE
from shared.domain.counseling.readings import before, newly_named
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, Task, TaskKind
from shared.domain.counseling.task_events import SlotFilled
from shared.domain.counseling.user_state import EmotionChange, Resistance, StateSignal
from shared.domain.slots import Slot, missing
from shared.engine.flow import Turn
from shared.lexicon.lexicon import Lexicon
from shared.lexicon.session_words import questions_of
from shared.lexicon.words import Words

REST_AFTER_ASKING = 3
"""Turns in which an unanswered slot is not asked for again."""
MOST_ASKS = 2
"""Maximum times that a slot is asked for, apart from a rejected value."""
HELD_AFTER_RESISTANCE = 3
"""Turns without questions, counted from strong resistance; a message with content ends them early."""
TELLING = 3
"""Minimum content words of such a message."""
_RISEN = {EmotionChange.RISE, EmotionChange.TURNED}
_HOLD_QUESTIONS = {StateSignal.RISK, StateSignal.STRONG_EMOTION}


def next_ask(state: Session, task: Task | None, seq: int, *, again: bool = False) -> Ask | None:
    """Return the first missing slot that may be asked for now, in a new wording each time; None if there is none.

    Args:
        state: The session.
        task: The task in progress.
        seq: The turn.
        again: The slot asked for last may be asked for at once, because its answer could not be read.
    """
    for slot in missing(task.required_slots, state.user_info, state.declined_slots) if task else ():
        if not (_rested(state, slot, seq) or (again and slot.name == state.last_asked)):
            continue
        question = slot.question(state.asked.get(slot.name, 0))
        if question is not None:
            return Ask(slot=slot.name, question=question, error=state.slot_errors.get(slot.name))
    return None


def holds_questions(turn: Turn[Session], state: Session) -> bool:
    """Return whether nothing is asked for: at a risk, just after one, or at a strong emotion."""
    return state.risk.just_over(turn.seq) or not _HOLD_QUESTIONS.isdisjoint(state.user_state.signals())


def intake_rests(state: Session, task: Task, seq: int) -> bool:
    """Return whether a task of intake waits behind a danger or a disclosure; the explanation of the talk does not."""
    intake = task.part is Part.OPENING and task.kind is not TaskKind.ORIENTATION
    return intake and state.risk.intake_rests(seq)


def resists(turn: Turn[Session], message: UserMessage, state: Session, found: Findings, content: Content) -> bool:
    """Return whether the user refuses the talk or its questions, or did shortly before and has told nothing since."""
    if state.user_state.resistance is Resistance.STRONG or state.current_module == RESISTANCE_MODULE:
        return True
    refuses = content.session_words.wants_no_questions(message.text)
    return refuses or _after_resistance(turn, message, state, found, content.lexicon)


def names_new_feeling(turn: Turn[Session], state: Session) -> bool:
    """Return whether the message names a new painful feeling."""
    return newly_named(state.user_state, before(turn.state.readings, turn.seq))


def feeling_first(turn: Turn[Session], message: UserMessage, state: Session) -> bool:
    """Return whether the reply receives what was told without asking for a slot.

    At a new painful feeling, one that rose, is strong or is told in other words, a hard fact, however calmly told, or
    what the user never said before.
    """
    now = state.user_state
    risen = now.distressed or now.emotion_change in _RISEN
    told = message.tells_hard_fact or message.tells_pain_anew or message.opens_up
    return risen or told or names_new_feeling(turn, state)


def process_waits(turn: Turn[Session], message: UserMessage, state: Session, content: Content) -> bool:
    """Return whether the explanation of how the talk goes waits for a feeling or hard thing, told now or before.

    One that is overdue waits for what is told now only, and at last for nothing.
    """
    task = state.task_in_progress
    if task is None or task.kind is not TaskKind.ORIENTATION or last_chance(state, task):
        return False
    if turns_exhausted(task):
        return feeling_first(turn, message, state)
    last = before(turn.state.readings, turn.seq)[-1:]
    felt = state.user_state.troubled or any(one.troubled and one.seq == turn.seq - 1 for one in last)
    earlier = (one.text for one in turn.state.recent if one.role is Role.USER and one.seq == turn.seq - 1)
    hard = content.session_words.tells_hard(message.text) or any(map(content.session_words.tells_hard_fact, earlier))
    return felt or hard or feeling_first(turn, message, state)


def wants_no_questions(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    """Return whether the user asks for no more questions, or did lately: intake rests, whatever they tell meanwhile."""
    lately = (
        one.text for one in turn.state.recent if one.role is Role.USER and turn.seq - one.seq < HELD_AFTER_RESISTANCE
    )
    return any(map(content.session_words.wants_no_questions, (message.text, *lately)))


def skips_a_question(message: UserMessage, state: Session) -> bool:
    """Return whether the user skips a question of the newest reply, which need not be about a slot."""
    replied = state.recent[-1] if state.recent else None
    asked = replied is not None and replied.role is Role.COUNSELOR and bool(questions_of(replied.text))
    return asked and message.answers and message.skips


def _rested(state: Session, slot: Slot, seq: int) -> bool:
    if slot.name in state.slot_errors:
        return True
    last = state.asked_seq.get(slot.name)
    return state.asked.get(slot.name, 0) < MOST_ASKS and (last is None or seq - last > REST_AFTER_ASKING)


def _after_resistance(
    turn: Turn[Session], message: UserMessage, state: Session, found: Findings, lexicon: Lexicon
) -> bool:
    strong = [one.seq for one in state.readings if one.resistance is Resistance.STRONG]
    if not strong or turn.seq - strong[-1] >= HELD_AFTER_RESISTANCE or found.of(SlotFilled):
        return False
    since = [lexicon.read(each.text) for each in turn.state.recent if each.role is Role.USER and each.seq > strong[-1]]
    return not any(map(tells, (*since, message.words)))


def tells(words: Words) -> bool:
    """Return whether a message tells something."""
    return len(words.content_words) >= TELLING and words.resistance is Resistance.NONE and not words.is_unsure
