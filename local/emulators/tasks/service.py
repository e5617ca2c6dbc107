"""The emulated methods of `google.cloud.tasks.v2.CloudTasks`."""

import base64
import binascii

from google.cloud.tasks_v2.types import (
    CreateQueueRequest,
    CreateTaskRequest,
    DeleteQueueRequest,
    DeleteTaskRequest,
    GetQueueRequest,
    GetTaskRequest,
    ListQueuesRequest,
    ListQueuesResponse,
    ListTasksRequest,
    ListTasksResponse,
    PauseQueueRequest,
    PurgeQueueRequest,
    Queue,
    ResumeQueueRequest,
    RunTaskRequest,
    Task,
    UpdateQueueRequest,
)
from google.protobuf.empty_pb2 import Empty

from local.emulators.tasks.messages import copy_of
from local.emulators.tasks.names import location_name, location_of, queue_name, queue_of, task_name
from local.emulators.tasks.problems import invalid, missing, not_emulated, taken
from local.emulators.tasks.queues import Queues, RunningQueue
from local.emulators.tasks.task_rules import new_task, viewed
from shared.ports.clock import Clock, IdSource

MAX_QUEUES_PAGE = 9800
MAX_TASKS_PAGE = 1000


class CloudTasksService:
    """Answers calls; methods raise `Problem` and `StoreUnavailable`."""

    def __init__(self, queues: Queues, clock: Clock, ids: IdSource) -> None:
        self._queues = queues
        self._clock = clock
        self._ids = ids

    async def create_queue(self, request: CreateQueueRequest) -> Queue:
        """Create a queue."""
        parent = location_name(request.parent)
        if location_of(queue_name(request.queue.name)) != parent:
            raise invalid(f"{request.queue.name!r} is not in {parent!r}")
        return await self._queues.create(request.queue)

    async def get_queue(self, request: GetQueueRequest) -> Queue:
        """Return a queue."""
        return self._queues.get(request.name).message

    async def list_queues(self, request: ListQueuesRequest) -> ListQueuesResponse:
        """Return the queues of a location by name, page by page."""
        if request.filter:
            raise not_emulated("filter")
        parent, size = location_name(request.parent), _page_size(request.page_size, MAX_QUEUES_PAGE)
        after = _after(request.page_token)
        here = [queue.message for queue in self._queues.all() if location_of(queue.message.name) == parent]
        found = [queue for queue in here if queue.name > after]
        token = _token(found[size - 1].name) if len(found) > size else ""
        return ListQueuesResponse(queues=found[:size], next_page_token=token)

    async def update_queue(self, request: UpdateQueueRequest) -> Queue:
        """Change the settings of the mask, or all; create the queue if it does not exist."""
        name, mask = queue_name(request.queue.name), request.update_mask
        current = self._queues.find(name)
        if not mask.paths:
            return await self._queues.put(request.queue)
        if not mask.IsValidForDescriptor(Queue.pb(request.queue).DESCRIPTOR):
            raise invalid(f"update_mask: {', '.join(mask.paths)}: not all are fields of a queue")
        wanted, given = copy_of(current.message) if current else Queue(name=name), Queue.pb(request.queue)
        # the mask's fields are taken even if they are empty
        given.retry_config.SetInParent()
        given.rate_limits.SetInParent()
        mask.MergeMessage(given, Queue.pb(wanted), replace_message_field=True)
        return await self._queues.put(wanted, mask.paths)

    async def delete_queue(self, request: DeleteQueueRequest) -> Empty:
        """Delete a queue and its tasks."""
        await self._queues.delete(request.name)
        return Empty()

    async def pause_queue(self, request: PauseQueueRequest) -> Queue:
        """Stop dispatching from a queue."""
        return await self._queues.set_paused(request.name, paused=True)

    async def resume_queue(self, request: ResumeQueueRequest) -> Queue:
        """Resume dispatching from a queue."""
        return await self._queues.set_paused(request.name, paused=False)

    async def purge_queue(self, request: PurgeQueueRequest) -> Queue:
        """Delete all tasks of a queue."""
        return await self._queues.purge(request.name, self._clock.now())

    async def create_task(self, request: CreateTaskRequest) -> Task:
        """Add a task to a queue."""
        queue, now = self._queues.get(request.parent), self._clock.now()
        task = new_task(request.task, request.parent, self._ids.new_id(), now)
        if not await queue.tasks.add(task, now):
            raise taken(f"the task {task.name!r} exists, or did until recently")
        queue.loop.wake()
        return viewed(task, request.response_view)

    async def get_task(self, request: GetTaskRequest) -> Task:
        """Return a pending task."""
        found = await self._queue_of(request.name).tasks.get(request.name)
        if found is None:
            raise missing(f"the task {request.name!r}")
        return viewed(found.message, request.response_view)

    async def list_tasks(self, request: ListTasksRequest) -> ListTasksResponse:
        """Return the pending tasks of a queue by name, page by page."""
        queue, size = self._queues.get(request.parent), _page_size(request.page_size, MAX_TASKS_PAGE)
        found = await queue.tasks.page(_after(request.page_token), size + 1)
        token = _token(found[size - 1].name) if len(found) > size else ""
        shown = [viewed(task, request.response_view) for task in found[:size]]
        return ListTasksResponse(tasks=shown, next_page_token=token)

    async def delete_task(self, request: DeleteTaskRequest) -> Empty:
        """Delete a pending task; a running attempt goes on."""
        if not await self._queue_of(request.name).tasks.delete(request.name, self._clock.now()):
            raise missing(f"the task {request.name!r}")
        return Empty()

    async def run_task(self, request: RunTaskRequest) -> Task:
        """Dispatch a task now, regardless of its time and its queue's limits and state."""
        queue = self._queue_of(request.name)
        task = await queue.tasks.get(request.name)
        begun = await queue.loop.send_now(task) if task else None
        if begun is None:
            raise missing(f"the task {request.name!r}")
        return viewed(begun.message, request.response_view)

    def _queue_of(self, name: str) -> RunningQueue:
        return self._queues.get(queue_of(task_name(name)))


def _page_size(asked: int, most: int) -> int:
    if asked < 0:
        raise invalid("page_size must not be negative")
    return min(asked or most, most)


def _token(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode()


def _after(token: str) -> str:
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise invalid("page_token is none of ours") from None
