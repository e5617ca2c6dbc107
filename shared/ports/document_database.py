"""Port of a document database: documents by path, preconditions and atomic commits.

It covers what Firestore and SQLite both support. Only adapters use it (`shared/adapters/documents`); the engine uses
`conversation_store`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from shared.ports.document_writes import Document, Value, Vector, Write, Written


@dataclass(frozen=True)
class Query:
    """Documents directly in a collection, ordered by one field, then by path.

    Attributes:
        collection: Path of the collection, e.g. `conversations/c1/messages`.
        order_by: A field; nested as `task.id`. Documents without it are left out; null is a value and comes first.
        descending: Also reverses the order by path.
        after: Start after this value of `order_by`; documents with this value are skipped.
        until: Stop at this value of `order_by`, inclusive; only values of its type match, so null does not.
        where: Fields that must equal a value, also in type (but 2 equals 2.0).
    """

    collection: str
    order_by: str
    descending: bool = False
    after: Value = None
    until: Value = None
    limit: int = 100
    where: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Nearest:
    """Documents directly in a collection, by how near a vector of theirs is.

    Attributes:
        field: A `Vector`; documents without it, or with one of another length, are left out.
        vector: Compared with it by the cosine; it has a direction.
        limit: 1 to 1000, Firestore's limit.
    """

    collection: str
    field: str
    vector: Vector
    limit: int


class DocumentDatabase(Protocol):
    """A database of documents. Raises `VersionConflict`, `DocumentExists`, `StoreUnavailable`."""

    async def get(self, paths: Sequence[str]) -> list[Document | None]:
        """Return the documents in the order of `paths`, None for missing ones, as of one point in time."""
        ...

    async def commit(self, writes: Sequence[Write]) -> list[Written]:
        """Do all writes or none.

        Returns:
            The version after each write, in order.

        Raises:
            DocumentExists: A `Create` met a document.
            VersionConflict: A `ReplaceDocument` or a `Remove` with a version met another version, or no document.
            StoreUnavailable: It is unknown whether the commit was done; it was done as a whole or not at all.
            ValueError: A path is no document path, or a datetime has no time zone.
        """
        ...

    async def query(self, query: Query) -> list[Document]:
        """Return the documents of a query.

        Raises:
            ValueError: See `require_field`.
        """
        ...

    async def nearest(self, nearest: Nearest) -> list[tuple[Document, float]]:
        """Return the nearest documents with their cosines, the nearest first.

        Raises:
            ValueError: See `require_field`.
        """
        ...

    async def remove_tree(self, path: str) -> int:
        """Delete the document and all below it; return the number of documents. Safe to repeat.

        A large tree is deleted in pieces, the document itself last, so that an interrupted call can be repeated.
        """
        ...

    async def tree(self, path: str) -> list[Document]:
        """Return the document (or the documents of a collection) and all below, by path."""
        ...
