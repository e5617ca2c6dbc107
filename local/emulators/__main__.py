"""`python -m local.emulators`: CBot on the emulators, until SIGINT or SIGTERM."""

import asyncio
import os
import signal
import sys

from local.command import run
from local.emulators.firestore import FirestoreEmulator
from local.emulators.runner import Runner
from local.listening import QuietServer, bound
from local.ports import HOST
from shared.config.settings import LocalSettings, ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.domain.errors import ConfigError
from shared.observability.telemetry import configure_telemetry


async def _serve() -> None:
    configure_telemetry(TelemetrySettings.read(os.environ))
    settings, access = LocalSettings.read(os.environ), ModelAccess.read(os.environ)
    starting = asyncio.current_task()
    if starting is not None:  # until the server handles the signals
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, starting.cancel)
    listener = bound(settings.port)
    address = f"http://{HOST}:{listener.getsockname()[1]}"
    print("starting the emulators and the functions …", file=sys.stderr, flush=True)
    async with Runner(settings, access, os.environ).running(address) as household:
        note = "\n".join([f"CBot is ready at {address}", *household.lines, "Ctrl-C ends everything."])
        server = QuietServer(household.app, note)
        watching = asyncio.create_task(_end_with(household.firestore, server))
        await server.until_signal(listener)
        watching.cancel()
        if household.firestore.pid is None:
            raise ConfigError("the Firestore emulator ended, and all data with it")


async def _end_with(firestore: FirestoreEmulator, server: QuietServer) -> None:
    """End the server when the database has ended."""
    await asyncio.to_thread(firestore.wait)
    server.end()


if __name__ == "__main__":
    sys.exit(run(_serve))
