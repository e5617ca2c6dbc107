"""`python -m local`: the whole of CBot in one process, until SIGINT or SIGTERM."""

import os
import sys

from local.command import run
from shared.config.settings import LocalSettings, ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.observability.telemetry import configure_telemetry


async def _serve() -> None:
    settings = LocalSettings.read(os.environ)
    access = ModelAccess.read(os.environ)
    telemetry = configure_telemetry(TelemetrySettings.read(os.environ))
    # The server brings everything else along, for about a second: a wrong setting is refused before that.
    from local.server import serve  # noqa: PLC0415

    await serve(settings, access, os.environ, telemetry.tracer)


def main() -> int:
    """Run the server; returns the exit code."""
    return run(_serve)


if __name__ == "__main__":
    sys.exit(main())
