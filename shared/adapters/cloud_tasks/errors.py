"""The one place where the vendor's failures become CBot's."""

from functools import cache

from shared.domain.errors import CBotError, ConfigError, StoreUnavailable


@cache
def vendor_errors() -> tuple[type[Exception], ...]:
    """Everything that a call of the SDK raises for a failure outside of our code."""
    from google.api_core.exceptions import GoogleAPIError  # noqa: PLC0415 -- with the SDK, on first use
    from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415

    return (GoogleAPIError, GoogleAuthError)


def is_taken(error: Exception) -> bool:
    """Whether the name of the task is used already."""
    from google.api_core.exceptions import AlreadyExists  # noqa: PLC0415

    return isinstance(error, AlreadyExists)


def translate(error: Exception, queue: str) -> CBotError:
    """Name a failure in CBot's terms.

    Args:
        error: One of `vendor_errors()`.
        queue: Full name of the queue, for the operator.

    Returns:
        `StoreUnavailable` for what may pass, `ConfigError` for what only an operator can mend. A queue that is not
        found is of the first kind: Cloud Tasks says so for some minutes too when a queue slept for 30 days
        (`Queue.State.RUNNING` in https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2).
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
