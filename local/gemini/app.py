"""The routes: the Gemini API, Vertex AI's paths to it, and the control endpoints."""

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from local.gemini.control import control_routes
from local.gemini.delivery import Delivery
from local.gemini.embedding import embeds
from local.gemini.models import served
from local.gemini.problems import ApiProblem
from local.gemini.protocol import parse_generate
from local.gemini.refusals import check_deadline, check_key
from local.gemini.replies import Replies
from local.gemini.simulator import Simulator

_VERTEX = "/{version}/projects/{project}/locations/{location}/publishers/google/models"

Endpoint = Callable[[Request], Awaitable[ASGIApp]]


def build_app(simulator: Simulator) -> ASGIApp:
    """Build the ASGI app around `simulator`; a header of every reply marks it as a demo."""

    async def call_model(request: Request) -> ASGIApp:
        _check_access(request)
        model, method, version = (request.path_params[name] for name in ("model", "method", "version"))
        check_deadline(request.headers.get("x-server-timeout"))
        if embeds(method):
            return JSONResponse(await simulator.embed(model, method, await request.body()))
        served(model, version)
        if method not in ("generateContent", "streamGenerateContent"):
            raise ApiProblem(404, "NOT_FOUND", f"Method {method} is not found.")
        asked = parse_generate(model, await request.body(), version)
        if asked.max_output_tokens == 1:  # a look whether the model is served, which is no agent's call
            simulator.check_served(model)
            return JSONResponse(Replies(asked).piece("", 0, "MAX_TOKENS", 1))
        call, plan = simulator.begin(asked, method)
        return Delivery(simulator, call, plan, Replies(asked), stream=method.startswith("stream"))

    routes = [
        Route(prefix + "/{model}:{method}", call_model, methods=["POST"]) for prefix in ("/{version}/models", _VERTEX)
    ]
    app = Starlette(routes=[*control_routes(simulator), *routes], exception_handlers={ApiProblem: _problem})
    return _labelled(app)


def _check_access(request: Request) -> None:
    """Refuse a call without credentials, or with a key that the API would refuse."""
    if "project" not in request.path_params:
        check_key(request.headers.get("x-goog-api-key"))
    elif not request.headers.get("authorization", "").startswith("Bearer "):
        raise ApiProblem(401, "UNAUTHENTICATED", "Request is missing required authentication credential.")


async def _problem(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, ApiProblem):
        raise error
    return JSONResponse(error.body(), status_code=error.code)


def _labelled(app: ASGIApp) -> ASGIApp:
    async def label(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_labelled(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["x-cbot-demo"] = "gemini-simulator"
            await send(message)

        await app(scope, receive, send_labelled)

    return label
