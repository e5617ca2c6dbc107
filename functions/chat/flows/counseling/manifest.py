"""Manifest of the counselling service."""

import logging

from functions.chat.flows.counseling.keeping import claims, keeps
from functions.chat.flows.counseling.kept_plan import SafetyPlans
from functions.chat.flows.counseling.opening import FLOW
from functions.chat.flows.counseling.turn import AgeHeard, CounselingFlow, ignore_age
from functions.chat.flows.counseling.turn_options import DEFAULT, TurnOptions
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.domain.turn import Hook
from shared.engine.flow import Manifest
from shared.engine.hooks import HookContext
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event

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
) -> Manifest[Session]:
    """Return the manifest.

    Args:
        content: All content.
        age_heard: Called when the user states or corrects an age under 14.
        plans: The kept safety plans; None keeps none.
        options: How the turns run.
    """
    flow = CounselingFlow(content, age_heard, plans, options)
    return Manifest(
        name=FLOW,
        flow=flow,
        keeps=lambda turn: keeps(turn, content),
        claims=lambda text: claims(text, content),
        hears=flow.overhear,
        hook_handlers={"crisis_detected": _crisis_detected, "session_completed": _session_completed},
    )
