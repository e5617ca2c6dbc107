"""Chooses free ports for servers before they start."""

import itertools
import os
import socket
from contextlib import ExitStack, suppress

from shared.domain.errors import ConfigError

HOST = "127.0.0.1"
CHOICE = range(20_000, 32_000)
"""Below 32768, where Linux's ephemeral ports begin (49152 elsewhere): an ephemeral port may be taken by a connection
before its server starts or restarts."""
_OF_ONE_PROCESS = 16
"""Distance between the first ports of processes with neighbouring ids, so that they choose different ones."""
_turns = itertools.count(os.getpid() * _OF_ONE_PROCESS)


def free_ports(count: int) -> list[int]:
    """Return free ports of 127.0.0.1 that this process has not chosen recently.

    Raises:
        ConfigError: There are too few.
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
    """Return a free port of 127.0.0.1."""
    return free_ports(1)[0]
