"""What a store could not do."""

from shared.domain.errors.root import CBotError, Kind


class StoreError(CBotError):
    """The store could not do what was asked."""

    code = "store_error"


class VersionConflict(StoreError):
    """Somebody wrote `path` first."""

    code = "version_conflict"
    kind = Kind.RETRYABLE

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was changed by somebody else")
        self.path = path


class DocumentExists(StoreError):
    """A create met an existing document at `path`."""

    code = "document_exists"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} exists already")
        self.path = path


class LeaseLost(StoreError):
    """The turn's lease was taken over: its fencing token is stale and it may not commit."""

    code = "lease_lost"
    kind = Kind.RETRYABLE

    def __init__(self, conversation_id: str, token: int) -> None:
        super().__init__(f"lease {token} of {conversation_id} was taken over")
        self.conversation_id = conversation_id
        self.token = token


class StoreUnavailable(StoreError):
    """The store does not answer."""

    code = "store_unavailable"
    kind = Kind.RETRYABLE
