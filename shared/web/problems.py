"""Errors as RFC 9457 problem details in the caller's language; the only map from errors to HTTP statuses."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Protocol

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from shared.contracts.chat import ResourceView
from shared.contracts.events import Failed
from shared.contracts.problem import MissingConsent, Problem
from shared.domain import errors
from shared.domain.errors import CBotError
from shared.locale import Locale
from shared.web.broken import log_broken
from shared.web.danger import DangerNotice, danger_of
from shared.web.errors import (
    BodyTooLarge,
    FormRequired,
    InvalidJson,
    MethodNotAllowed,
    RequestTimeout,
    UnsupportedMediaType,
)
from shared.web.faults import DoesNotFit, FieldFault
from shared.web.negotiation import locale_of

PROBLEM_JSON = "application/problem+json"
RETRY_SECONDS = 5
"""Default `Retry-After` of a 503, seconds."""

STATUS: Mapping[type[CBotError], int] = {
    errors.InvalidInput: 422,
    InvalidJson: 400,
    UnsupportedMediaType: 415,
    FormRequired: 415,
    BodyTooLarge: 413,
    RequestTimeout: 408,
    MethodNotAllowed: 405,
    errors.TextTooLong: 413,
    errors.FileTypeRefused: 415,
    errors.FileTooLarge: 413,
    errors.Unauthenticated: 401,
    errors.AppCheckFailed: 403,
    errors.Forbidden: 403,
    errors.ConsentRequired: 403,
    errors.GuardianRequired: 403,
    errors.NotFound: 404,
    errors.MessageIdConflict: 409,
    errors.SessionEnded: 409,
    errors.SessionOpen: 409,
    errors.MeasureClosed: 409,
    errors.DocumentLimitReached: 409,
    errors.TooManyRequests: 429,
    errors.DailyLimitReached: 429,
    errors.BudgetSpent: 429,
    errors.Overloaded: 503,
    errors.ShuttingDown: 503,
    errors.IdentityUnavailable: 503,
    errors.TurnPending: 503,
    errors.StoreError: 500,
    errors.StoreUnavailable: 503,
    errors.LeaseLost: 503,
    errors.ModelError: 500,
    errors.ContentError: 500,
    errors.ConfigError: 500,
}
"""The nearest class in an error's ancestry counts. A 500 says `internal`; the log has the details."""


class ProblemTexts(Protocol):
    """Texts of problems."""

    def problem(self, code: str, locale: Locale) -> tuple[str, str]:
        """Return title and detail; the detail may name the error's fields as `{field}`."""
        ...

    def fault(self, fault: FieldFault, locale: Locale) -> str:
        """Return a text that says what is wrong."""
        ...

    def consent(self, name: str, locale: Locale) -> str:
        """Return the name of a consent; for an unknown one, the name of all consents."""
        ...

    def help(self, danger: DangerNotice, locale: Locale) -> tuple[str, tuple[ResourceView, ...]]:
        """Return a sentence and sources of help for a user in danger whose message gets no reply."""
        ...


class _Fields(dict[str, object]):
    """An error's fields for its detail; an unknown field is left empty."""

    def __missing__(self, key: str) -> str:
        return ""


def error_classes(root: type[CBotError] = CBotError) -> Iterator[type[CBotError]]:
    """Yield an error class and all its subclasses."""
    yield root
    for child in root.__subclasses__():
        yield from error_classes(child)


def status_of(error: type[CBotError]) -> int:
    """Return the HTTP status of an error; 500 if it is not in the map."""
    return next((STATUS[ancestor] for ancestor in error.__mro__ if ancestor in STATUS), 500)


