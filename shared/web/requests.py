"""Parses requests into typed values; errors quote nothing of the request.

JSON is read as in RFC 8259 and I-JSON (RFC 7493), without ambiguities.
"""

import asyncio
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError
from starlette.requests import Request

from shared.domain.errors import NotFound, Unauthenticated
from shared.web.errors import BodyTooLarge, InvalidJson, RequestTimeout, UnsupportedMediaType
from shared.web.faults import MOST_FAULTS, DoesNotFit, FieldFault, misfit

MAX_BODY = 64 * 1024
"""Bytes; a message of 4,000 characters takes 48 KiB if every one is escaped as a surrogate pair."""
BODY_SECONDS = 15.0
"""For a whole body, seconds: uvicorn waits for ever, so half-sent bodies would hold connections. Google's front end
limits the request head and forwards complete heads only; `local/listening.py` does so locally."""
APP_CHECK_HEADER = "X-Firebase-AppCheck"
"""Header of Firebase's client SDKs: https://firebase.google.com/docs/app-check/web/custom-resource"""
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Body:
    """A JSON body that is not validated yet."""

    raw: bytes
    value: JsonValue

    def text(self, name: str) -> str:
        """Return a field's text without lone surrogates; "" if it is no text. The other fields are not checked."""
        field = self.value.get(name) if isinstance(self.value, dict) else None
        return _SURROGATE.sub("", field) if isinstance(field, str) else ""


async def read_json(request: Request, limit: int = MAX_BODY, seconds: float = BODY_SECONDS) -> Body:
    """Return the JSON body without validating it against a model.

    Raises:
        UnsupportedMediaType, BodyTooLarge, InvalidJson, RequestTimeout: The body cannot be parsed.
    """
    _require_json(request)
    raw = await read_bytes(request, limit, seconds)
    return Body(raw, parse(raw))


async def read_bytes(request: Request, limit: int = MAX_BODY, seconds: float = BODY_SECONDS) -> bytes:
    """Return the raw body.

    Raises:
        BodyTooLarge, RequestTimeout: It is too long, or did not arrive in time.
    """
    try:
        async with asyncio.timeout(seconds):
            return await _bounded(request, limit)
    except TimeoutError:
        raise RequestTimeout(seconds) from None


def fitted(body: Body, model: type[M]) -> M:
    """Validate a body against its model; only wire names (aliases) are accepted.

    Raises:
        DoesNotFit: It does not fit the model.
    """
    _require_whole_characters(body.value, model)
    try:
        # Only pydantic's JSON mode is strict about types and still takes a list for a tuple.
        return model.model_validate_json(body.raw, strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        raise misfit(error) from None


async def read_body(request: Request, model: type[M], limit: int = MAX_BODY) -> M:
    """Return the validated JSON body.

    Raises:
        UnsupportedMediaType, BodyTooLarge, InvalidJson, RequestTimeout, DoesNotFit: See `read_json` and `fitted`.
    """
    return fitted(await read_json(request, limit), model)


def read_query(request: Request, model: type[M]) -> M:
    """Return the validated query parameters; the last value of a repeated one counts.

    Raises:
        DoesNotFit: They do not fit the model.
    """
    try:
        return model.model_validate(dict(request.query_params), by_alias=True, by_name=False)
    except ValidationError as error:
        raise misfit(error) from None


def require_known_parameters(request: Request, model: type[BaseModel] | None) -> None:
    """Refuse unknown query parameters, since a misspelt one would silently do nothing.

    Raises:
        DoesNotFit: Names the unknown parameters whose names are plain words.
    """
    known = _wire_names(model) if model else frozenset()
    unknown = [name for name in request.query_params if name not in known][:MOST_FAULTS]
    if unknown:
        names = (name if _PLAIN_NAME.fullmatch(name) else "" for name in unknown)
        raise DoesNotFit(tuple(FieldFault("unknown_parameter", name) for name in names))


def path_id(request: Request, name: str, pattern: str) -> str:
    """Return an id from the path.

    Raises:
        NotFound: It does not match the pattern.
    """
    value = str(request.path_params[name])
    if re.fullmatch(pattern, value, re.ASCII) is None:
        raise NotFound(name)
    return value


def bearer_token(request: Request) -> str:
    """Return the bearer token.

    Raises:
        Unauthenticated: There is none, or it is malformed.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthenticated("no bearer token")
    if _TOKEN.fullmatch(token.strip()) is None:
        raise Unauthenticated("malformed bearer token")
    return token.strip()


def app_check_token(request: Request) -> str | None:
    return request.headers.get(APP_CHECK_HEADER)


def _require_json(request: Request) -> None:
    kind, *parameters = (part.strip().lower() for part in request.headers.get("content-type", "").split(";"))
    charset = next((p.partition("=")[2].strip('"') for p in parameters if p.startswith("charset=")), "utf-8")
    if kind != "application/json" or charset not in ("utf-8", "utf8"):
        raise UnsupportedMediaType


async def _bounded(request: Request, limit: int) -> bytes:
    """Read the body and stop once it is too long, regardless of `Content-Length`."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise BodyTooLarge(limit)
    return bytes(body)


def _require_whole_characters(value: JsonValue, model: type[BaseModel]) -> None:
    r"""Refuse lone surrogates (`"\ud800"`), which JSON can express and UTF-8 cannot store."""
    fields = value.items() if isinstance(value, dict) else [("", value)]
    known = _wire_names(model)
    for name, field in fields:
        if any(_SURROGATE.search(text) for text in (name, *texts(field))):
            raise DoesNotFit((FieldFault("lone_surrogate", name if name in known else ""),))


def _wire_names(model: type[BaseModel]) -> frozenset[str]:
    return frozenset(field.alias or name for name, field in model.model_fields.items())


def parse(body: bytes) -> JsonValue:
    """Return the value in a body.

    Raises:
        InvalidJson: Not UTF-8, not JSON, a duplicate key, NaN or infinity, or nested too deeply.
    """
    try:
        value: JsonValue = json.loads(
            body.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refused, parse_float=_finite
        )
    except UnicodeDecodeError:
        raise InvalidJson("not UTF-8") from None
    except RecursionError:
        raise InvalidJson("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise InvalidJson(f"line {error.lineno}, column {error.colno}") from None
    except ValueError:  # Python refuses numbers of thousands of digits
        raise InvalidJson("number too long") from None
    return value


def texts(value: JsonValue) -> Iterator[str]:
    """Yield every text in a value, keys included; iterative, since a value may be nested deeply."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, dict):
            yield from item
            waiting.extend(item.values())


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidJson("a key stands twice in one object")
    return found


def _refused(_constant: str) -> JsonValue:
    raise InvalidJson("NaN and infinity are not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidJson("number too large")
    return number
