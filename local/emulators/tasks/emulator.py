"""The emulator: file, queues and gRPC server."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self

import grpc.aio

from local.embedded.delivery import DeliveryLoop
from local.embedded.sqlite_file import SqliteFile
from local.emulators.signing import OidcSigner
from local.emulators.tasks.dispatch import Disorder, Dispatcher
from local.emulators.tasks.queue_settings import QueueSettings
from local.emulators.tasks.service import CloudTasksService, RunningQueue
from local.emulators.tasks.task_store import SCHEMA, TaskStore
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
        """Prepare; nothing runs before `start`.

        Args:
            file: Where tasks are kept, in a directory of its own.
            signer: Signs the OIDC tokens that tasks ask for.
            clock: Decides what is due.
            queues: The queues, by full name.
            disorder: How deliveries are repeated and mixed up.
            port: 0 takes a free one.
        """
        self._file = file
        self._signer = signer
        self._clock = clock
        self._settings = dict(queues or {})
        self._disorder = disorder or Disorder()
        self._port = port
        self._grace_s = 0.0
        self._queues: dict[str, RunningQueue] = {}
        self._running: AsyncExitStack | None = None
        self.address = ""

    async def start(self) -> str:
        """Take calls and deliver, first what an earlier process left; returns `address`.

        Raises:
            ConfigError: The port is taken, or the file or its directory cannot be used.
            StoreUnavailable: Another process keeps the file locked.
        """
        async with AsyncExitStack() as stack:
            file = await SqliteFile.open(self._file, schema=SCHEMA)
            stack.push_async_callback(file.aclose)
            dispatcher = Dispatcher(self._signer)
            stack.push_async_callback(dispatcher.aclose)
            queues = {name: self._queue(name, file, dispatcher) for name in self._settings}
            # without SO_REUSEPORT: else a second emulator would take half of the calls
            server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
            stack.push_async_callback(self._stop_queues)
            stack.push_async_callback(server.stop, _CALLS_GRACE_S)
            service = CloudTasksService(queues, self._clock, RandomIds())
            server.add_generic_rpc_handlers((service.handlers(),))
            address = _bind(server, self._port)
            self._queues = queues
            for queue in queues.values():
                queue.loop.start()
            await server.start()
            self.address, self._running = address, stack.pop_all()
        return self.address

    async def stop(self, grace_s: float = 10.0) -> None:
        """Stop accepting calls, wait for deliveries at most `grace_s` seconds, then cancel them; safe to repeat."""
        self._grace_s = grace_s
        running, self._running = self._running, None
        if running is not None:
            await running.aclose()

    def wake(self) -> None:
        """Look for due tasks now."""
        for queue in self._queues.values():
            queue.loop.wake()

    def hold(self) -> None:
        """Go on accepting, and begin no delivery until `release`."""
        for queue in self._queues.values():
            queue.loop.pause()

    def release(self) -> None:
        """Deliver again."""
        for queue in self._queues.values():
            queue.loop.resume()

    async def idle(self) -> None:
        """Wait until no task is due, under way or waiting for a retry; what is due while deliveries are held counts.

        Raises:
            StoreUnavailable: The file cannot be read.
        """
        for queue in self._queues.values():
            await queue.loop.idle()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def _queue(self, name: str, file: SqliteFile, dispatcher: Dispatcher) -> RunningQueue:
        tasks, policy = TaskStore(file, name), self._settings[name].policy(self._disorder)
        return RunningQueue(tasks, DeliveryLoop(tasks, dispatcher.send, self._clock, policy))

    async def _stop_queues(self) -> None:
        queues, self._queues = self._queues, {}
        await asyncio.gather(*(queue.loop.stop(self._grace_s) for queue in queues.values()))


def _bind(server: grpc.aio.Server, port: int) -> str:
    try:
        bound = server.add_insecure_port(f"{HOST}:{port}")
    except RuntimeError:
        raise ConfigError(f"port {port} of {HOST} cannot be used by the Cloud Tasks emulator") from None
    return f"{HOST}:{bound}"
