"""Manifest of the counselling service."""

import logging

from functions.chat.flows.counseling.opening import FLOW
from shared.domain.counseling.session import Session
from shared.domain.turn import Hook
from shared.engine.flow import Flow, Manifest
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


def counseling(flow: Flow[Session]) -> Manifest[Session]:
    """Return the manifest."""
    handlers = {"crisis_detected": _crisis_detected, "session_completed": _session_completed}
    return Manifest(name=FLOW, flow=flow, hook_handlers=handlers)
