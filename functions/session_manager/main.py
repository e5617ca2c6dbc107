"""The entry points of the `session_manager` function."""

from functools import partial

import functions_framework.aio
from starlette.requests import Request
from starlette.responses import Response

from functions.session_manager.dispatch import KINDS, dispatch, give_up
from functions.session_manager.wiring import COMPOSITION
from shared.web.background import handle_schedule, handle_task


@functions_framework.aio.http
async def manage_session(request: Request) -> Response:
    """Do a task of Cloud Tasks."""
    parts = COMPOSITION.serving()
    work = partial(dispatch, parts.bench)
    return await handle_task(request, work, KINDS, partial(give_up, parts.bench), parts.door)


@functions_framework.aio.http
async def sweep(request: Request) -> Response:
    """Do the scheduled look for work that a crash or a lost event left undone."""
    parts = COMPOSITION.serving()
    return await handle_schedule(request, parts.sweep.run, parts.door)
