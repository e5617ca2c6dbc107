"""`python -m local.emulators.tasks`: the emulator on its own, with the keys of its tokens beside it."""

import argparse
import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from local.emulators.signing import OidcSigner, certs_route
from local.emulators.tasks.emulator import HOST, TasksEmulator
from local.emulators.tasks.queue_settings import QueueSettings
from shared.adapters.system_clock import SystemClock
from shared.domain.errors import ConfigError


class _Server(uvicorn.Server):
    """Leaves signals to `_run`."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _run(arguments: argparse.Namespace) -> None:
    clock = SystemClock()
    signer = OidcSigner.kept_in(arguments.data / "oidc.pem", clock)
    listener = _bound(arguments.certs_port)
    queues = dict.fromkeys(arguments.queue, QueueSettings())
    emulator = TasksEmulator(arguments.data / "tasks.sqlite3", signer, clock, queues=queues, port=arguments.port)
    async with emulator:
        app = Starlette(routes=[certs_route(signer)])
        server = _Server(uvicorn.Config(app, lifespan="off", access_log=False, log_config=None))
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, _end, server)
        certs = f"http://{HOST}:{listener.getsockname()[1]}/certs"
        print(f"Cloud Tasks emulator at {emulator.address}, public keys at {certs}", flush=True)
        await server.serve(sockets=[listener])


def _bound(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise ConfigError(f"port {port} of {HOST} cannot be used: {error.strerror}") from None


def _end(server: uvicorn.Server) -> None:
    server.should_exit = True


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.emulators.tasks", description="A Cloud Tasks emulator.")
    parser.add_argument("--data", type=Path, required=True, help="directory for its file and its key")
    parser.add_argument("--port", type=int, default=0, help="of the gRPC server; 0: a free one")
    parser.add_argument("--certs-port", type=int, default=0, help="of the public keys; 0: a free one")
    parser.add_argument("--queue", action="append", default=[], help="full name of a queue to create; repeatable")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        asyncio.run(_run(_arguments()))
    except ConfigError as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
