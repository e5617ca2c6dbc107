"""The parts of the chat function in tests, without store and model."""

import logging
from itertools import count

from functions.chat.composition import compose
from functions.chat.parts import Platform
from local.background import local_invoker_auth
from shared.adapters.documents.checkpoints import DocumentCheckpoints
from shared.adapters.documents.passage_vectors import DocumentPassageVectors
from shared.config.settings import ChatSettings, ModelAccess
from shared.domain.errors import StoreUnavailable
from shared.domain.ids import UserId
from shared.engine.model_health import ModelHealth
from shared.engine.watched_model import WatchedModel
from shared.observability.log_event import entry_of
from shared.ports.identity import Caller
from tests.builders.appointments import AnyonesAppointments
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue


class Ids:
    """`IdSource` that counts."""

    def __init__(self):
        self._numbers = count(1)

    def new_id(self):
        return f"id{next(self._numbers)}"


class OneUser:
    """`Identity`: the token is the user's id, with a role or a level after a slash if the user has one."""

    async def verify(self, token):
        user_id, _, claim = token.partition("/")
        if claim.isdigit():
            return Caller(user_id=UserId(user_id), counseling_level=int(claim))
        return Caller(user_id=UserId(user_id), role=claim or None)


class FlakyQueue(MemoryTaskQueue):
    """Refuses all tasks while `away`."""

    away = False

    async def enqueue(self, payload, **more):
        if self.away:
            raise StoreUnavailable("the queue is away")
        return await super().enqueue(payload, **more)


class Breakages(logging.Handler):
    """Collects unexpected errors from the log."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.found = []

    def emit(self, record):
        entry = entry_of(record)
        if entry is not None and entry.event.broke:
            self.found.append(entry.text + entry.trace)


def chat_parts(model, clock, settings=None, **parts):
    """Compose the chat function with `OneUser` over a store, a queue and ids."""
    watched = WatchedModel(model, ModelHealth(clock))
    given = {"identity": OneUser(), "invoker_auth": local_invoker_auth("demo-cbot")}
    database = MemoryDocumentDatabase()
    given |= {"appointments": AnyonesAppointments(database), "checkpoints": DocumentCheckpoints(database)}
    given |= {"vectors": DocumentPassageVectors(database), **parts}
    platform = Platform(model=watched, clock=clock, **given)
    return compose(platform, settings or ChatSettings(), ModelAccess())
