"""The emulated methods of `google.cloud.tasks.v2.CloudTasks`."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.cloud.tasks_v2.types import CreateTaskRequest, DeleteTaskRequest, GetTaskRequest, Task
from google.protobuf.empty_pb2 import Empty

from local.embedded.delivery import DeliveryLoop
from local.emulators.tasks.names import queue_name, queue_of, task_name
from local.emulators.tasks.problems import Problem, missing, taken
from local.emulators.tasks.queued_task import QueuedTask
from local.emulators.tasks.task_rules import new_task
from local.emulators.tasks.task_store import TaskStore
from shared.domain.errors import StoreUnavailable
from shared.ports.clock import Clock, IdSource

SERVICE = "google.cloud.tasks.v2.CloudTasks"

Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True)
class RunningQueue:
    """A queue at work: its tasks, and the loop that delivers them."""

    tasks: TaskStore
    loop: DeliveryLoop[QueuedTask]


class CloudTasksService:
    """Answers calls; methods raise `Problem` and `StoreUnavailable`."""

    def __init__(self, queues: Mapping[str, RunningQueue], clock: Clock, ids: IdSource) -> None:
        self._queues = queues
        self._clock = clock
        self._ids = ids

    def handlers(self) -> grpc.GenericRpcHandler:
        """Return the emulated methods; gRPC itself answers UNIMPLEMENTED to all others."""
        methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "CreateTask": _method(self.create_task, CreateTaskRequest, Task.serialize),
            "GetTask": _method(self.get_task, GetTaskRequest, Task.serialize),
            "DeleteTask": _method(self.delete_task, DeleteTaskRequest, Empty.SerializeToString),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def create_task(self, request: CreateTaskRequest) -> Task:
        """Add a task to a queue."""
        queue, now = self._queue(request.parent), self._clock.now()
        task = new_task(request.task, request.parent, self._ids.new_id(), now)
        if not await queue.tasks.add(task, now):
            raise taken(f"the task {task.name!r} exists, or did until recently")
        queue.loop.wake()
        return task

    async def get_task(self, request: GetTaskRequest) -> Task:
        """Return a task that is not over, with its body, whatever view is asked for."""
        found = await self._queue_of(request.name).tasks.get(request.name)
        if found is None:
            raise missing(f"the task {request.name!r}")
        return found.message

    async def delete_task(self, request: DeleteTaskRequest) -> Empty:
        """Delete a pending task; a running attempt goes on."""
        if not await self._queue_of(request.name).tasks.delete(request.name, self._clock.now()):
            raise missing(f"the task {request.name!r}")
        return Empty()

    def _queue_of(self, name: str) -> RunningQueue:
        return self._queue(queue_of(task_name(name)))

    def _queue(self, name: str) -> RunningQueue:
        queue = self._queues.get(queue_name(name))
        if queue is None:
            raise missing(f"the queue {name!r}")
        return queue


def _method(
    answer: Callable[[Q], Awaitable[A]], request: type[Any], serialize: Callable[[A], bytes]
) -> "grpc.RpcMethodHandler[Q, A]":
    async def call(asked: Q, context: "grpc.aio.ServicerContext[Q, A]") -> A:
        try:
            return await answer(asked)
        except Problem as problem:
            await context.abort(problem.code, problem.message)
        except StoreUnavailable as error:
            await context.abort(grpc.StatusCode.UNAVAILABLE, str(error))

    return grpc.unary_unary_rpc_method_handler(call, request.deserialize, serialize)
