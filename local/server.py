"""The server of one machine, until it is stopped."""

import sys
from collections.abc import Mapping

from local.listening import QuietServer, bound
from local.machine import machine
from local.ports import HOST
from shared.config.settings import LocalSettings, ModelAccess
from shared.observability.spans import NO_TRACER, Tracer


async def serve(
    settings: LocalSettings, access: ModelAccess, environment: Mapping[str, str], tracer: Tracer = NO_TRACER
) -> None:
    """Serve until SIGINT or SIGTERM.

    Raises:
        ConfigError: The port is taken, the data directory is in use, or the agents' settings are wrong.
    """
    listener = bound(settings.port)
    address = f"http://{HOST}:{listener.getsockname()[1]}"
    async with machine(settings, access, environment, tracer) as built:
        for problem in built.model_problems:
            print(f"cbot: {problem}", file=sys.stderr, flush=True)
        await QuietServer(built.app, f"CBot is ready at {address} ({built.model_note})").until_signal(
            listener, built.drain
        )
