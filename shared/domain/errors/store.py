"""Errors of a store."""

from shared.domain.errors.root import CBotError, ErrorKind


class StoreError(CBotError):
    """The store failed."""

    code = "store_error"


class VersionConflict(StoreError):
    """Another writer changed `path` first."""

    code = "version_conflict"
    kind = ErrorKind.RETRYABLE

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was changed by somebody else")
        self.path = path


class DocumentExists(StoreError):
    """A create met an existing document at `path`."""

    code = "document_exists"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} exists already")
        self.path = path


class DocumentTooNew(StoreError):
    """The document at `path` was written by newer code and is not changed.

    During a deployment a retry succeeds once it reaches the new code. After a rollback the operator must deploy the
    newer code again, or one that knows its documents (docs/decisions/0009).

    Attributes:
        reason: What this code does not know; never a stored value.
    """

    code = "document_too_new"
    kind = ErrorKind.RETRYABLE

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} was written by newer code: {reason}; after a rollback, deploy that code again")
        self.path = path
        self.reason = reason


class DocumentUnreadable(StoreError):
    """The document at `path` is damaged or was edited by hand.

    Attributes:
        reason: What does not fit; never a stored value.
    """

    code = "document_unreadable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")
        self.path = path
        self.reason = reason


class LeaseLost(StoreError):
    """The turn's lease was taken over: its fencing token is stale and it may not commit."""

    code = "lease_lost"
    kind = ErrorKind.RETRYABLE

    def __init__(self, conversation_id: str, token: int) -> None:
        super().__init__(f"lease {token} of {conversation_id} was taken over")
        self.conversation_id = conversation_id
        self.token = token


class StoreUnavailable(StoreError):
    """The store does not answer."""

    code = "store_unavailable"
    kind = ErrorKind.RETRYABLE
