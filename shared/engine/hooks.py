"""Hooks: typed handlers from a flow's manifest that run after the commit and cannot fail the turn."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from shared.domain.conversation import S
from shared.domain.turn import Hook, TurnResult
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event

log = logging.getLogger(__name__)

HOOK_SECONDS = 5.0
"""Timeout of a hook, seconds; a timeout is logged."""


@dataclass(frozen=True)
class HookContext(Generic[S]):
    """Input of a handler: the committed state and the turn's result."""

    state: S
    result: TurnResult


HookHandler = Callable[[HookContext[S], Hook], Awaitable[None]]
AfterTurn = Callable[[HookContext[S]], Awaitable[None]]


@dataclass(frozen=True)
class Hooks(Generic[S]):
    """What runs after a turn's commit, of all services."""

    handlers: Mapping[str, HookHandler[S]] = field(default_factory=dict)
    after_turn: Sequence[AfterTurn[S]] = ()


async def run_hooks(
    context: HookContext[S],
    handlers: Mapping[str, HookHandler[S]],
    after_turn: Sequence[AfterTurn[S]],
    *,
    seconds: float = HOOK_SECONDS,
) -> None:
    """Run the handlers of the turn's hooks, then every `after_turn`; failures are only logged."""
    for hook in context.result.hooks:
        handler = handlers.get(hook.type)
        if handler is not None:
            await _guarded(hook.type, handler(context, hook), seconds)
    for follower in after_turn:
        await _guarded("after_turn", follower(context), seconds)


async def _guarded(what: str, work: Awaitable[None], seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await work
    except Exception as error:  # noqa: BLE001 - the outermost edge of code that is not the turn's: the turn stands
        log_event(log, LogEvent.HOOK_FAILED, error=error, hook=what)
