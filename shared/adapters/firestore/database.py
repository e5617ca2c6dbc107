"""`DocumentDatabase` on Cloud Firestore or its emulator.

The vendor's messages may quote the user's text, so they are inspected but never passed on.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias, TypeVar, assert_never

from google.api_core.exceptions import (
    Aborted,
    AlreadyExists,
    Cancelled,
    DeadlineExceeded,
    FailedPrecondition,
    GoogleAPICallError,
    GoogleAPIError,
    InternalServerError,
    NotFound,
    RetryError,
    ServerError,
    ServiceUnavailable,
    TooManyRequests,
)
from google.api_core.retry import AsyncRetry, if_exception_type
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.services.firestore import FirestoreAsyncClient

from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.names import Names
from shared.adapters.firestore.values import PbValue, fields_of, put_fields, put_value, value_of
from shared.domain.errors import DocumentExists, StoreError, StoreUnavailable, VersionConflict
from shared.ports.document_database import Nearest, Query
from shared.ports.document_nearness import nearest_of
from shared.ports.document_paths import can_hold_document, require_document_path, require_field
from shared.ports.document_writes import Add, Create, Document, Put, Remove, ReplaceDocument, Value, Write, Written

_Structured: TypeAlias = types.StructuredQuery
_NAME = "__name__"
_FIRST_ID = "__id-9223372036854775808__"
"""Sorts before every id. https://github.com/googleapis/nodejs-firestore/blob/main/dev/src/recursive-delete.ts"""
PbTimestamp: TypeAlias = Any
PbWrite: TypeAlias = Any
PbWriteResult: TypeAlias = Any

_VERSION = re.compile(r"([1-9][0-9]{0,11})\.([0-9]{9})")
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
        request = of_collection(query, self._names)
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
        request = of_nearest(nearest, self._names)
        if not can_hold_document(f"{nearest.collection}/any"):
            return []
        found = await self._run(request, f"a search of near {nearest.collection.rpartition('/')[2]}")
        return nearest_of(found, nearest)

    async def tree(self, path: str) -> list[Document]:
        """See the port. Document and descendants are two requests, so writes in between may show in part."""
        if not _can_hold_tree(path):
            return []
        documents = [document for document in await self.get([path]) if document]
        documents += await self._run(below(path, self._names), "a reading of a tree")
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
        request = below(path, self._names, limit=REMOVED_AT_ONCE - 1, names_only=True)
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


def of_collection(query: Query, names: Names) -> types.RunQueryRequest:
    """Return the request of a query.

    Firestore orders by the document's name last, in the direction of the field, as the port requires.

    Raises:
        ValueError: A field cannot be queried.
    """
    parent, _, collection = query.collection.rpartition("/")
    direction = _Structured.Direction.DESCENDING if query.descending else _Structured.Direction.ASCENDING
    structured = _Structured(
        from_=[_Structured.CollectionSelector(collection_id=collection)],
        order_by=[_Structured.Order(field=_field(query.order_by), direction=direction)],
        limit=query.limit,
    )
    conditions = [_equal(name, value) for name, value in query.where.items()]
    if query.until is not None:
        operator = _Structured.FieldFilter.Operator
        within = operator.GREATER_THAN_OR_EQUAL if query.descending else operator.LESS_THAN_OR_EQUAL
        conditions.append(_compared(query.order_by, within, query.until))
    if conditions:
        both = _Structured.CompositeFilter.Operator.AND
        structured.where = _Structured.Filter(composite_filter=_Structured.CompositeFilter(op=both, filters=conditions))
    if query.after is not None:
        # A cursor without a name starts after all documents with this value.
        structured.start_at = types.Cursor(values=[_value(query.after)], before=False)
    return types.RunQueryRequest(parent=names.document(parent), structured_query=structured)


def of_nearest(nearest: Nearest, names: Names) -> types.RunQueryRequest:
    """Return the request for the nearest documents, which needs a vector index of the field.

    Raises:
        ValueError: The field cannot be queried.
    """
    parent, _, collection = nearest.collection.rpartition("/")
    found = _Structured.FindNearest(
        vector_field=_field(nearest.field),
        query_vector=_value(nearest.vector),
        distance_measure=_Structured.FindNearest.DistanceMeasure.COSINE,
        limit=nearest.limit,
    )
    structured = _Structured(from_=[_Structured.CollectionSelector(collection_id=collection)], find_nearest=found)
    return types.RunQueryRequest(parent=names.document(parent), structured_query=structured)


def below(path: str, names: Names, *, limit: int | None = None, names_only: bool = False) -> types.RunQueryRequest:
    """Return the request for everything below a document or collection, also below missing documents.

    It queries all descendants of every kind in one consistent request. For a collection it limits the whole database to
    the names between its first and the next collection's.
    """
    structured = _Structured(from_=[_Structured.CollectionSelector(all_descendants=True)], limit=limit)
    if names_only:
        structured.select = _Structured.Projection(fields=[_Structured.FieldReference(field_path=_NAME)])
    segments = path.split("/")
    if len(segments) % 2 == 0:
        return types.RunQueryRequest(parent=names.document(path), structured_query=structured)
    structured.order_by = [_Structured.Order(field=_Structured.FieldReference(field_path=_NAME))]
    structured.start_at = types.Cursor(values=[_reference(f"{path}/{_FIRST_ID}", names)], before=True)
    structured.end_at = types.Cursor(values=[_reference(f"{path}\0/{_FIRST_ID}", names)], before=True)
    return types.RunQueryRequest(parent=names.root, structured_query=structured)


