"""`python -m local.emulators.tasks`: the emulator alone, with the public keys of its tokens."""

import argparse
import sys
from functools import partial
from pathlib import Path

from starlette.applications import Starlette

from local.command import run
from local.emulators.signing import OidcSigner, certs_route
from local.emulators.tasks.emulator import TasksEmulator
from local.emulators.tasks.queue_settings import QueueSettings
from local.listening import QuietServer, bound
from local.ports import HOST
from shared.adapters.system_clock import SystemClock


async def _run(arguments: argparse.Namespace) -> None:
    clock = SystemClock()
    signer = OidcSigner.kept_in(arguments.data / "oidc.pem", clock)
    listener = bound(arguments.certs_port)
    queues = dict.fromkeys(arguments.queue, QueueSettings())
    emulator = TasksEmulator(arguments.data / "tasks.sqlite3", signer, clock, queues=queues, port=arguments.port)
    async with emulator:
        app = Starlette(routes=[certs_route(signer)])
        certs = f"http://{HOST}:{listener.getsockname()[1]}/certs"
        ready = f"Cloud Tasks emulator at {emulator.address}, public keys at {certs}"
        await QuietServer(app, ready).until_signal(listener)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.emulators.tasks", description="A Cloud Tasks emulator.")
    parser.add_argument("--data", type=Path, required=True, help="directory for its file and its key")
    parser.add_argument("--port", type=int, default=0, help="of the gRPC server; 0: a free one")
    parser.add_argument("--certs-port", type=int, default=0, help="of the public keys; 0: a free one")
    parser.add_argument("--queue", action="append", default=[], help="full name of a queue to create; repeatable")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(run(partial(_run, _arguments())))
