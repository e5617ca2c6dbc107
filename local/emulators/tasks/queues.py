"""The running queues, each with its tasks and delivery loop."""

import asyncio
from collections.abc import Collection, Mapping
from datetime import datetime

from google.cloud.tasks_v2.types import Queue

from local.embedded.delivery import DeliveryLoop, DeliveryPolicy
from local.embedded.sqlite_file import SqliteFile
from local.emulators.tasks.dispatch import Disorder, Dispatcher
from local.emulators.tasks.messages import copy_of
from local.emulators.tasks.names import queue_name
from local.emulators.tasks.problems import missing, taken
from local.emulators.tasks.queue_settings import QueueSettings, completed, policy_of
from local.emulators.tasks.queue_store import QueueStore
from local.emulators.tasks.queued_task import QueuedTask
from local.emulators.tasks.task_store import TaskStore
from shared.ports.clock import Clock


class RunningQueue:
    """A running queue.

    Attributes:
        message: Answer of GetQueue.
        tasks: Its tasks.
        loop: Delivers them.
    """

    def __init__(self, message: Queue, tasks: TaskStore, loop: DeliveryLoop[QueuedTask]) -> None:
        self.message = message
        self.tasks = tasks
        self.loop = loop


class Queues:
    """All queues of the emulator. Methods raise `Problem`, and `StoreUnavailable`."""

    def __init__(self, file: SqliteFile, dispatcher: Dispatcher, clock: Clock, disorder: Disorder) -> None:
        self._file = file
        self._store = QueueStore(file)
        self._dispatcher = dispatcher
        self._clock = clock
        self._disorder = disorder
        self._running: dict[str, RunningQueue] = {}
        self._held = False
        # a change reads, writes and then publishes; concurrent ones would be lost
        self._changing = asyncio.Lock()

    async def start(self, settings: Mapping[str, QueueSettings]) -> None:
        """Start the stored queues, then apply the settings of each named queue; paused queues stay paused."""
        for message in await self._store.all():
            self._run(message)
        for name, wanted in settings.items():
            await self.put(wanted.message(queue_name(name)))

    async def stop(self, grace_s: float) -> None:
        """See `DeliveryLoop.stop`."""
        await asyncio.gather(*(queue.loop.stop(grace_s) for queue in self._running.values()))

    def find(self, name: str) -> RunningQueue | None:
        """Return a queue, if it exists."""
        return self._running.get(queue_name(name))

    def get(self, name: str) -> RunningQueue:
        """Return a queue."""
        queue = self.find(name)
        if queue is None:
            raise missing(f"the queue {name!r}")
        return queue

    def all(self) -> list[RunningQueue]:
        """Return the queues by name."""
        return [self._running[name] for name in sorted(self._running)]

    async def create(self, message: Queue) -> Queue:
        """Add a queue."""
        async with self._changing:
            if message.name in self._running:
                raise taken(f"the queue {message.name!r} exists")
            return await self._put(message, ())

    async def put(self, message: Queue, given: Collection[str] = ()) -> Queue:
        """Add a queue or change its settings, keeping its state. `given` as for `completed`."""
        async with self._changing:
            return await self._put(message, given)

    async def set_paused(self, name: str, *, paused: bool) -> Queue:
        """Pause or resume a queue."""
        async with self._changing:
            queue = self.get(name)
            changed = copy_of(queue.message)
            changed.state = Queue.State(Queue.State.PAUSED if paused else Queue.State.RUNNING)
            await self._store.put(changed)
            queue.message = changed
            self._follow_state(queue)
            return changed

    async def purge(self, name: str, now: datetime) -> Queue:
        """Delete the tasks of a queue; their names stay used."""
        async with self._changing:
            queue = self.get(name)
            await queue.tasks.delete_all(now)
            changed = copy_of(queue.message)
            Queue.pb(changed).purge_time.FromDatetime(now)
            await self._store.put(changed)
            queue.message = changed
            return changed

    async def delete(self, name: str) -> None:
        """Delete a queue and its tasks; its name is free at once, while Cloud Tasks may take three days."""
        async with self._changing:
            queue = self.get(name)
            del self._running[name]
            await queue.loop.stop(grace_s=0)
            await self._store.remove(name)

    def hold(self, *, held: bool) -> None:
        """Stop delivering from all queues, or deliver again from those that are not paused."""
        self._held = held
        for queue in self._running.values():
            self._follow_state(queue)

    async def _put(self, message: Queue, given: Collection[str]) -> Queue:
        wanted = completed(message, given)
        queue = self._running.get(message.name)
        kept = copy_of(queue.message) if queue else Queue(name=message.name, state=Queue.State.RUNNING)
        kept.retry_config, kept.rate_limits = wanted.retry_config, wanted.rate_limits
        await self._store.put(kept)
        if queue:
            queue.message = kept
            queue.loop.apply(self._policy(kept))
        else:
            self._run(kept)
        return kept

    def _run(self, message: Queue) -> None:
        tasks = TaskStore(self._file, message.name)
        loop = DeliveryLoop(tasks, self._dispatcher.send, self._clock, self._policy(message))
        queue = RunningQueue(message, tasks, loop)
        self._running[message.name] = queue
        self._follow_state(queue)
        loop.start()

    def _policy(self, message: Queue) -> DeliveryPolicy:
        return policy_of(message, self._disorder.copies, newest_first=self._disorder.newest_first)

    def _follow_state(self, queue: RunningQueue) -> None:
        if self._held or queue.message.state == Queue.State.PAUSED:
            queue.loop.pause()
        else:
            queue.loop.resume()
