"""The entry point of the `chat` function."""

import functions_framework.aio
from starlette.requests import Request
from starlette.types import ASGIApp

from functions.chat.wiring import COMPOSITION


@functions_framework.aio.http  # type: ignore[arg-type]  # it names responses; any ASGI application is one
async def chat(_request: Request) -> ASGIApp:
    """Answer one HTTPS request.

    functions-framework calls what is returned as a response, which is to say as an ASGI application.
    """
    return COMPOSITION.parts().app
