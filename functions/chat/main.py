"""The entry point of the `chat` function."""

import functions_framework.aio
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from functions.chat.wiring import COMPOSITION


class _Delegated(Response):
    """Answers by handing the request to the function's application.

    functions-framework wants a response object; an ASGI application is called as one is.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await COMPOSITION.parts().app(scope, receive, send)


@functions_framework.aio.http
async def chat(_request: Request) -> Response:
    """Answer one HTTPS request."""
    return _Delegated()
