"""Typed values as JSON answers that must not be cached."""

from collections.abc import Mapping

from pydantic import BaseModel
from starlette.responses import Response

NO_STORE = {"Cache-Control": "no-store"}


def answer(body: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        body.model_dump_json(by_alias=True), status, {**NO_STORE, **(headers or {})}, media_type="application/json"
    )


def nothing() -> Response:
    """Return 204."""
    return Response(status_code=204, headers=NO_STORE)
