"""Errors of the emulated calls."""

import grpc


class Problem(Exception):
    """A call ends with a gRPC status other than OK."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.message = message


def invalid(message: str) -> Problem:
    """Return the error of an invalid request."""
    return Problem(grpc.StatusCode.INVALID_ARGUMENT, message)


def missing(what: str) -> Problem:
    """Return the error of a missing queue or task."""
    return Problem(grpc.StatusCode.NOT_FOUND, f"{what} does not exist")


def taken(message: str) -> Problem:
    """Return the error of a used name."""
    return Problem(grpc.StatusCode.ALREADY_EXISTS, message)


def not_emulated(what: str) -> Problem:
    """Return the error of a feature that is not emulated."""
    return Problem(grpc.StatusCode.UNIMPLEMENTED, f"{what}: not emulated")
