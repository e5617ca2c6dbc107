"""The entry point of the `session_manager` function."""

from functools import partial

import functions_framework.aio
from starlette.requests import Request
from starlette.responses import Response

from functions.session_manager.dispatch import KINDS, dispatch, give_up
from functions.session_manager.wiring import COMPOSITION
from shared.web.background import handle_task


@functions_framework.aio.http
async def manage_session(request: Request) -> Response:
    """Do a task of Cloud Tasks."""
    bench = COMPOSITION.parts()
    return await handle_task(request, partial(dispatch, bench), KINDS, partial(give_up, bench))
