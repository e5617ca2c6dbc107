"""The one place where Firestore's failures become the store's errors.

The vendor's messages may quote what a person wrote: they are looked at and never passed on.
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
    """Name a failed call in the store's terms, to be raised `from None`.

    Args:
        error: From the client; broken preconditions of a commit are `suspects`' business.
        doing: What was asked, in our own words.

    Returns:
        `StoreUnavailable` for what may go well another time: no connection, no answer in time, too much contention
        (`ABORTED`), a quota used up. Otherwise a plain `StoreError`: no permission, no such database, a missing index,
        a document of more than 1 MiB.
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
    """Return the writes of a commit whose precondition may be the broken one; none if the error is of another kind.

    The backend names the document that exists already, and no document whose version is another one.
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
    # The cloud ends with the document's name, the emulator with `path=/c/1}`.
    return re.search(rf"/{re.escape(path)}(?![^\s}}\"'])", str(error.message)) is not None


def _status(error: BaseException | None) -> str:
    code = getattr(error, "grpc_status_code", None)
    return code.name if code is not None else type(error).__name__
