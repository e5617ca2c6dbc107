"""What an RPC is refused with."""

import grpc


class Problem(Exception):
    """A call ends with a gRPC status that is not OK."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.message = message


def invalid(message: str) -> Problem:
    """The request is wrong, whatever the state of the service."""
    return Problem(grpc.StatusCode.INVALID_ARGUMENT, message)


def missing(what: str) -> Problem:
    """There is no such queue or task."""
    return Problem(grpc.StatusCode.NOT_FOUND, f"{what} does not exist")


def taken(message: str) -> Problem:
    """The name is used."""
    return Problem(grpc.StatusCode.ALREADY_EXISTS, message)


def not_emulated(what: str) -> Problem:
    """Cloud Tasks can do it, and this emulator says so instead of doing something else."""
    return Problem(grpc.StatusCode.UNIMPLEMENTED, f"{what}: not emulated")
