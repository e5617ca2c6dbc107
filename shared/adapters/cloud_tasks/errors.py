"""Translates the vendor's errors to CBot's."""

from functools import cache

from shared.domain.errors import CBotError, ConfigError, StoreUnavailable


@cache
def vendor_errors() -> tuple[type[Exception], ...]:
    """Return all errors that an SDK call raises for failures outside of our code."""
    from google.api_core.exceptions import GoogleAPIError  # noqa: PLC0415 -- with the SDK, on first use
    from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415

    return (GoogleAPIError, GoogleAuthError)


def is_taken(error: Exception) -> bool:
    from google.api_core.exceptions import AlreadyExists  # noqa: PLC0415

    return isinstance(error, AlreadyExists)


def translate(error: Exception, queue: str) -> CBotError:
    """Translate an error.

    Args:
        error: One of `vendor_errors()`.
        queue: Full name of the queue, for the operator.

    Returns:
        `StoreUnavailable` for failures that may pass, `ConfigError` for those that only an operator can fix. A queue
        that is not found is of the first kind: Cloud Tasks also says so for some minutes after a queue was idle for 30
        days (`Queue.State.RUNNING` in https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2).
    """
    from google.api_core import exceptions as api  # noqa: PLC0415
    from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415

    name = type(error).__name__
    match error:
        case api.NotFound():
            return StoreUnavailable(f"{queue}: not found; it is missing, or was idle for 30 days and is waking up")
        case (
            api.PermissionDenied()
            | api.Unauthenticated()
            | api.InvalidArgument()
            | api.FailedPrecondition()
            | api.OutOfRange()
            | api.MethodNotImplemented()
        ):
            return ConfigError(f"{queue}: Cloud Tasks refuses our tasks: {name}: {error.message}")
        case GoogleAuthError() if not error.retryable:
            return ConfigError(f"{queue}: no valid credentials: {name}")
        case _:
            return StoreUnavailable(f"{queue}: Cloud Tasks does not answer: {name}")
