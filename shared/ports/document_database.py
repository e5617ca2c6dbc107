"""Documents by path with preconditions and atomic commits: the little that Firestore and SQLite both do well.

Only adapters use it (`shared/adapters/documents`); the engine speaks to `conversation_store`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from shared.ports.document_writes import Document, Value, Write, Written


@dataclass(frozen=True)
class Query:
    """Documents directly in a collection, ordered by one field, then by path.

    Attributes:
        collection: Path of the collection, e.g. `conversations/c1/messages`.
        order_by: A field; nested as `task.id`. Documents without it are left out; null is a value and comes first.
        descending: Turns the order by path too.
        after: Start behind this value of `order_by`; documents that share it are skipped too.
        until: Stop at this value of `order_by`, inclusive; only values of its type are found, so that null is left out.
        where: Fields that must equal a value, in type too (but 2 equals 2.0).
    """

    collection: str
    order_by: str
    descending: bool = False
    after: Value = None
    until: Value = None
    limit: int = 100
    where: Mapping[str, Value] = field(default_factory=dict)


class DocumentDatabase(Protocol):
    """A database of documents. Raises `VersionConflict`, `DocumentExists`, `StoreUnavailable`."""

    async def get(self, paths: Sequence[str]) -> list[Document | None]:
        """Return the documents in the order of `paths`, None where there is none, from one point in time."""
        ...

    async def commit(self, writes: Sequence[Write]) -> list[Written]:
        """Do all writes or none.

        Returns:
            What each write left, in order.

        Raises:
            DocumentExists: A `Create` met a document.
            VersionConflict: A `ReplaceDocument` or a `Remove` with a version met another version, or no document.
            StoreUnavailable: Whether it was done is unknown, but done it is whole or not at all: read again.
            ValueError: A path is no document's path, or a datetime has no time zone.
        """
        ...

    async def query(self, query: Query) -> list[Document]:
        """Return the documents that the query asks for.

        Raises:
            ValueError: `require_field` refuses a field.
        """
        ...

    async def remove_tree(self, path: str) -> int:
        """Delete the document and all below it; returns how many. Safe to repeat.

        A large tree may go in pieces, the document itself after all that is below it: a call that broke off leaves it
        to be found and removed again.
        """
        ...

    async def tree(self, path: str) -> list[Document]:
        """Return the document (or the documents of a collection) and all below, by path."""
        ...
