"""Free ports of all parts, chosen together before the start, since the parts need each other's addresses."""

from dataclasses import dataclass
from typing import Self

from local.ports import HOST, free_ports

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
        """Choose free ports."""
        firestore, tasks, events, simulator, *functions = free_ports(4 + len(FUNCTIONS))
        return cls(firestore, tasks, events, simulator, dict(zip(FUNCTIONS, functions, strict=True)))

    def url(self, function: str, target: str = "") -> str:
        """Return the address of a function's entry point."""
        return f"http://{HOST}:{self.functions[function]}" + (f"/{target}" if target else "")