def _equal(name: str, value: Value) -> types.StructuredQuery.Filter:
    if value is None:
        # In Firestore nothing equals null; IS_NULL is a filter of its own.
        null = _Structured.UnaryFilter(field=_field(name), op=_Structured.UnaryFilter.Operator.IS_NULL)
        return _Structured.Filter(unary_filter=null)
    return _compared(name, _Structured.FieldFilter.Operator.EQUAL, value)


def _compared(name: str, operator: int, value: Value) -> types.StructuredQuery.Filter:
    comparison = _Structured.FieldFilter(field=_field(name), op=operator, value=_value(value))
    return _Structured.Filter(field_filter=comparison)


def _field(name: str) -> types.StructuredQuery.FieldReference:
    require_field(name)
    return _Structured.FieldReference(field_path=name)


def _value(value: Value) -> types.Value:
    wrapped = types.Value()
    put_value(value, types.Value.pb(wrapped))
    return wrapped


def _reference(path: str, names: Names) -> types.Value:
    return types.Value(reference_value=names.document(path))


def commit_request(writes: Sequence[Write], names: Names) -> types.CommitRequest:
    """Return the request that does all writes or none, in order.

    A `Write` without a mask replaces the whole document, with any precondition. (The SDK's `WriteBatch.update`
    always sends a mask and so merges, and its `set` takes no precondition.)

    Raises:
        VersionConflict: A version is not from this database.
        ValueError: A path is no document path, or a value cannot be stored.
        TypeError: A value has an unsupported type.
    """
    request = types.CommitRequest(database=names.database)
    pb_writes = types.CommitRequest.pb(request).writes
    for write in writes:
        require_document_path(write.path)
        _put_write(write, names.document(write.path), pb_writes.add())
    return request


def version_of(moment: PbTimestamp) -> str:
    """Return an update time, to the nanosecond, as a version; "" for none (a deletion)."""
    return f"{moment.seconds}.{moment.nanos:09d}" if moment.seconds else ""


def written(write: Write, result: PbWriteResult) -> Written:
    """Return the result of a write."""
    numbers = {}
    if isinstance(write, Add):
        numbers = dict(zip(write.amounts, map(_number, result.transform_results), strict=True))
    return Written(version_of(result.update_time), numbers)


def _number(value: PbValue) -> int | float:
    found = value_of(value)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise StoreError("an addition was answered with no number")
    return found


def _put_write(write: Write, name: str, target: PbWrite) -> None:
    match write:
        case Remove():
            target.delete = name
            if write.version is not None:
                _put_version(write.path, write.version, target.current_document.update_time)
            return
        case Create():
            target.current_document.exists = False
        case ReplaceDocument():
            _put_version(write.path, write.version, target.current_document.update_time)
        case Put():
            pass
        case Add():
            _put_additions(write, target)
        case _:
            assert_never(write)
    target.update.name = name
    put_fields(write.data, target.update.fields)


def _put_additions(write: Add, target: PbWrite) -> None:
    """Write the named fields and the additions as one write, as billed."""
    target.update_mask.field_paths.extend(write.data)
    for name, amount in write.amounts.items():
        transform = target.update_transforms.add()
        transform.field_path = name
        put_value(amount, transform.increment)


def _put_version(path: str, version: str, moment: PbTimestamp) -> None:
    # Other versions must not reach the backend: an update time of zero means "missing", so it would create.
    given = _VERSION.fullmatch(version)
    if given is None:
        raise VersionConflict(path)
    moment.seconds, moment.nanos = int(given[1]), int(given[2])


def translate(error: GoogleAPIError, doing: str) -> StoreError:
    """Translate a failed call; the result is to be raised `from None`.

    Args:
        error: From the client; `suspects` handles broken preconditions of a commit.
        doing: What was asked, in our own words.

    Returns:
        `StoreUnavailable` for transient failures: no connection, a timeout, contention (`ABORTED`), a used-up quota.
        Else a plain `StoreError`: no permission, no such database, a missing index, a document of more than 1 MiB.
    """
    cause = error.cause if isinstance(error, RetryError) else error
    reason = _status(cause)
    match cause:
        case ServerError() | Aborted() | TooManyRequests() | Cancelled():
            return StoreUnavailable(f"Firestore, {doing}: {reason}")
        case GoogleAPICallError():
            return StoreError(f"Firestore refused {doing}: {reason}")
        case _:
            return StoreUnavailable(f"Firestore, {doing}: {reason}")


def suspects(error: GoogleAPIError, writes: Sequence[Write]) -> list[Create | ReplaceDocument | Remove]:
    """Return the writes of a commit whose precondition may have failed; none for other errors.

    The backend names a document that exists already, but not one with another version.
    """
    match error:
        case AlreadyExists():
            creates: list[Create | ReplaceDocument | Remove] = [write for write in writes if isinstance(write, Create)]
            return [write for write in creates if _names(error, write.path)] or creates
        case FailedPrecondition() | NotFound():
            return [
                write
                for write in writes
                if isinstance(write, ReplaceDocument) or (isinstance(write, Remove) and write.version is not None)
            ]
        case _:
            return []


def _names(error: GoogleAPICallError, path: str) -> bool:
    # The cloud's message ends with the document's name, the emulator's with `path=/c/1}`.
    return re.search(rf"/{re.escape(path)}(?![^\s}}\"'])", str(error.message)) is not None


def _status(error: BaseException | None) -> str:
    code = getattr(error, "grpc_status_code", None)
    return code.name if code is not None else type(error).__name__
