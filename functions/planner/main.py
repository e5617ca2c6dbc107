"""The entry points of the `planner` function."""

from functools import partial

import functions_framework.aio
from starlette.requests import Request
from starlette.responses import Response

from shared.loading import collection_paused

with collection_paused():
    from functions.planner.replan import leave_unanswered, replan
    from functions.planner.transitions import carry_out, recover
    from functions.planner.wiring import COMPOSITION
    from shared.contracts.tasks import JobKind
    from shared.domain.counseling.records import PartTransition, PlannerFeedback
    from shared.web.background import AtLast, handle_event, handle_task


@functions_framework.aio.http
async def plan(request: Request) -> Response:
    """Do a task of Cloud Tasks: the work of a lost event."""
    parts = COMPOSITION.serving()
    work, last = partial(recover, parts.context), partial(leave_unanswered, parts.context)
    return await handle_task(request, work, {JobKind.PLAN}, parts.invoker_auth, AtLast(last))


@functions_framework.aio.http
async def on_part_transition(request: Request) -> Response:
    """Handle the event of `sessions/{id}/part_transitions/{from}-{to}`."""
    parts = COMPOSITION.serving()
    work, now = partial(carry_out, parts.context), parts.context.clock.now()
    return await handle_event(request, PartTransition.collection, work, now, parts.invoker_auth)


@functions_framework.aio.http
async def on_planner_feedback(request: Request) -> Response:
    """Handle the event of `sessions/{id}/planner_feedback/{id}`."""
    parts = COMPOSITION.serving()
    work, now = partial(replan, parts.context), parts.context.clock.now()
    return await handle_event(request, PlannerFeedback.collection, work, now, parts.invoker_auth)
