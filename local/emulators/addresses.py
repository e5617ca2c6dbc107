"""Which part listens where: free ports, chosen together before anything starts, since the parts name each other."""

import socket
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Self

from local.listening import HOST

FUNCTIONS = ("chat", "supervisor", "planner", "session_manager")


@dataclass(frozen=True)
class Addresses:
    """Ports of 127.0.0.1."""

    firestore: int
    tasks: int
    events: int
    simulator: int
    functions: dict[str, int]

    @classmethod
    def free(cls) -> Self:
        """Choose ports that are free now; all are held until all are chosen, so that none is chosen twice."""
        with ExitStack() as held:
            ports = [held.enter_context(socket.create_server((HOST, 0))).getsockname()[1] for _ in range(8)]
        firestore, tasks, events, simulator, *functions = ports
        return cls(firestore, tasks, events, simulator, dict(zip(FUNCTIONS, functions, strict=True)))

    def url(self, function: str, target: str = "") -> str:
        """Return the address of a function's entry point."""
        return f"http://{HOST}:{self.functions[function]}" + (f"/{target}" if target else "")
