"""Endpoints as data: one table yields the routes and the OpenAPI document."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shared.domain.errors import CBotError
from shared.web.requests import require_known_parameters

A = TypeVar("A")


@dataclass(frozen=True)
class Endpoint(Generic[A]):
    """One method of one path; `A` is what its handler needs.

    Attributes:
        handle: Its name is the OpenAPI `operationId`, the first line of its docstring the summary.
        response: Body of the answer; None for an answer without one.
        media: Media type of an answer that is text and no JSON.
        also: Bodies of further successful answers, by status.
        errors: In addition to those of bodies, path ids and authentication.
        form: Parts of a multipart/form-data body with a file.
        stream: Answers with server-sent events if the caller accepts them.
        auth: Needs a bearer token.
    """

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    handle: Callable[[A, Request], Awaitable[Response]]
    response: type[BaseModel] | None = None
    request: type[BaseModel] | None = None
    form: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    status: int = 200
    media: str | None = None
    also: Mapping[int, type[BaseModel]] = field(default_factory=dict)
    errors: tuple[type[CBotError], ...] = ()
    stream: bool = False
    auth: bool = True

    @property
    def name(self) -> str:
        return self.handle.__name__

    @property
    def summary(self) -> str:
        return (self.handle.__doc__ or "").split("\n")[0].removesuffix(".")


def routes_of(endpoints: Sequence[Endpoint[A]], api: A) -> list[Route]:
    """Return one route per path: Starlette's 405 lists the methods of one route only."""
    by_path: dict[str, dict[str, Endpoint[A]]] = {}
    for endpoint in endpoints:
        by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    return [_route(path, methods, api) for path, methods in by_path.items()]


def _route(path: str, methods: Mapping[str, Endpoint[A]], api: A) -> Route:
    allowed = sorted({*methods, "OPTIONS", *(["HEAD"] if "GET" in methods else [])})

    async def dispatch(request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"Allow": ", ".join(allowed)})
        method = "GET" if request.method == "HEAD" else request.method
        endpoint = methods[method]
        if endpoint.auth:  # probes call public endpoints with parameters of their own
            require_known_parameters(request, endpoint.query)
        return await endpoint.handle(api, request)

    return Route(path, dispatch, methods=allowed)
