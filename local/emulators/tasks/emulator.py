"""The emulator: file, queues and gRPC server."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self

import grpc.aio

from local.embedded.sqlite_file import SqliteFile
from local.emulators.signing import OidcSigner
from local.emulators.tasks.dispatch import Disorder, Dispatcher
from local.emulators.tasks.methods import handlers
from local.emulators.tasks.problems import Problem
from local.emulators.tasks.queue_settings import QueueSettings
from local.emulators.tasks.queue_store import SCHEMA
from local.emulators.tasks.queues import Queues
from local.emulators.tasks.service import CloudTasksService
from shared.adapters.system_clock import RandomIds
from shared.domain.errors import ConfigError
from shared.ports.clock import Clock

HOST = "127.0.0.1"
_CALLS_GRACE_S = 1.0


class TasksEmulator:
    """Cloud Tasks on this machine; accepted tasks survive the process.

    Attributes:
        address: `host:port` of the running gRPC server, for `CLOUD_TASKS_EMULATOR_HOST`.
    """

    def __init__(
        self,
        file: Path,
        signer: OidcSigner,
        clock: Clock,
        *,
        queues: Mapping[str, QueueSettings] | None = None,
        disorder: Disorder | None = None,
        port: int = 0,
    ) -> None:
        """Prepare without starting.

        Args:
            file: File of queues and tasks, in a directory of its own.
            signer: Signs the tasks' OIDC tokens.
            clock: Decides what is due.
            queues: Settings of queues to create or update, by full name.
            disorder: Repetition and order of deliveries.
            port: Port; 0 for a free one.
        """
        self._file = file
        self._signer = signer
        self._clock = clock
        self._settings = dict(queues or {})
        self._disorder = disorder or Disorder()
        self._port = port
        self._grace_s = 0.0
        self._queues: Queues | None = None
        self._running: AsyncExitStack | None = None
        self.address = ""

    async def start(self) -> str:
        """Accept calls and deliver, beginning with what an earlier process left; return `address`.

        Raises:
            ConfigError: The port is taken, the file or its directory is unusable, or a queue's settings are wrong.
            StoreUnavailable: Another process keeps the file locked.
        """
        async with AsyncExitStack() as stack:
            file = await SqliteFile.open(self._file, schema=SCHEMA)
            stack.push_async_callback(file.aclose)
            dispatcher = Dispatcher(self._signer)
            stack.push_async_callback(dispatcher.aclose)
            queues = Queues(file, dispatcher, self._clock, self._disorder)
            # without SO_REUSEPORT, or a second emulator would get half of the calls
            server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
            stack.push_async_callback(self._stop_queues, queues)
            stack.push_async_callback(server.stop, _CALLS_GRACE_S)
            server.add_generic_rpc_handlers((handlers(CloudTasksService(queues, self._clock, RandomIds())),))
            address = _bind(server, self._port)
            try:
                await queues.start(self._settings)
            except Problem as problem:
                raise ConfigError(f"queues of the Cloud Tasks emulator: {problem.message}") from None
            await server.start()
            self._queues, self.address, self._running = queues, address, stack.pop_all()
        return self.address

    async def stop(self, grace_s: float = 10.0) -> None:
        """Stop accepting calls, wait for deliveries at most `grace_s` seconds, then cancel them; safe to repeat."""
        self._grace_s = grace_s
        running, self._running, self._queues = self._running, None, None
        if running is not None:
            await running.aclose()

    def wake(self) -> None:
        """Look for due tasks now."""
        for queue in self._started().all():
            queue.loop.wake()

    def hold(self) -> None:
        """Keep accepting tasks, but start no delivery until `release`, in any state of the queues."""
        self._started().hold(held=True)

    def release(self) -> None:
        """Deliver again, except from paused queues."""
        self._started().hold(held=False)

    async def idle(self) -> None:
        """Wait until no task is due, running or waiting for a retry; due tasks in a paused queue count.

        Raises:
            StoreUnavailable: The file cannot be read.
        """
        for queue in self._started().all():
            await queue.loop.idle()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _stop_queues(self, queues: Queues) -> None:
        await queues.stop(self._grace_s)

    def _started(self) -> Queues:
        if self._queues is None:
            raise RuntimeError("the emulator is not running")
        return self._queues


def _bind(server: grpc.aio.Server, port: int) -> str:
    try:
        bound = server.add_insecure_port(f"{HOST}:{port}")
    except RuntimeError:
        raise ConfigError(f"port {port} of {HOST} cannot be used by the Cloud Tasks emulator") from None
    return f"{HOST}:{bound}"
