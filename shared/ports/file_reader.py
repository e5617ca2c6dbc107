"""Port of the reader of uploaded files."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class FileText:
    """The text of a file.

    Attributes:
        kind: What the file is by its content: `docx`, `pdf`, `txt`, `md`.
        text: Without hidden characters, in NFC; a paragraph or a line of a page a line.
    """

    kind: str
    text: str


class FileReader(Protocol):
    """Reads uploaded files."""

    async def read(self, data: bytes, file_name: str) -> FileText:
        """Return the text of a file.

        Args:
            data: Its content, which says what it is.
            file_name: Tells Markdown from other plain text.

        Raises:
            FileRefused: The file cannot be taken; the class says why.
            Overloaded: Too many files are being read here, or the machine is too busy to read this one in time.
        """
        ...
