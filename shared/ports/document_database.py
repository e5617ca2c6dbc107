"""Documents by path with preconditions and atomic commits: the little that Firestore and SQLite both do well.

Only adapters use it (`shared/adapters/documents`); the engine speaks to `conversation_store`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, Self, TypeAlias

Value: TypeAlias = "None | bool | int | float | str | datetime | list[Value] | dict[str, Value]"
Data: TypeAlias = dict[str, Value]

_RESERVED = re.compile(r"\.|\.\.|__.*__")
_FIELD = re.compile(r"(?!__\w*__(\.|$))[A-Za-z_]\w*(\.(?!__\w*__(\.|$))[A-Za-z_]\w*)*", re.ASCII)
_LONGEST_ID = 1500
"""Bytes. https://cloud.google.com/firestore/quotas#collections_documents_and_fields"""


def can_hold_document(path: str) -> bool:
    """Tell whether a document can be at `path`: the rules are Firestore's, and every database keeps them.

    Ids may come from outside; a path that this refuses is answered like one where there is nothing.
    """
    ids = path.split("/")
    return len(ids) % 2 == 0 and path.isprintable() and all(map(_is_id, ids))


def require_document_path(path: str) -> None:
    """Refuse to write where no document can be.

    Raises:
        ValueError: `can_hold_document` says no.
    """
    if not can_hold_document(path):
        raise ValueError(f"{path!r} is no document's path")


def require_field(name: str) -> None:
    """Refuse to ask for a field that not every database can be asked for.

    Raises:
        ValueError: The name is not made of letters, digits, `_` and dots, or Firestore reserves it (`__x__`).
    """
    if not _FIELD.fullmatch(name):
        raise ValueError(f"{name!r} is no field that can be asked for")


def _is_id(name: str) -> bool:
    return bool(name) and not _RESERVED.fullmatch(name) and len(name.encode()) <= _LONGEST_ID


@dataclass(frozen=True)
class Document:
    """A stored document.

    Attributes:
        path: `collection/id`, nested as `collection/id/collection/id`.
        data: Its fields; datetimes are aware and in UTC. The order of fields is not kept everywhere.
        version: Opaque; changes at every write that changes the document. (Firestore keeps the version of a document
            that is written as it was; whoever compares versions cannot miss anything by that.)
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
    """Delete a document; one that does not exist is no error.

    Attributes:
        version: The document must still be at it; None deletes it at any version.
    """

    path: str
    version: str | None = None


@dataclass(frozen=True)
class Add:
    """Add to numbers of a document, over whatever they are: additions at once do not conflict.

    Where there is no document, it is made.

    Attributes:
        data: Fields that are written as they are; other fields stay. Names are plain words: a dot would mean a path.
        amounts: What is added, by field; a field that is missing, or no number, counts as 0.
    """

    path: str
    data: Data
    amounts: Mapping[str, int | float]


Write: TypeAlias = Create | Replace | Put | Remove | Add


class Written(str):
    """The version that a write left; the empty string for a `Remove`.

    Attributes:
        numbers: After an `Add`, the fields that it added to.
    """

    __slots__ = ("numbers",)
    numbers: Mapping[str, int | float]

    def __new__(cls, version: str, numbers: Mapping[str, int | float] | None = None) -> Self:
        """Take the version, and the numbers after an addition."""
        written = super().__new__(cls, version)
        written.numbers = numbers or {}
        return written


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


def after_addition(before: Data, write: Add) -> Data:
    """Return a document's fields as an addition leaves them, for databases that cannot add by themselves."""
    sums: Data = {}
    for name, amount in write.amounts.items():
        found = before.get(name)
        sums[name] = amount + found if isinstance(found, int | float) and not isinstance(found, bool) else amount
    return {**before, **write.data, **sums}


def added(data: Mapping[str, Value], write: Add) -> dict[str, int | float]:
    """Return the fields of a document that an addition added to."""
    found = {name: data[name] for name in write.amounts}
    return {name: value for name, value in found.items() if isinstance(value, int | float)}


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
            VersionConflict: A `Replace` or a `Remove` with a version met another version, or no document.
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
