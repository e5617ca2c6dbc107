"""The ASGI application of `chat`."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from functions.chat.http.api import ChatApi
from functions.chat.http.endpoints import ENDPOINTS
from functions.chat.http.openapi import rendered
from shared.web.endpoint import routes_of
from shared.web.error_middleware import ErrorMiddleware
from shared.web.problems import error_handlers
from shared.web.requests import APP_CHECK_HEADER


def build_app(api: ChatApi) -> Starlette:
    """Build the application."""
    app = Starlette(
        routes=[*routes_of(ENDPOINTS, api), Route("/openapi.json", _openapi, methods=["GET"])],
        middleware=[
            Middleware(
                CORSMiddleware,
                allow_origins=api.origins,
                allow_methods=("GET", "POST", "PUT", "DELETE"),
                allow_headers=(
                    "Authorization",
                    "Content-Type",
                    "Last-Event-ID",
                    "Accept",
                    "Accept-Language",
                    APP_CHECK_HEADER,
                ),
                expose_headers=("Retry-After", "Location"),
            ),
            Middleware(ErrorMiddleware, texts=api.texts),
        ],
        exception_handlers=error_handlers(api.texts),
    )
    # Behind a proxy a redirect would name the internal scheme and host.
    app.router.redirect_slashes = False
    return app


async def _openapi(_request: Request) -> Response:
    return Response(rendered(), media_type="application/json")
