"""The control endpoints: faults, latency, scripts, and the log of calls."""

from collections.abc import Callable

from pydantic import JsonValue, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from local.gemini.faults import Injection
from local.gemini.latency import Latency
from local.gemini.simulator import Simulator

_SCRIPT: TypeAdapter[dict[str, list[JsonValue]]] = TypeAdapter(dict[str, list[JsonValue]])

Handler = Callable[[bytes], object]


def control_routes(simulator: Simulator) -> list[Route]:
    """Build the routes below /control.

    - `POST /control/faults` an `Injection`; `DELETE` all.
    - `GET /control/calls` counters and the last requests; `DELETE` forgets them.
    - `PUT /control/latency` a `Latency`.
    - `PUT /control/script` `{agent: [text or JSON value, …]}`; `{}` ends it.

    A body that does not fit is answered with 422 and the problems.
    """

    def put_latency(body: bytes) -> None:
        simulator.latency = Latency.model_validate_json(body)

    return [
        _route("/control/faults", "POST", lambda body: simulator.faults.put(Injection.model_validate_json(body))),
        _route("/control/faults", "DELETE", lambda _: simulator.faults.clear()),
        _route("/control/calls", "GET", lambda _: simulator.calls.as_json()),
        _route("/control/calls", "DELETE", lambda _: simulator.calls.clear()),
        _route("/control/latency", "PUT", put_latency),
        _route("/control/script", "PUT", lambda body: simulator.set_script(_SCRIPT.validate_json(body))),
    ]


def _route(path: str, method: str, handle: Handler) -> Route:
    async def endpoint(request: Request) -> Response:
        try:
            answer = handle(await request.body())
        except ValidationError as error:
            return JSONResponse(error.errors(include_url=False, include_context=False), status_code=422)
        return Response(status_code=204) if answer is None else JSONResponse(answer)

    return Route(path, endpoint, methods=[method])
