"""`DocumentDatabase` in memory, held to the same contract as the real ones."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from typing import assert_never

from shared.domain.errors import DocumentExists, VersionConflict
from shared.ports.document_additions import added, after_addition
from shared.ports.document_database import Query
from shared.ports.document_paths import require_document_path, require_field
from shared.ports.document_writes import (
    Add,
    Create,
    Data,
    Document,
    Put,
    Remove,
    ReplaceDocument,
    Value,
    Write,
    Written,
)

_MISSING = object()
_PLAIN = (str, int, bool, type(None), float)
"""What most values are, and what needs no copy: looked at first, because every read and write passes all of them."""


class MemoryDocumentDatabase:
    """Documents that live as long as the object. Every call yields once, so that coroutines interleave."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._versions = count(1)

    async def get(self, paths: Sequence[str]) -> list[Document | None]:
        await asyncio.sleep(0)
        return [_copied(self._documents.get(path)) for path in paths]

    async def commit(self, writes: Sequence[Write]) -> list[Written]:
        await asyncio.sleep(0)
        documents = dict(self._documents)
        versions = [self._write(documents, write) for write in writes]
        self._documents = documents
        return versions

    async def query(self, query: Query) -> list[Document]:
        await asyncio.sleep(0)
        for name in (query.order_by, *query.where):
            require_field(name)
        keyed = [
            ((*_rank(value), document.path), document)
            for document in self._documents.values()
            if document.path.rpartition("/")[0] == query.collection
            and (value := _field(document.data, query.order_by)) is not _MISSING
            and all(_same(_field(document.data, name), wanted) for name, wanted in query.where.items())
        ]
        keyed.sort(key=lambda entry: entry[0], reverse=query.descending)
        if query.after is not None:
            edge = _rank(query.after)
            keyed = [
                (key, document) for key, document in keyed if (key[:2] < edge if query.descending else key[:2] > edge)
            ]
        if query.until is not None:
            rank, last = _rank(query.until)
            keyed = [
                (key, document)
                for key, document in keyed
                if key[0] == rank and (key[1] >= last if query.descending else key[1] <= last)
            ]
        return [_copied(document) for _, document in keyed[: query.limit]]

    async def remove_tree(self, path: str) -> int:
        found = await self.tree(path)
        for document in found:
            self._documents.pop(document.path, None)
        return len(found)

    async def tree(self, path: str) -> list[Document]:
        await asyncio.sleep(0)
        return [
            _copied(document)
            for key, document in sorted(self._documents.items())
            if key == path or key.startswith(f"{path}/")
        ]

    def _write(self, documents: dict[str, Document], write: Write) -> Written:
        require_document_path(write.path)
        present = documents.get(write.path)
        match write:
            case Create():
                if present:
                    raise DocumentExists(write.path)
            case ReplaceDocument():
                if present is None or present.version != write.version:
                    raise VersionConflict(write.path)
            case Put():
                pass
            case Remove(version=version):
                if version is not None and (present is None or present.version != version):
                    raise VersionConflict(write.path)
                documents.pop(write.path, None)
                return Written("")
            case Add():
                data = after_addition(present.data if present else {}, write)
                documents[write.path] = Document(write.path, _stored_fields(data), str(next(self._versions)))
                return Written(documents[write.path].version, added(data, write))
            case _:
                assert_never(write)
        version = str(next(self._versions))
        documents[write.path] = Document(write.path, _stored_fields(write.data), version)
        return Written(version)


def _copied(document: Document | None) -> Document | None:
    return document and Document(document.path, _stored_fields(document.data), document.version)


def _stored_fields(data: Data) -> Data:
    return {key: _stored(item) for key, item in data.items()}


def _stored(value: Value) -> Value:
    if type(value) in _PLAIN:
        return value
    match value:
        case datetime():
            if value.tzinfo is None:
                raise ValueError("a stored datetime needs a time zone")
            return value.astimezone(UTC)
        case list() | tuple():
            return [_stored(item) for item in value]
        case dict():
            return _stored_fields(value)
        case None | bool() | int() | float() | str():
            return value
        case _:
            raise TypeError(f"{type(value).__name__} is no document value")


def _field(data: Data, name: str) -> object:
    value: object = data
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return _MISSING
        value = value[part]
    return value


def _same(value: object, wanted: Value) -> bool:
    return value is not _MISSING and _rank(value) == _rank(wanted)


def _rank(value: object) -> tuple:
    """Firestore's order of types, then of values."""
    match value:
        case None:
            return (0, 0)
        case bool():
            return (1, value)
        case int() | float():
            return (2, value)
        case datetime():
            return (3, value)
        case str():
            return (4, value)
        case _:
            return (5, repr(value))
