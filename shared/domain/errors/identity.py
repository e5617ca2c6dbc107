"""When it cannot be told who is calling."""

from shared.domain.errors.root import CBotError, Kind


class IdentityUnavailable(CBotError):
    """The public keys of the tokens' issuer cannot be had: nobody can be let in, and nobody be refused."""

    code = "identity_unavailable"
    kind = Kind.RETRYABLE
