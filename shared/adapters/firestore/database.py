"""`DocumentDatabase` on Cloud Firestore or its emulator."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias, TypeVar

from google.api_core.exceptions import (
    Aborted,
    DeadlineExceeded,
    GoogleAPIError,
    InternalServerError,
    ServiceUnavailable,
)
from google.api_core.retry import AsyncRetry, if_exception_type
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.services.firestore import FirestoreAsyncClient

from shared.adapters.firestore import queries
from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.errors import suspects, translate
from shared.adapters.firestore.values import fields_of
from shared.adapters.firestore.writes import commit_request, version_of, written
from shared.domain.errors import DocumentExists, StoreError, VersionConflict
from shared.ports.document_database import Nearest, Query
from shared.ports.document_nearness import nearest_of
from shared.ports.document_paths import can_hold_document
from shared.ports.document_writes import Create, Document, Remove, Write, Written

REMOVED_AT_ONCE = 200
"""Documents per deletion: a commit may have 500 writes, and index entries count towards its size."""

T = TypeVar("T")
PbDocument: TypeAlias = Any


@dataclass(frozen=True)
class Patience:
    """Timeouts of the database, seconds.

    Attributes:
        attempt_s: Timeout of one attempt.
        total_s: No further attempt begins after this.
    """

    attempt_s: float = 5.0
    total_s: float = 8.0


class FirestoreDocumentDatabase:
    """Documents of a Firestore database in native mode.

    Reads are retried after transient failures; each is one request, so it is consistent. A commit is retried only if it
    was not applied (`ABORTED`) or the connection failed (`UNAVAILABLE`). In the second case the first attempt may have
    been applied without an answer; the retry then raises `DocumentExists` or `VersionConflict`, and callers read again
    as after any conflict. Success is never reported without an answer.
    """

    def __init__(self, connection: FirestoreConnection, patience: Patience | None = None) -> None:
        """Use the connection, which `aclose` closes."""
        self._connection = connection
        self._names = connection.names
        waiting = patience or Patience()
        self._call_options: dict[str, Any] = {
            "retry": None,  # the whole call is retried here: the client's own retry ends when a stream begins
            "timeout": waiting.attempt_s,
            "metadata": connection.metadata,
        }
        self._reading = _retry(waiting, ServiceUnavailable, DeadlineExceeded, InternalServerError, Aborted)
        self._writing = _retry(waiting, ServiceUnavailable, Aborted)

    @classmethod
    def connect(cls, project: str, database: str = "(default)", emulator: str | None = None) -> Self:
        """Return a project's database without connecting.

        Args:
            project: The Google Cloud project; any name for the emulator.
            database: The database's id.
            emulator: `host:port` of an emulator; no credentials are used.
        """
        return cls(FirestoreConnection(project, database, emulator))

    async def aclose(self) -> None:
        """Close the connection; safe to repeat."""
        await self._connection.aclose()

    async def get(self, paths: Sequence[str]) -> list[Document | None]:
        """See the port.

        One `BatchGetDocuments` without a transaction is consistent as of the read time of its last answer. (The
        emulator shows the writes of a commit one after another, in order.)
        """
        wanted = sorted({self._names.document(path) for path in paths if can_hold_document(path)})
        if not wanted:
            return [None for _ in paths]
        request = types.BatchGetDocumentsRequest(database=self._names.database, documents=wanted)

        async def read(client: FirestoreAsyncClient) -> dict[str, Document]:
            stream = await client.batch_get_documents(request=request, **self._call_options)
            answers = [types.BatchGetDocumentsResponse.pb(answer) async for answer in stream]
            documents = [self._document(answer.found) for answer in answers if answer.HasField("found")]
            return {document.path: document for document in documents}

        found = await self._read(read, "a reading of documents")
        return [found.get(path) for path in paths]

    async def commit(self, writes: Sequence[Write]) -> list[Written]:
        """See the port.

        Raises:
            DocumentExists: A `Create` met a document, or its own earlier attempt.
            VersionConflict: A `ReplaceDocument`, or a `Remove` with a version, met another version, its own earlier
                attempt, or no document.
            StoreUnavailable: It is unknown whether the commit was done; it was done as a whole or not at all.
            StoreError: Refused, for example a document of more than 1 MiB.
            ValueError: A path is no document path, a datetime has no time zone, or an integer has over 64 bits.
        """
        if not writes:
            return []
        request = commit_request(writes, self._names)
        client = await self._connection.client()
        try:
            response = await self._writing(client.commit)(request=request, **self._call_options)
        except GoogleAPIError as error:
            raise await self._failure(error, writes) from None
        results = types.CommitResponse.pb(response).write_results
        return [written(write, result) for write, result in zip(writes, results, strict=True)]

    async def query(self, query: Query) -> list[Document]:
        """See the port.

        Raises:
            ValueError: A field cannot be queried.
            StoreError: Refused, for example because a composite index is missing.
        """
        request = queries.of_collection(query, self._names)
        if not can_hold_document(f"{query.collection}/any"):
            return []
        where = "".join(f", {name} given" for name in query.where)
        return await self._run(request, f"a query of {query.collection.rpartition('/')[2]} by {query.order_by}{where}")

    async def nearest(self, nearest: Nearest) -> list[tuple[Document, float]]:
        """See the port. Firestore chooses the documents; their cosines are computed here, and order equal ones.

        Raises:
            ValueError: A field cannot be queried.
            StoreError: Refused, for example because the vector index is missing.
        """
        request = queries.of_nearest(nearest, self._names)
        if not can_hold_document(f"{nearest.collection}/any"):
            return []
        found = await self._run(request, f"a search of near {nearest.collection.rpartition('/')[2]}")
        return nearest_of(found, nearest)

    async def tree(self, path: str) -> list[Document]:
        """See the port. Document and descendants are two requests, so writes in between may show in part."""
        if not _can_hold_tree(path):
            return []
        documents = [document for document in await self.get([path]) if document]
        documents += await self._run(queries.below(path, self._names), "a reading of a tree")
        return sorted(documents, key=lambda document: document.path)

    async def remove_tree(self, path: str) -> int:
        """See the port. It repeats after deleting the document, since another writer may have added to the tree."""
        removed = 0
        if not _can_hold_tree(path):
            return removed
        while doomed := await self._next_to_remove(path):
            await self.commit([Remove(one) for one in doomed])
            removed += len(doomed)
        return removed

    async def _next_to_remove(self, path: str) -> list[str]:
        request = queries.below(path, self._names, limit=REMOVED_AT_ONCE - 1, names_only=True)
        doomed = [document.path for document in await self._run(request, "a reading of a tree's names")]
        if len(doomed) < REMOVED_AT_ONCE - 1:
            doomed += [document.path for document in await self.get([path]) if document]
        return doomed

    async def _run(self, request: types.RunQueryRequest, doing: str) -> list[Document]:
        async def read(client: FirestoreAsyncClient) -> list[Document]:
            stream = await client.run_query(request=request, **self._call_options)
            answers = [types.RunQueryResponse.pb(answer) async for answer in stream]
            return [self._document(answer.document) for answer in answers if answer.HasField("document")]

        return await self._read(read, doing)

    async def _read(self, read: Callable[[FirestoreAsyncClient], Awaitable[T]], doing: str) -> T:
        client = await self._connection.client()
        try:
            return await self._reading(read)(client)
        except GoogleAPIError as error:
            raise translate(error, doing) from None

    async def _failure(self, error: GoogleAPIError, writes: Sequence[Write]) -> StoreError:
        """Translate a failed commit; if several writes may have caused it, the documents are read."""
        suspected = suspects(error, writes)
        if not suspected:
            return translate(error, f"a commit of {len(writes)} writes")
        blamed = suspected[0]
        if len(suspected) > 1:
            try:
                present = await self.get([write.path for write in suspected])
            except StoreError:
                present = []
            broken = [write for write, document in zip(suspected, present, strict=False) if _breaks(write, document)]
            blamed = next(iter(broken), blamed)
        return DocumentExists(blamed.path) if isinstance(blamed, Create) else VersionConflict(blamed.path)

    def _document(self, found: PbDocument) -> Document:
        path = self._names.path(found.name)
        return Document(path, fields_of(found.fields), version_of(found.update_time))


def _retry(patience: Patience, *errors: type[Exception]) -> AsyncRetry:
    return AsyncRetry(
        predicate=if_exception_type(*errors), initial=0.1, maximum=1.0, multiplier=2.0, timeout=patience.total_s
    )


def _can_hold_tree(path: str) -> bool:
    return can_hold_document(path) or can_hold_document(f"{path}/any")


def _breaks(write: Write, document: Document | None) -> bool:
    if isinstance(write, Create):
        return document is not None
    return document is None or document.version != getattr(write, "version", "")
