"""A Cloud Tasks emulator: Google's messages over gRPC, stored in SQLite, delivered over HTTP."""

from local.emulators.tasks.dispatch import Disorder
from local.emulators.tasks.emulator import TasksEmulator
from local.emulators.tasks.queue_settings import QueueSettings

__all__ = ["Disorder", "QueueSettings", "TasksEmulator"]
