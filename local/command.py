"""Common to the commands of this package: one-line errors and exit codes."""

import asyncio
import sys
from collections.abc import Callable, Coroutine

from shared.domain.errors import CBotError

WRONG_CONFIG = 2


def run(work: Callable[[], Coroutine[None, None, None]]) -> int:
    """Run a command and return its exit code.

    Args:
        work: The command's work.

    Returns:
        0 after a clean end or an interrupt; 2 for an error, which is printed in one line on stderr.
    """
    try:
        asyncio.run(work())
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return WRONG_CONFIG
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 0
    return 0
