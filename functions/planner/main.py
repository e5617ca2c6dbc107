"""The entry points of the `planner` function."""

from functools import partial

import functions_framework.aio
from starlette.requests import Request
from starlette.responses import Response

from functions.planner.replan import replan
from functions.planner.transitions import carry_out, recover
from functions.planner.wiring import COMPOSITION
from shared.contracts.tasks import TaskKind
from shared.domain.counseling.records import PartTransition, PlannerFeedback
from shared.web.background import EventAttributes, handle_event, handle_task


@functions_framework.aio.http
async def plan(request: Request) -> Response:
    """Do a task of Cloud Tasks: make up for a lost trigger."""
    bench = COMPOSITION.parts()
    return await handle_task(request, partial(recover, bench), {TaskKind.PLAN}, bench.give_up)


@functions_framework.aio.cloud_event
async def on_part_transition(event: EventAttributes) -> None:
    """Take the event of `sessions/{id}/part_transitions/{from}-{to}`."""
    bench = COMPOSITION.parts()
    await handle_event(event, PartTransition.collection, partial(carry_out, bench), bench.clock.now())


@functions_framework.aio.cloud_event
async def on_planner_feedback(event: EventAttributes) -> None:
    """Take the event of `sessions/{id}/planner_feedback/{id}`."""
    bench = COMPOSITION.parts()
    await handle_event(event, PlannerFeedback.collection, partial(replan, bench), bench.clock.now())
