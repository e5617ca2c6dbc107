"""Errors of files and environment, found at start."""

from shared.domain.errors.root import CBotError


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
