"""`python -m local.emulators`: CBot on the emulators, until SIGINT or SIGTERM."""

import asyncio
import logging
import os
import signal
import sys

from local.emulators.firestore import FirestoreEmulator
from local.emulators.runner import Runner
from local.listening import HOST, QuietServer, bound
from shared.config.settings import LocalSettings, ModelAccess
from shared.domain.errors import CBotError, ConfigError

WRONG_CONFIG = 2


async def _serve(settings: LocalSettings, access: ModelAccess) -> None:
    starting = asyncio.current_task()
    if starting is not None:  # until the server takes the signals over
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
    """Ask the server to end when the database has."""
    await asyncio.to_thread(firestore.wait)
    server.end()


def main() -> int:
    """Run until asked to end; returns the exit code: 0 after a clean end, 2 when something is missing."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    try:
        asyncio.run(_serve(LocalSettings.read(os.environ), ModelAccess.read(os.environ)))
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return WRONG_CONFIG
    except (KeyboardInterrupt, asyncio.CancelledError):  # while starting: what had started is ended by now
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
