"""Versions of stored documents: each kind has a version number, and one-step upcasters lead to the next version.

A document is converted to the newest version when read, and stored in it at the next write. A released upcaster is
never changed, since documents of its version may exist as long as documents are kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.ports.document_writes import Data, Document

VERSION = "schema_version"

Upcaster: TypeAlias = Callable[[Data], Data]
"""Returns the fields of the next version; a pure function that does not modify its argument."""


@dataclass(frozen=True)
class DocumentKind:
    """One kind of document.

    Attributes:
        steps: Upcasters in order; the first one converts `oldest` to the next version.
        oldest: The first stored version; 0 for documents without a version field.
        beside: Fields of the document that are not in its model.
    """

    steps: tuple[Upcaster, ...] = ()
    oldest: int = 1
    beside: frozenset[str] = frozenset()

    @property
    def newest(self) -> int:
        """The version of new writes."""
        return self.oldest + len(self.steps)

    def fields(self, document: Document) -> Data:
        """Return the model's fields in the newest version.

        Raises:
            DocumentTooNew: The version is newer than this code knows.
            DocumentUnreadable: The kind never had this version.
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
