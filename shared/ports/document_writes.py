"""Documents and writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self, TypeAlias


class Vector(tuple[float, ...]):
    """Numbers that the database compares as a whole, see `Nearest`; a field of the document, never inside another."""

    __slots__ = ()


Value: TypeAlias = "None | bool | int | float | str | datetime | Vector | list[Value] | dict[str, Value]"
Data: TypeAlias = dict[str, Value]


@dataclass(frozen=True)
class Document:
    """A stored document.

    Attributes:
        path: `collection/id`, nested as `collection/id/collection/id`.
        data: Its fields; datetimes are aware and in UTC. The order of fields may be lost.
        version: Opaque; changes with every change of the document. (Firestore keeps it if a write changes nothing.)
    """

    path: str
    data: Data
    version: str


@dataclass(frozen=True)
class Create:
    """Create a document that must not exist."""

    path: str
    data: Data


@dataclass(frozen=True)
class ReplaceDocument:
    """Replace all fields of a document that must be at `version`."""

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
    """Delete a document; a missing one is no error.

    Attributes:
        version: Required version; None for any.
    """

    path: str
    version: str | None = None


@dataclass(frozen=True)
class Add:
    """Add to numbers of a document without conflicts; a missing document is created.

    Attributes:
        data: Fields to set; other fields stay. Names must not contain dots, which would mean a path.
        amounts: Amounts by field; a field that is missing or no number counts as 0.
    """

    path: str
    data: Data
    amounts: Mapping[str, int | float]


Write: TypeAlias = Create | ReplaceDocument | Put | Remove | Add


class Written(str):
    """The version after a write; "" after a `Remove`.

    Attributes:
        numbers: After an `Add`, the resulting values of its fields.
    """

    __slots__ = ("numbers",)
    numbers: Mapping[str, int | float]

    def __new__(cls, version: str, numbers: Mapping[str, int | float] | None = None) -> Self:
        written = super().__new__(cls, version)
        written.numbers = numbers or {}
        return written
