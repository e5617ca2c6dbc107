"""Translates the vendor's errors to `ModelError`s."""

import re
from functools import cache
from json import JSONDecodeError
from typing import TYPE_CHECKING

from pydantic import ValidationError

from shared.domain.errors import (
    ModelAccessDenied,
    ModelError,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelStreamBroken,
    ModelTimeout,
    ModelUnavailable,
    Refusal,
)

if TYPE_CHECKING:
    from google.genai.errors import APIError

_STATUS_NAME = re.compile(r"[A-Z][A-Z_]{1,40}")
_KEY_REASONS = ("API_KEY_INVALID", "API_KEY_EXPIRED", "API key not valid", "API key expired")
"""What the API says about a bad key, in `details` or in its message; the status is a plain 400."""
_RETRY_DELAY = re.compile(r"'retryDelay': '(\d{1,6}(?:\.\d{1,9})?)s'")
"""In the error's `details`, formatted by Python: https://cloud.google.com/apis/design/errors#error_details."""
_LOCATION = "User location is not supported"


@cache
def vendor_errors() -> tuple[type[Exception], ...]:
    """Return all errors that an SDK call raises for failures outside of our code.

    They include TypeError, AttributeError and KeyError, because the SDK reads a reply before it validates it: a JSON
    body of another shape (a list, an error object without a code) raises one of them.
    """
    import httpx2  # noqa: PLC0415 -- with the SDK, on first use (see connection.py)
    from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415
    from google.genai.errors import APIError  # noqa: PLC0415

    return (
        APIError,
        GoogleAuthError,
        httpx2.HTTPError,
        httpx2.InvalidURL,
        httpx2.StreamError,
        TimeoutError,
        OSError,
        ValueError,
        TypeError,
        AttributeError,
        KeyError,
    )


def translate(error: Exception, *, midstream: bool = False) -> ModelError:
    """Translate a failure of the SDK, of HTTP or of the network.

    Args:
        error: One of `vendor_errors()`.
        midstream: Part of the answer was delivered already, so a cut is a broken stream.

    Returns:
        The error to raise `from None`: the vendor's messages quote bodies with the user's text, so neither a reason nor
        a logged traceback may contain them.
    """
    from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415
    from google.genai.errors import APIError  # noqa: PLC0415

    cut = ModelStreamBroken if midstream else ModelUnavailable
    match error:
        case APIError():
            return _refusal(error) or _rate_limit(error) or _by_status(error.code, error.status)
        case TransportError():
            return ModelUnavailable("no connection to the identity provider")
        case GoogleAuthError():
            return ModelAccessDenied(f"no valid credentials: {type(error).__name__}", Refusal.CREDENTIALS)
        case TimeoutError():
            return ModelTimeout("no answer in time")
        case JSONDecodeError() | UnicodeDecodeError() | ValidationError():
            return cut("unreadable reply")
        case ValueError() | TypeError() | AttributeError() | KeyError():
            # ValueError includes UnknownApiResponseError, for a body that is not JSON.
            return cut(f"unreadable reply: {type(error).__name__}")
        case _:
            return _by_transport(error, cut)


def _refusal(error: "APIError") -> ModelAccessDenied | None:
    """Return the refusal of our access, or None for any other error.

    The message is only searched for fixed phrases and not kept.
    """
    reason = _reason(error.code, error.status)
    words = f"{error.message} {error.details}"
    if error.code == 400 and any(phrase in words for phrase in _KEY_REASONS):
        return ModelAccessDenied(reason, Refusal.KEY)
    if error.status == "FAILED_PRECONDITION" and _LOCATION in words:
        return ModelAccessDenied(reason, Refusal.LOCATION)
    if error.code == 401:
        return ModelAccessDenied(reason, Refusal.CREDENTIALS)
    if error.code == 403:
        return ModelAccessDenied(reason, Refusal.PERMISSION)
    return None


def _rate_limit(error: "APIError") -> ModelRateLimited | None:
    """Return a 429 with the pause of its `RetryInfo`; None for any other error.

    `retryDelay` is a protobuf Duration in JSON, as "58s" or "1.5s".
    """
    if error.code != 429:
        return None
    found = _RETRY_DELAY.search(f"{error.details}")
    return ModelRateLimited(_reason(error.code, error.status), float(found[1]) if found else None)


def _by_transport(error: Exception, cut: type[ModelError]) -> ModelError:
    import httpx2  # noqa: PLC0415

    name = type(error).__name__
    match error:
        case httpx2.TimeoutException():
            return ModelTimeout(f"no answer in time: {name}")
        case httpx2.InvalidURL() | httpx2.UnsupportedProtocol() | httpx2.LocalProtocolError():
            return ModelRejected(f"request cannot be sent: {name}")
        case _:
            return cut(f"connection failed: {name}")


def _by_status(code: object, status: object) -> ModelError:
    """Translate an HTTP status, or the code of an error object inside a stream (which may lack one)."""
    reason = _reason(code, status)
    match code:
        case 408 | 504:
            return ModelTimeout(reason)
        case 404 if status == "NOT_FOUND":
            return ModelNotFound(reason)
        case 404 | 405:  # a gateway that does not know the path answers in other words
            return ModelAccessDenied(reason, Refusal.ADDRESS)
        case int() if 400 <= code < 500:
            return ModelRejected(reason)
        case int():
            return ModelUnavailable(reason)
        case _:
            return ModelUnavailable("error without a code")


def _reason(code: object, status: object) -> str:
    """Format a status without quoting the message."""
    named = isinstance(status, str) and _STATUS_NAME.fullmatch(status)
    return f"{code} {status}" if named else f"{code}"