def problem_of(error: CBotError, texts: ProblemTexts, locale: Locale, danger: DangerNotice | None = None) -> Problem:
    """Convert an error; for a user in danger with sources of help."""
    fields: Mapping[str, object] = vars(error)
    if isinstance(error, DoesNotFit):
        fields = {**fields, "detail": "; ".join(texts.fault(fault, locale) for fault in error.faults)}
    if isinstance(error, errors.ConsentRequired):
        fields = {**fields, "missing": tuple(texts.consent(name, locale) for name in error.missing)}
    return _helped(_worded(type(error), fields, texts, locale), texts, locale, danger)


def problem_of_failed(
    failed: Failed, texts: ProblemTexts, locale: Locale, danger: DangerNotice | None = None
) -> Problem:
    """Convert a failed turn's ending; the stream carries the error's code, not its fields."""
    known = {error.code: error for error in error_classes()}
    error = known.get(failed.code, CBotError)
    fields = {"missing": texts.consent("", locale)}
    return _helped(_worded(error, fields, texts, locale), texts, locale, danger)


def _helped(problem: Problem, texts: ProblemTexts, locale: Locale, danger: DangerNotice | None) -> Problem:
    """Return the problem with sources of help: in the detail, which every client shows, and as a list."""
    if danger is None:
        return problem
    sentence, resources = texts.help(danger, locale)
    lines = " · ".join(f"{line.name} {line.number}" for line in resources)
    return problem.model_copy(update={"detail": f"{problem.detail} {sentence} {lines}", "resources": resources})


def _worded(error: type[CBotError], fields: Mapping[str, object], texts: ProblemTexts, locale: Locale) -> Problem:
    status = status_of(error)
    code = CBotError.code if status == 500 else error.code
    title, detail = texts.problem(code, locale)
    given = fields.get("retry_after", getattr(error, "retry_after", None))
    retry_after = given if isinstance(given, int) else RETRY_SECONDS if status == 503 else None
    shown = {name: ", ".join(map(str, v)) if isinstance(v, tuple) else v for name, v in fields.items()}
    versions = fields.get("versions")
    asked = versions.items() if isinstance(versions, dict) else ()
    return Problem(
        type=f"urn:cbot:problem:{code}",
        title=title,
        status=status,
        code=code,
        detail=detail.format_map(_Fields(shown, retry_after=retry_after)),
        retry_after=retry_after,
        consents=tuple(MissingConsent(id=name, version=version) for name, version in asked) or None,
    )


def problem_response(problem: Problem, locale: Locale, headers: Mapping[str, str] | None = None) -> Response:
    out = {"Cache-Control": "no-store", "Content-Language": locale.value, **(headers or {})}
    if problem.retry_after is not None:
        out["Retry-After"] = str(problem.retry_after)
    if problem.status == 401:
        out["WWW-Authenticate"] = "Bearer"
    if problem.status == 408:
        out["Connection"] = "close"  # the rest of the request is not awaited
    return Response(problem.model_dump_json(exclude_none=True), problem.status, out, media_type=PROBLEM_JSON)


Handler = Callable[[Request, Exception], Awaitable[Response]]


def error_handlers(texts: ProblemTexts) -> dict[type[Exception], Handler]:
    """Return Starlette's exception handlers for our errors and its own 404 and 405."""

    async def ours(request: Request, error: Exception) -> Response:
        cbot = error if isinstance(error, CBotError) else CBotError()
        if status_of(type(cbot)) == 500:
            log_broken(request.scope, error)
        locale = locale_of(request)
        return problem_response(problem_of(cbot, texts, locale, danger_of(request.scope)), locale)

    async def starlettes(request: Request, error: Exception) -> Response:
        headers = error.headers if isinstance(error, HTTPException) else None
        locale = locale_of(request)
        return problem_response(problem_of(_translated(error), texts, locale), locale, headers)

    return {CBotError: ours, HTTPException: starlettes}


def _translated(error: Exception) -> CBotError:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404:
        return errors.NotFound("address")
    if status == 405:
        return MethodNotAllowed()
    return DoesNotFit((FieldFault("not_understood"),)) if status < 500 else CBotError()
