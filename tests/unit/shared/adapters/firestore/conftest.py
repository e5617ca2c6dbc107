"""A front before the emulator that can be told to fail as networks and backends do."""

import asyncio
from collections import deque
from contextlib import asynccontextmanager

import grpc
import pytest

from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.database import FirestoreDocumentDatabase, Patience
from tests.support.emulators import new_project

STREAMING = {"BatchGetDocuments", "RunQuery"}


class Front(grpc.GenericRpcHandler):
    """Forwards raw calls; `faults` are taken one a call.

    A fault is a status to answer with, before the backend hears of the call; or `lost`, the same after it has done
    all of it; or `hang`.
    """

    words = "the words of a person"

    def __init__(self, backend):
        self.backend = backend
        self.faults = deque()
        self.heard = []

    def service(self, call):
        method = call.method.rpartition("/")[2]
        self.heard.append(method)
        fault = self.faults.popleft() if self.faults else None
        metadata = [(key, value) for key, value in call.invocation_metadata if not key.startswith("grpc-")]

        async def stream(request, context):
            await self._before(fault, context)
            async for answer in self.backend.unary_stream(call.method)(request, metadata=metadata):
                yield answer
                await self._after(fault, context)

        async def unary(request, context):
            await self._before(fault, context)
            try:
                answer = await self.backend.unary_unary(call.method)(request, metadata=metadata)
            except grpc.aio.AioRpcError as error:
                await context.abort(error.code(), error.details())
            await self._after(fault, context)
            return answer

        if method in STREAMING:
            return grpc.unary_stream_rpc_method_handler(stream)
        return grpc.unary_unary_rpc_method_handler(unary)

    async def _before(self, fault, context):
        if fault == "hang":
            await asyncio.Event().wait()
        if isinstance(fault, grpc.StatusCode):
            await context.abort(fault, self.words)

    async def _after(self, fault, context):
        if fault == "lost":
            await context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")


@asynccontextmanager
async def fronted(address):
    async with grpc.aio.insecure_channel(address) as backend:
        front = Front(backend)
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((front,))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            yield front, f"127.0.0.1:{port}"
        finally:
            await server.stop(0)


@pytest.fixture
async def front_and_address(firestore_emulator):
    async with fronted(firestore_emulator.address) as pair:
        yield pair


@pytest.fixture
def front(front_and_address):
    return front_and_address[0]


@pytest.fixture
async def database(front_and_address):
    opened = FirestoreDocumentDatabase.connect(new_project(), emulator=front_and_address[1])
    yield opened
    await opened.aclose()


@pytest.fixture
async def impatient(front_and_address):
    """A client that gives an answer a second, and begins no attempt after four."""
    connection = FirestoreConnection(new_project(), emulator=front_and_address[1])
    opened = FirestoreDocumentDatabase(connection, Patience(attempt_s=1, total_s=4))
    yield opened
    await opened.aclose()
