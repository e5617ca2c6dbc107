"""Versions of stored documents: the shape of each kind has a number, and one-step upcasters lead to the next one.

A document is brought to the newest version when it is read, and stored so when it is next written. An upcaster that
was released is never changed: documents of its version may be met for as long as documents are kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.ports.document_writes import Data, Document

VERSION = "schema_version"

Upcaster: TypeAlias = Callable[[Data], Data]
"""Returns the fields of the next version; a pure function, which leaves the fields that it is given as they are."""


@dataclass(frozen=True)
class DocumentKind:
    """One kind of document.

    Attributes:
        steps: Upcasters in order; the first takes `oldest` to the version after it.
        oldest: The first version that was ever stored. 0 is what was stored before documents bore a version.
        beside: Fields that the document has and its model has not.
    """

    steps: tuple[Upcaster, ...] = ()
    oldest: int = 1
    beside: frozenset[str] = frozenset()

    @property
    def newest(self) -> int:
        """The version that is written."""
        return self.oldest + len(self.steps)

    def fields(self, document: Document) -> Data:
        """Return what the document says of its model, in the newest version.

        Raises:
            DocumentTooNew: Its version is behind the newest one known here.
            DocumentUnreadable: It bears no version that this kind ever had.
        """
        data = document.data
        for step in self.steps[self._version(document) - self.oldest :]:
            data = step(data)
        return {name: value for name, value in data.items() if name != VERSION and name not in self.beside}

    def _version(self, document: Document) -> int:
        version = document.data.get(VERSION, 0)
        if not isinstance(version, int) or isinstance(version, bool):
            raise DocumentUnreadable(document.path, f"its {VERSION} is no whole number")
        if version > self.newest:
            raise DocumentTooNew(document.path, f"version {version}, known up to {self.newest}")
        if version < self.oldest:
            raise DocumentUnreadable(document.path, f"{VERSION} is {version or 'missing'}, the oldest is {self.oldest}")
        return version
