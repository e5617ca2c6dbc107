"""When it cannot be told who is calling, or with what."""

from shared.domain.errors.requests import Refused
from shared.domain.errors.root import CBotError, ErrorKind


class IdentityUnavailable(CBotError):
    """The public keys of the tokens' issuer cannot be had: nobody can be let in, and nobody be refused."""

    code = "identity_unavailable"
    kind = ErrorKind.RETRYABLE


class AppCheckFailed(Refused):
    """The call is not known to come from one of our apps; `reason` is for the log, never the token."""

    code = "app_check_failed"

    def __init__(self, reason: str) -> None:
        super().__init__(f"not one of our apps: {reason}")
        self.reason = reason
