"""`python -m local`: the whole of CBot in one process, until SIGINT or SIGTERM."""

import asyncio
import logging
import os
import sys

from shared.config.settings import LocalSettings, ModelAccess
from shared.domain.errors import CBotError

WRONG_CONFIG = 2


def main() -> int:
    """Run the server; returns the exit code: 0 after a clean end, 2 when it could not start."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    try:
        settings = LocalSettings.read(os.environ)
        access = ModelAccess.read(os.environ)
        # The server brings everything else along, for about a second: a wrong setting is refused before that.
        from local.server import serve  # noqa: PLC0415

        asyncio.run(serve(settings, access, os.environ))
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return WRONG_CONFIG
    return 0


if __name__ == "__main__":
    sys.exit(main())
