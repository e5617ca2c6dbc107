"""Between paths and Firestore's resource names."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    """The names in one database.

    Attributes:
        database: `projects/{project}/databases/{database}`.
    """

    database: str

    @classmethod
    def of(cls, project: str, database: str) -> "Names":
        """Return the names in a project's database."""
        return cls(f"projects/{project}/databases/{database}")

    @property
    def root(self) -> str:
        """The parent of all collections that are in no document."""
        return f"{self.database}/documents"

    def document(self, path: str) -> str:
        """Return the name of the document at `path`; of the root for an empty one."""
        return f"{self.root}/{path}" if path else self.root

    def path(self, name: str) -> str:
        """Return the path of a named document."""
        return name.removeprefix(f"{self.root}/")
