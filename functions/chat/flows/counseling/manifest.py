"""Manifest of the counselling service."""

import logging

from functions.chat.danger.danger_in_context import split_message_risk
from functions.chat.danger.kept_plan import SafetyPlans
from functions.chat.flows.counseling.opening import FLOW
from functions.chat.flows.counseling.turn import AgeHeard, CounselingFlow, ignore_age
from functions.chat.flows.counseling.turn_options import DEFAULT, TurnOptions
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.domain.turn import Hook
from shared.engine.flow import Flow, Manifest, Turn
from shared.engine.hooks import HookContext
from shared.lexicon.session_words import questions_of
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.safety.levels import CrisisOutcome

HEARD_FIRST = 5
"""The least intensity, of 10, of a feeling that is heard before another service gets its answer."""
log = logging.getLogger(__name__)


async def _crisis_detected(context: HookContext[Session], hook: Hook) -> None:
    """Log the line that alerts are built on; no content, no name."""
    level = hook.data.get("level")
    log_event(
        log,
        LogEvent.CRISIS,
        level=level if isinstance(level, str) else "unknown",
        conversation=context.state.conversation_id,
        seq=context.result.seq,
    )


async def _session_completed(context: HookContext[Session], _hook: Hook) -> None:
    log_event(log, LogEvent.SESSION_COMPLETED, conversation=context.state.conversation_id, turns=context.state.seq)


def counseling(
    content: Content,
    age_heard: AgeHeard = ignore_age,
    plans: SafetyPlans | None = None,
    options: TurnOptions = DEFAULT,
    on_reading: Flow[Session] | None = None,
) -> Manifest[Session]:
    """Return the manifest.

    Args:
        content: All content.
        age_heard: Called when the user states or corrects an age under 14.
        plans: The kept safety plans; None keeps none.
        options: How the turns run.
        on_reading: Takes the place of the turn of several agents.
    """
    flow = CounselingFlow(content, age_heard, plans, options)
    if on_reading is not None:
        flow.answers = on_reading.run
    return Manifest(
        name=FLOW,
        flow=on_reading or flow,
        claims=lambda text: claims(text, content),
        hook_handlers={"crisis_detected": _crisis_detected, "session_completed": _session_completed},
    )


def keeps(turn: Turn[Session], content: Content) -> bool:
    """Return whether the user is or may be in danger, or needs a guardian's consent: only the safety gate answers."""
    if turn.state.in_danger or turn.state.under_14:
        return True
    message = UserMessage(turn, content)
    screened = message.screened
    signs = screened.outcome is not CrisisOutcome.NONE or bool(screened.crisis.hints) or screened.age is not None
    return signs or bool(split_message_risk(turn, message, content))


def claims(text: str, content: Content) -> bool:
    """Return whether the user tells a feeling or a hard thing, or asks to be heard, and does not ask a question.

    They are then heard although another service waits for an answer, which it gets later.
    """
    words = content.session_words
    if words.asks_to_be_heard(text):
        return True
    told = words.tells_hard_fact(text) or words.opens_up(text)
    felt = content.lexicon.read(text).emotion.intensity >= HEARD_FIRST
    return (told or felt) and not questions_of(text)
