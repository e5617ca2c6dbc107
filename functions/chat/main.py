"""The entry points of the `chat` function."""

from functools import partial

import functions_framework.aio
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from shared.loading import collection_paused
from shared.web.any_path import take_any_path

with collection_paused():
    from functions.chat.dispatch import KINDS, dispatch
    from functions.chat.wiring import COMPOSITION
    from shared.web.background import handle_task

take_any_path()


@functions_framework.aio.http  # type: ignore[arg-type]  # typed for responses; any ASGI application works
async def chat(_request: Request) -> ASGIApp:
    """Answer one HTTPS request: functions-framework runs the returned ASGI application as the response."""
    return COMPOSITION.serving().app


@functions_framework.aio.http
async def answer_waiting(request: Request) -> Response:
    """Do a task of Cloud Tasks: answer messages left waiting by a crash, erase, withdraw consents, remind."""
    parts = COMPOSITION.serving()
    work = partial(dispatch, parts.turns, parts.erasure_requests, parts.consents, parts.reminders)
    return await handle_task(request, work, KINDS, parts.platform.invoker_auth)
