"""Converts between paths and Firestore's resource names."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    """Resource names of one database.

    Attributes:
        database: `projects/{project}/databases/{database}`.
    """

    database: str

    @classmethod
    def of(cls, project: str, database: str) -> "Names":
        return cls(f"projects/{project}/databases/{database}")

    @property
    def root(self) -> str:
        """Parent of all top-level collections."""
        return f"{self.database}/documents"

    def document(self, path: str) -> str:
        """Return the name of the document at `path`; of the root for ""."""
        return f"{self.root}/{path}" if path else self.root

    def path(self, name: str) -> str:
        return name.removeprefix(f"{self.root}/")
