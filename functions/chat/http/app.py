"""The ASGI application of `chat`."""

import json
import sys
from functools import cache
from pathlib import Path

from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from functions.chat.http.api import PATH_PATTERNS, ChatApi
from functions.chat.http.endpoints import OPERATIONS
from shared.content.loader import load_yaml
from shared.web.endpoint import routes_of
from shared.web.error_middleware import ErrorMiddleware
from shared.web.openapi import Described, describe
from shared.web.problems import error_handlers
from shared.web.reference import Reference
from shared.web.requests import APP_CHECK_HEADER

API_VERSION = "0.1.0"
_REFERENCE = Path(__file__).parent / "reference.yaml"


def document() -> dict[str, JsonValue]:
    """Return the OpenAPI document."""
    endpoints = [operation.endpoint for operation in OPERATIONS]
    return describe(Described(endpoints, "CBot chat", API_VERSION, PATH_PATTERNS, load_yaml(_REFERENCE, Reference)))


@cache
def rendered() -> str:
    """Return the document as text."""
    return json.dumps(document(), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(rendered(), encoding="utf-8")


def build_app(api: ChatApi) -> Starlette:
    app = Starlette(
        routes=[*routes_of(OPERATIONS, api), Route("/openapi.json", _openapi, methods=["GET"])],
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
