"""The entry points of the `chat` function."""

from functools import partial

import functions_framework.aio
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from functions.chat.dispatch import KINDS, dispatch
from functions.chat.wiring import COMPOSITION
from shared.web.any_path import take_any_path
from shared.web.background import handle_task

take_any_path()


@functions_framework.aio.http  # type: ignore[arg-type]  # it names responses; any ASGI application is one
async def chat(_request: Request) -> ASGIApp:
    """Answer one HTTPS request.

    functions-framework calls what is returned as a response, which is to say as an ASGI application.
    """
    return COMPOSITION.serving().app


@functions_framework.aio.http
async def answer_waiting(request: Request) -> Response:
    """Do a task of Cloud Tasks: answer messages that a crash left waiting, or go on with an erasure or a withdrawal."""
    parts = COMPOSITION.serving()
    work = partial(dispatch, parts.turns, parts.erasure_requests, parts.consents)
    return await handle_task(request, work, KINDS, parts.platform.invoker_auth)
