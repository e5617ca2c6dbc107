"""The entry points of the `session_manager` function."""

from functools import partial

import functions_framework.aio
from starlette.requests import Request
from starlette.responses import Response

from shared.loading import collection_paused

with collection_paused():
    from functions.session_manager.dispatch import KINDS, dispatch, give_up, stand_in
    from functions.session_manager.wiring import COMPOSITION
    from shared.web.background import AtLast, handle_schedule, handle_task


@functions_framework.aio.http
async def manage_session(request: Request) -> Response:
    """Do a task of Cloud Tasks."""
    parts = COMPOSITION.serving()
    work, last, stand_in_work = (partial(step, parts.context) for step in (dispatch, give_up, stand_in))
    return await handle_task(request, work, KINDS, parts.invoker_auth, AtLast(last, stand_in_work))


@functions_framework.aio.http
async def sweep(request: Request) -> Response:
    """Look for work that a crash or a lost event left undone, on a schedule."""
    parts = COMPOSITION.serving()
    return await handle_schedule(request, parts.sweep.run, parts.invoker_auth)
