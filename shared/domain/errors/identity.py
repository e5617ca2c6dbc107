"""Errors of verifying who or what is calling."""

from shared.domain.errors.requests import Refused
from shared.domain.errors.root import CBotError, ErrorKind


class IdentityUnavailable(CBotError):
    """The issuer's public keys are not available, so no token can be verified."""

    code = "identity_unavailable"
    kind = ErrorKind.RETRYABLE


class AppCheckFailed(Refused):
    """The call is not proven to come from one of our apps; `reason` is for the log and never holds the token."""

    code = "app_check_failed"

    def __init__(self, reason: str) -> None:
        super().__init__(f"not one of our apps: {reason}")
        self.reason = reason
