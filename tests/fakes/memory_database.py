"""`DocumentDatabase` in memory, held to the same contract as the real ones."""

import asyncio
from datetime import UTC, datetime
from itertools import count
from typing import assert_never

from shared.domain.errors import DocumentExists, VersionConflict
from shared.ports.document_additions import added, after_addition
from shared.ports.document_nearness import nearest_of
from shared.ports.document_paths import require_document_path, require_field
from shared.ports.document_writes import Add, Create, Document, Put, Remove, ReplaceDocument, Vector, Written

_MISSING = object()
_PLAIN = (str, int, bool, type(None), float)
"""Types of most values, which need no copy: checked first, because every read and write checks all values."""


class MemoryDocumentDatabase:
    """Documents that live as long as the object. Every call yields once, so that coroutines interleave."""

    def __init__(self):
        self._documents = {}
        self._versions = count(1)

    async def get(self, paths):
        await asyncio.sleep(0)
        return [_copied(self._documents.get(path)) for path in paths]

    async def commit(self, writes):
        await asyncio.sleep(0)
        documents = dict(self._documents)
        versions = [self._write(documents, write) for write in writes]
        self._documents = documents
        return versions

    async def query(self, query):
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
        down = query.descending
        if query.after is not None:
            edge = _rank(query.after)
            keyed = [one for one in keyed if (one[0][:2] < edge if down else one[0][:2] > edge)]
        if query.until is not None:
            kind, last = _rank(query.until)
            keyed = [one for one in keyed if one[0][0] == kind and (one[0][1] >= last if down else one[0][1] <= last)]
        return [_copied(document) for _, document in keyed[: query.limit]]

    async def nearest(self, nearest):
        await asyncio.sleep(0)
        require_field(nearest.field)
        inside = (one for one in self._documents.values() if one.path.rpartition("/")[0] == nearest.collection)
        return [(_copied(document), near) for document, near in nearest_of(inside, nearest)]

    async def remove_tree(self, path):
        found = await self.tree(path)
        for document in found:
            self._documents.pop(document.path, None)
        return len(found)

    async def tree(self, path):
        await asyncio.sleep(0)
        return [
            _copied(document)
            for key, document in sorted(self._documents.items())
            if key == path or key.startswith(f"{path}/")
        ]

    def _write(self, documents, write):
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
                return Written(self._put(documents, write.path, data), added(data, write))
            case _:
                assert_never(write)
        return Written(self._put(documents, write.path, write.data))

    def _put(self, documents, path, data):
        version = str(next(self._versions))
        documents[path] = Document(path, _stored_fields(data), version)
        return version


def _copied(document):
    return document and Document(document.path, _stored_fields(document.data), document.version)


def _stored_fields(data):
    return {key: _stored(item) for key, item in data.items()}


def _stored(value):
    if type(value) in _PLAIN:
        return value
    match value:
        case datetime():
            if value.tzinfo is None:
                raise ValueError("a stored datetime needs a time zone")
            return value.astimezone(UTC)
        case Vector():
            return value
        case list() | tuple():
            return [_stored(item) for item in value]
        case dict():
            return _stored_fields(value)
    if isinstance(value, _PLAIN):
        return value
    raise TypeError(f"{type(value).__name__} is no document value")


def _field(data, name):
    value = data
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return _MISSING
        value = value[part]
    return value


def _same(value, wanted):
    return value is not _MISSING and _rank(value) == _rank(wanted)


def _rank(value):
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
