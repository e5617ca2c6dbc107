"""Errors of HTTP requests whose content was not read."""

from shared.domain.errors import CBotError, ErrorKind, InvalidInput


class InvalidJson(InvalidInput):
    """The body is not one JSON value in UTF-8; `detail` quotes nothing of it."""

    code = "invalid_json"


class UnsupportedMediaType(InvalidInput):
    """The body's declared type is not JSON in UTF-8."""

    code = "unsupported_media_type"

    def __init__(self) -> None:
        super().__init__("the body must be application/json in UTF-8")


class FormRequired(InvalidInput):
    """The body is no multipart/form-data with a file, or a damaged one."""

    code = "form_required"

    def __init__(self) -> None:
        super().__init__("the body must be multipart/form-data with a file")


class BodyTooLarge(InvalidInput):
    """The body has more bytes than the limit."""

    code = "body_too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(f"the body has more than {limit} bytes")
        self.limit = limit


class RequestTimeout(CBotError):
    """The body did not arrive in time."""

    code = "request_timeout"
    kind = ErrorKind.RETRYABLE

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the body did not arrive within {seconds:.0f} s")


class MethodNotAllowed(InvalidInput):
    """The path exists but does not take this method."""

    code = "method_not_allowed"

    def __init__(self) -> None:
        super().__init__("the address does not take this method")
