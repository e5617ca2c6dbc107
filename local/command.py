"""What the commands of this package have in common: one clear line for what is wrong, and the exit code."""

import asyncio
import sys
from collections.abc import Callable, Coroutine

from shared.domain.errors import CBotError

WRONG_CONFIG = 2


def run(work: Callable[[], Coroutine[None, None, None]]) -> int:
    """Run a command to its end; returns the exit code.

    Args:
        work: The command's work.

    Returns:
        0 after a clean end, also when it was interrupted before it could serve; 2 when something is wrong or missing,
        which is told in one line on stderr.
    """
    try:
        asyncio.run(work())
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return WRONG_CONFIG
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 0
    return 0
