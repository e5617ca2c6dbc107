"""The port `TaskQueue` on Cloud Tasks; importing this package does not import the SDK (cold start)."""

from shared.adapters.cloud_tasks.queue import CloudTasksQueue, Route, connect, queue_path

__all__ = ["CloudTasksQueue", "Route", "connect", "queue_path"]
