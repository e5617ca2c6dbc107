"""What the table of modules reads of a turn."""

from functions.chat.legacy.asking import process_waits
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.lifecycle import SUPERVISE_EVERY
from shared.domain.counseling.module import RESISTANCE_MODULE, Situation
from shared.domain.counseling.readings import before
from shared.domain.counseling.session import Session
from shared.domain.counseling.user_state import Resistance, StateSignal
from shared.domain.ids import ModuleId
from shared.engine.flow import Turn
from shared.lexicon.session_words import questions_of
from shared.safety.levels import RiskLevel

TELLING = 3
"""Content words from which a message may call for a technique in words that no list has."""
NEWEST_MESSAGES = 2
"""User messages, the newest included, whose words call for a module now."""


def situation(turn: Turn[Session], message: UserMessage, state: Session, content: Content) -> Situation:
    """Return the situation of a turn.

    Args:
        turn: Its state is the session before the turn.
        message: The user's newest message.
        state: The session after the steps so far.
        content: Gives the persona's preferences.
    """
    told = [one.text for one in turn.state.recent if one.role is Role.USER]
    last = before(state.readings, turn.seq)[-1:]
    same_emotion = bool(last) and last[0].emotion is state.user_state.emotion
    same_state = same_emotion and last[0].signals() == state.user_state.signals()
    return Situation(
        session_type=state.session_type,
        part=state.current_part,
        signals=_signals(message, state),
        state=state.user_state,
        new_feeling=not (same_emotion and StateSignal.CLEAR_EMOTION in last[0].signals()),
        unchanged=same_state and not state.module_open and state.current_task == turn.state.current_task,
        task=None if process_waits(turn, message, state, content) else state.task_in_progress,
        preferred=_preferred(state, content),
        suggested=_suggested(state, turn.seq),
        current=state.current_module,
        heard_now="\n".join((*told[1 - NEWEST_MESSAGES :], message.text)),
        heard="\n".join((*told, *_known(state))),
        tells=len(message.words.content_words) >= TELLING,
        asks=bool(questions_of(message.text)),
        says_little=state.short_answers > 0,
    )


def _signals(message: UserMessage, state: Session) -> tuple[StateSignal, ...]:
    """Return the user's signals, with a risk while a crisis is followed through.

    A hard fact, and what was never said, is met like a clear feeling, however calmly it is told.
    """
    found = state.user_state.signals()
    opened = message.tells_hard_fact or message.opens_up
    if opened and not {StateSignal.CLEAR_EMOTION, StateSignal.STRONG_EMOTION} & set(found):
        found = (*found, StateSignal.CLEAR_EMOTION)
    if state.risk.level >= RiskLevel.CRISIS and StateSignal.RISK not in found:
        return (StateSignal.RISK, *found)
    return found


def _suggested(state: Session, seq: int) -> ModuleId | None:
    """Return the supervisor's suggestion if it is recent; how to meet resistance only while there is some."""
    newest = state.supervision_log[-1] if state.supervision_log else None
    if newest is None or seq - newest.seq > SUPERVISE_EVERY:
        return None
    suggestion = newest.data.get("suggested_module")
    over = suggestion == RESISTANCE_MODULE and state.user_state.resistance is Resistance.NONE
    return ModuleId(suggestion) if isinstance(suggestion, str) and not over else None


def _preferred(state: Session, content: Content) -> tuple[ModuleId, ...]:
    persona = content.personas.find(state.user_persona.type or "")
    return persona.modules if persona else ()


def _known(state: Session) -> tuple[str, ...]:
    task, carried = state.task_in_progress, state.carried
    return (
        *(str(value) for value in state.user_info.values()),
        state.summary_text,
        state.part2_goal or "",
        *((task.title, task.target) if task else ()),
        *((carried.summary, *carried.goals) if carried else ()),
    )
