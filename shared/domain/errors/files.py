"""Errors of files that a user uploads; nothing of a refused file is stored."""

from shared.domain.errors.requests import DailyLimitReached, InvalidInput, Refused


class FileRefused(InvalidInput):
    """The file cannot be taken."""

    code = "file_refused"

    def __init__(self, detail: str = "the file cannot be taken") -> None:
        super().__init__(detail)


class FileTypeRefused(FileRefused):
    """Its content is none of the types that are read, whatever its name says."""

    code = "file_type"


class FileTooLarge(FileRefused):
    """It has more bytes than the limit (MiB)."""

    code = "file_too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(f"the file has more than {limit} MiB")
        self.limit = limit


class FileTooLong(FileRefused):
    """It has more text, pages or passages than the limits."""

    code = "file_too_long"

    def __init__(self, characters: int, pages: int, passages: int) -> None:
        super().__init__(f"more than {characters} characters, {pages} pages or {passages} passages")
        self.characters = f"{characters:,}"
        self.pages = pages
        self.passages = f"{passages:,}"


class FileProtected(FileRefused):
    """It opens only with a password."""

    code = "file_password"


class FileWithMacros(FileRefused):
    """It carries macros."""

    code = "file_macros"


class FileIsBomb(FileRefused):
    """It unpacks to far more than its size, or declares entities."""

    code = "file_bomb"


class FileTooSlow(FileRefused):
    """Reading it took more computing time than a file may."""

    code = "file_too_slow"


class FileScanned(FileRefused):
    """Its pages are pictures without text."""

    code = "file_scanned"


class FileWithoutText(FileRefused):
    """It has no text."""

    code = "file_no_text"


class FileBroken(FileRefused):
    """It is damaged."""

    code = "file_broken"


FILE_PROBLEMS: tuple[type[FileRefused], ...] = (
    FileTypeRefused,
    FileTooLarge,
    FileTooLong,
    FileProtected,
    FileWithMacros,
    FileIsBomb,
    FileTooSlow,
    FileScanned,
    FileWithoutText,
    FileBroken,
)
"""All problems of a file, for the API's description and the reader's process."""


class DocumentLimitReached(Refused):
    """The user keeps as many documents as they may; one must be deleted first."""

    code = "document_limit"

    def __init__(self, limit: int) -> None:
        super().__init__(f"a user keeps {limit} documents at most")
        self.limit = limit


class UploadsUsedUp(DailyLimitReached):
    """The user reached the daily limit of uploads."""

    code = "daily_uploads"
