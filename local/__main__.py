"""`python -m local`: all of CBot in one process, until SIGINT or SIGTERM."""

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
    # Imported here, since the server takes about a second to import and a wrong setting should fail before that.
    from local.server import serve  # noqa: PLC0415

    await serve(settings, access, os.environ, telemetry.tracer)


def main() -> int:
    """Run the server; returns the exit code."""
    return run(_serve)


if __name__ == "__main__":
    sys.exit(main())
