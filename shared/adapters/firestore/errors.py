"""Translates Firestore's errors to the store's.

The vendor's messages may quote the user's text, so they are inspected but never passed on.
"""

import re
from collections.abc import Sequence

from google.api_core.exceptions import (
    Aborted,
    AlreadyExists,
    Cancelled,
    FailedPrecondition,
    GoogleAPICallError,
    GoogleAPIError,
    NotFound,
    RetryError,
    ServerError,
    TooManyRequests,
)

from shared.domain.errors import StoreError, StoreUnavailable
from shared.ports.document_writes import Create, Remove, ReplaceDocument, Write


def translate(error: GoogleAPIError, doing: str) -> StoreError:
    """Translate a failed call; the result is to be raised `from None`.

    Args:
        error: From the client; `suspects` handles broken preconditions of a commit.
        doing: What was asked, in our own words.

    Returns:
        `StoreUnavailable` for transient failures: no connection, a timeout, contention (`ABORTED`), a used-up quota.
        Else a plain `StoreError`: no permission, no such database, a missing index, a document of more than 1 MiB.
    """
    cause = error.cause if isinstance(error, RetryError) else error
    reason = _status(cause)
    match cause:
        case ServerError() | Aborted() | TooManyRequests() | Cancelled():
            return StoreUnavailable(f"Firestore, {doing}: {reason}")
        case GoogleAPICallError():
            return StoreError(f"Firestore refused {doing}: {reason}")
        case _:
            return StoreUnavailable(f"Firestore, {doing}: {reason}")


def suspects(error: GoogleAPIError, writes: Sequence[Write]) -> list[Create | ReplaceDocument | Remove]:
    """Return the writes of a commit whose precondition may have failed; none for other errors.

    The backend names a document that exists already, but not one with another version.
    """
    match error:
        case AlreadyExists():
            creates: list[Create | ReplaceDocument | Remove] = [write for write in writes if isinstance(write, Create)]
            return [write for write in creates if _names(error, write.path)] or creates
        case FailedPrecondition() | NotFound():
            return [
                write
                for write in writes
                if isinstance(write, ReplaceDocument) or (isinstance(write, Remove) and write.version is not None)
            ]
        case _:
            return []


def _names(error: GoogleAPICallError, path: str) -> bool:
    # The cloud's message ends with the document's name, the emulator's with `path=/c/1}`.
    return re.search(rf"/{re.escape(path)}(?![^\s}}\"'])", str(error.message)) is not None


def _status(error: BaseException | None) -> str:
    code = getattr(error, "grpc_status_code", None)
    return code.name if code is not None else type(error).__name__
