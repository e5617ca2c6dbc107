"""Failures of the network and of the backend; tests/contract/test_document_database.py tests the rest."""

import asyncio
from collections import deque

import grpc
import pytest

from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.database import FirestoreDocumentDatabase, Patience
from shared.domain.errors import DocumentExists, StoreError, StoreUnavailable, VersionConflict
from shared.ports.document_database import Query
from shared.ports.document_writes import Create, Put, ReplaceDocument
from tests.support.emulators import new_project

pytestmark = pytest.mark.emulator

CODE = grpc.StatusCode
STREAMING = {"BatchGetDocuments", "RunQuery"}


class FaultyProxy(grpc.GenericRpcHandler):
    """A proxy of the emulator that forwards raw calls; each call takes one of `faults`.

    A fault is a status to answer with before the call is forwarded, or `lost`: UNAVAILABLE after the backend has done
    the call, or `hang`.
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
        if isinstance(fault, CODE):
            await context.abort(fault, self.words)

    async def _after(self, fault, context):
        if fault == "lost":
            await context.abort(CODE.UNAVAILABLE, "Socket closed")


@pytest.fixture
async def front(firestore_emulator):
    async with grpc.aio.insecure_channel(firestore_emulator) as backend:
        front = FaultyProxy(backend)
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((front,))
        front.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        yield front
        await server.stop(0)


@pytest.fixture
async def database(front):
    opened = FirestoreDocumentDatabase.connect(new_project(), emulator=front.address)
    yield opened
    await opened.aclose()


@pytest.fixture
async def impatient(front):
    """A client that waits a second for an answer and begins no attempt after four seconds."""
    connection = FirestoreConnection(new_project(), emulator=front.address)
    opened = FirestoreDocumentDatabase(connection, Patience(attempt_s=1, total_s=4))
    yield opened
    await opened.aclose()


async def test_a_commit_that_the_backend_did_not_receive_is_sent_again(database, front):
    front.faults += [CODE.UNAVAILABLE, CODE.ABORTED]
    (version,) = await database.commit([Create("c/1", {"a": 1})])
    (found,) = await database.get(["c/1"])
    assert (found.data, found.version) == ({"a": 1}, version)
    assert front.heard == ["Commit"] * 3 + ["BatchGetDocuments"]


async def test_a_retried_write_whose_answer_was_lost_conflicts_with_itself(database, front):
    front.faults.append("lost")
    with pytest.raises(DocumentExists) as met:
        await database.commit([Create("c/1", {"n": 0})])
    assert met.value.path == "c/1"
    (found,) = await database.get(["c/1"])
    front.faults.append("lost")
    with pytest.raises(VersionConflict):
        await database.commit([ReplaceDocument("c/1", {"n": 1}, found.version)])
    (again,) = await database.get(["c/1"])
    assert (found.data, again.data) == ({"n": 0}, {"n": 1})


@pytest.mark.parametrize("status", [CODE.INTERNAL, CODE.DEADLINE_EXCEEDED, CODE.RESOURCE_EXHAUSTED])
async def test_a_commit_whose_outcome_is_unknown_or_that_the_quota_refuses_is_not_repeated(database, front, status):
    front.faults.append(status)
    with pytest.raises(StoreUnavailable, match=status.name):
        await database.commit([Put("c/1", {})])
    assert front.heard == ["Commit"]


async def test_a_hanging_commit_is_given_up_and_a_hanging_read_repeated(impatient, front):
    front.faults.append("hang")
    with pytest.raises(StoreUnavailable, match="DEADLINE_EXCEEDED"):
        await impatient.commit([Put("c/1", {})])
    front.faults.append("hang")
    assert await impatient.get(["c/1"]) == [None]
    assert front.heard[:3] == ["Commit", "BatchGetDocuments", "BatchGetDocuments"]


@pytest.mark.parametrize("fault", [CODE.INTERNAL, CODE.UNAVAILABLE, CODE.ABORTED, "lost"])
async def test_a_read_is_repeated_after_a_transient_failure_and_returns_every_document(database, front, fault):
    await database.commit([Put(f"c/{n}", {"n": n}) for n in range(3)])
    front.faults.append(fault)
    assert [found.data["n"] for found in await database.get(["c/0", "c/1", "c/2"])] == [0, 1, 2]
    front.faults.append(fault)
    assert [found.data["n"] for found in await database.query(Query("c", "n"))] == [0, 1, 2]


@pytest.mark.parametrize("status", [CODE.PERMISSION_DENIED, CODE.INVALID_ARGUMENT])
async def test_a_refusal_is_a_store_error_without_the_backends_message(database, front, status):
    for call in (database.get(["c/1"]), database.commit([Put("c/1", {})]), database.query(Query("c", "n"))):
        front.faults.append(status)
        with pytest.raises(StoreError, match=status.name) as caught:
            await call
        assert type(caught.value) is StoreError
        assert front.words not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__
    assert front.heard == ["BatchGetDocuments", "Commit", "RunQuery"]


async def test_a_conflict_is_reported_even_if_its_document_cannot_be_read(database, front):
    old = await database.commit([Put("c/1", {"n": 1}), Put("c/2", {"n": 1})])
    await database.commit([Put("c/2", {"n": 2})])
    front.heard.clear()
    front.faults += [None, grpc.StatusCode.PERMISSION_DENIED]
    writes = [ReplaceDocument(f"c/{n}", {"n": 3}, version) for n, version in enumerate(old, 1)]
    with pytest.raises(VersionConflict):
        await database.commit(writes)
    assert front.heard == ["Commit", "BatchGetDocuments"]


async def test_an_interrupted_removal_of_a_tree_is_completed_by_the_next_call(database, front):
    paths = [f"s/1/t/{n:03}" for n in range(250)]
    await database.commit([Put(path, {}) for path in ["s/1", *paths]])
    front.faults += [None, None, None, CODE.PERMISSION_DENIED]
    with pytest.raises(StoreError):
        await database.remove_tree("s/1")
    left = [document.path for document in await database.tree("s/1")]
    assert left[0] == "s/1"
    assert 1 < len(left) < 251
    assert await database.remove_tree("s/1") == len(left)
    assert await database.tree("s/1") == []
