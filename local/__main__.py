"""`python -m local`: the whole of CBot in one process, until SIGINT or SIGTERM."""

import asyncio
import os
import sys

from shared.config.settings import LocalSettings, ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.domain.errors import CBotError
from shared.observability.telemetry import configure_telemetry

WRONG_CONFIG = 2


def main() -> int:
    """Run the server; returns the exit code: 0 after a clean end, 2 when it could not start."""
    try:
        telemetry = configure_telemetry(TelemetrySettings.read(os.environ))
        settings = LocalSettings.read(os.environ)
        access = ModelAccess.read(os.environ)
        # The server brings everything else along, for about a second: a wrong setting is refused before that.
        from local.server import serve  # noqa: PLC0415

        asyncio.run(serve(settings, access, os.environ, telemetry.tracer))
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return WRONG_CONFIG
    return 0


if __name__ == "__main__":
    sys.exit(main())
