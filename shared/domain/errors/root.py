"""The root of the error tree, and the kinds of errors."""

from enum import StrEnum
from typing import ClassVar


class ErrorKind(StrEnum):
    """What a caller may do about an error."""

    RETRYABLE = "retryable"
    """The same request may succeed later."""
    FINAL = "final"
    """The same request will fail again."""
    SAFETY = "safety"
    """A safety rule or filter stopped it: never retried blindly, never hidden."""


class CBotError(Exception):
    """Root of every error that CBot raises itself.

    Attributes:
        code: Stable identifier; API clients and logs rely on it.
        kind: What a caller may do about it.
    """

    code: ClassVar[str] = "internal"
    kind: ClassVar[ErrorKind] = ErrorKind.FINAL


class ContentError(CBotError):
    """A content file is wrong."""

    code = "content_error"

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {problem}")
        self.file = file
        self.line = line
        self.problem = problem


class ConfigError(CBotError):
    """The environment is wrong; the message is one line for the operator."""

    code = "config_error"
