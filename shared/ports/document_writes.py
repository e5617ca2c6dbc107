"""Documents and what is written to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self, TypeAlias

Value: TypeAlias = "None | bool | int | float | str | datetime | list[Value] | dict[str, Value]"
Data: TypeAlias = dict[str, Value]


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
class ReplaceDocument:
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


Write: TypeAlias = Create | ReplaceDocument | Put | Remove | Add


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
