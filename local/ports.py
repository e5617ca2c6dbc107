"""Ports for servers that must be told where to listen, chosen before they start."""

import itertools
import os
import socket
from contextlib import ExitStack, suppress

from shared.domain.errors import ConfigError

HOST = "127.0.0.1"
CHOICE = range(20_000, 32_000)
"""Below 32768, from where Linux takes the ports of outgoing connections (49152 elsewhere): one of those is free when it
is chosen, and may be somebody's connection when its server starts, or starts again."""
_OF_ONE_PROCESS = 16
"""Ports between the first ones of processes whose ids are neighbours: two that choose at once choose others."""
_turns = itertools.count(os.getpid() * _OF_ONE_PROCESS)


def free_ports(count: int) -> list[int]:
    """Return so many ports of 127.0.0.1 that nobody listens on, none that this process has chosen lately.

    Raises:
        ConfigError: There are not so many.
    """
    with ExitStack() as held:
        found: list[int] = []
        for turn in itertools.islice(_turns, len(CHOICE)):
            port = CHOICE[turn % len(CHOICE)]
            with suppress(OSError):
                held.enter_context(socket.create_server((HOST, port)))
                found.append(port)
            if len(found) == count:
                return found
    raise ConfigError(f"not {count} ports of {HOST} are free between {CHOICE[0]} and {CHOICE[-1]}")


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    return free_ports(1)[0]
