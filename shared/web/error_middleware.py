"""The outermost layer: unexpected errors are logged, and the client gets a problem without a traceback."""

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.domain.errors import CBotError
from shared.observability.trace_context import incoming
from shared.web.broken import log_broken
from shared.web.danger import danger_of
from shared.web.negotiation import locale_of
from shared.web.problems import ProblemTexts, problem_of, problem_response


class ErrorMiddleware:
    """ASGI middleware inside the CORS one, so that a browser can read the problem.

    If the answer has already begun, it stops: the server cuts the connection, which tells the client that it is
    incomplete.
    """

    def __init__(self, app: ASGIApp, texts: ProblemTexts) -> None:
        self._app = app
        self._texts = texts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request in its trace."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with incoming(Headers(scope=scope)):
            await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the outermost edge; logged with its traceback
            log_broken(scope, error)
            if not started:
                locale = locale_of(Request(scope))
                problem = problem_of(CBotError(), self._texts, locale, danger_of(scope))
                await problem_response(problem, locale)(scope, receive, send)
