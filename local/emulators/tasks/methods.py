"""gRPC handlers of the emulated methods."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.cloud.tasks_v2 import types
from google.protobuf.empty_pb2 import Empty

from local.emulators.tasks.problems import Problem
from local.emulators.tasks.service import CloudTasksService
from shared.domain.errors import StoreUnavailable

SERVICE = "google.cloud.tasks.v2.CloudTasks"

Q = TypeVar("Q")
A = TypeVar("A")


def handlers(service: CloudTasksService) -> grpc.GenericRpcHandler:
    """Return the emulated methods; gRPC answers UNIMPLEMENTED to others."""
    methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "CreateQueue": _method(service.create_queue, types.CreateQueueRequest, types.Queue.serialize),
        "GetQueue": _method(service.get_queue, types.GetQueueRequest, types.Queue.serialize),
        "ListQueues": _method(service.list_queues, types.ListQueuesRequest, types.ListQueuesResponse.serialize),
        "UpdateQueue": _method(service.update_queue, types.UpdateQueueRequest, types.Queue.serialize),
        "DeleteQueue": _method(service.delete_queue, types.DeleteQueueRequest, Empty.SerializeToString),
        "PauseQueue": _method(service.pause_queue, types.PauseQueueRequest, types.Queue.serialize),
        "ResumeQueue": _method(service.resume_queue, types.ResumeQueueRequest, types.Queue.serialize),
        "PurgeQueue": _method(service.purge_queue, types.PurgeQueueRequest, types.Queue.serialize),
        "CreateTask": _method(service.create_task, types.CreateTaskRequest, types.Task.serialize),
        "GetTask": _method(service.get_task, types.GetTaskRequest, types.Task.serialize),
        "ListTasks": _method(service.list_tasks, types.ListTasksRequest, types.ListTasksResponse.serialize),
        "DeleteTask": _method(service.delete_task, types.DeleteTaskRequest, Empty.SerializeToString),
        "RunTask": _method(service.run_task, types.RunTaskRequest, types.Task.serialize),
    }
    return grpc.method_handlers_generic_handler(SERVICE, methods)


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
