"""Documents by path with preconditions and atomic commits: the little that Firestore and SQLite both do well.

Only adapters use it (`shared/adapters/documents`); the engine speaks to `conversation_store`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

Value: TypeAlias = "None | bool | int | float | str | datetime | list[Value] | dict[str, Value]"
Data: TypeAlias = dict[str, Value]


@dataclass(frozen=True)
class Document:
    """A stored document.

    Attributes:
        path: `collection/id`, nested as `collection/id/collection/id`.
        data: Its fields; datetimes are aware and in UTC.
        version: Opaque; changes at every write.
    """

    path: str
    data: Data
    version: str


@dataclass(frozen=True)
class Create:
    """Write a document that must not exist yet."""

    path: str
    data: Data


@dataclass(frozen=True)
class Replace:
    """Write a document that must still be at `version`; every field is replaced."""

    path: str
    data: Data
    version: str


@dataclass(frozen=True)
class Put:
    """Write a document whether it exists or not."""

    path: str
    data: Data


@dataclass(frozen=True)
class Remove:
    """Delete a document; one that does not exist is no error."""

    path: str


Write: TypeAlias = Create | Replace | Put | Remove


@dataclass(frozen=True)
class Query:
    """Documents directly in a collection, ordered by one field, then by path.

    Attributes:
        collection: Path of the collection, e.g. `conversations/c1/messages`.
        where: Fields that must equal a value.
        after: Start behind this value of `order_by`; documents that share it are skipped too.
    """

    collection: str
    order_by: str
    descending: bool = False
    after: Value = None
    limit: int = 100
    where: Mapping[str, Value] = field(default_factory=dict)


class DocumentDatabase(Protocol):
    """A database of documents. Raises `VersionConflict`, `DocumentExists`, `StoreUnavailable`."""

    async def get(self, paths: Sequence[str]) -> list[Document | None]:
        """Return the documents in the order of `paths`, None where there is none, from one point in time."""
        ...

    async def commit(self, writes: Sequence[Write]) -> list[str]:
        """Do all writes or none.

        Returns:
            The new version of each write in order (an empty string for a `Remove`).

        Raises:
            DocumentExists: A `Create` met a document.
            VersionConflict: A `Replace` met another version, or no document.
        """
        ...

    async def query(self, query: Query) -> list[Document]:
        """Return the documents that the query asks for."""
        ...

    async def remove_tree(self, path: str) -> int:
        """Delete the document and all below it; returns how many. Safe to repeat."""
        ...

    async def tree(self, path: str) -> list[Document]:
        """Return the document and all below it, by path."""
        ...
