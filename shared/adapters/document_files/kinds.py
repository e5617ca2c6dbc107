"""Tells what a file is by its content; its name and declared type count for plain text only, which has no signature."""

from enum import StrEnum

from shared.adapters.document_files.archive import opened, part
from shared.domain.errors import FileProtected, FileTypeRefused, FileWithMacros


class FileKind(StrEnum):
    """A type of file that is read."""

    DOCX = "docx"
    PDF = "pdf"
    TEXT = "txt"
    MARKDOWN = "md"


_TEXT_NAMES = {"": FileKind.TEXT, "txt": FileKind.TEXT, "text": FileKind.TEXT}
_MARKDOWN_NAMES = dict.fromkeys(("md", "markdown"), FileKind.MARKDOWN)
_PDF_WITHIN = 1024
"""Bytes before the header that readers of PDF tolerate."""
_ZIP, _OLE, _RTF = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"{\\rtf"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
"""Stream of an OLE file that holds an encrypted Office document (MS-OFFCRYPTO, section 2.3.4.4)."""
_WORD = b"wordprocessingml.document.main+xml"
_MACROS = b"macroEnabled"
_MANIFEST = "[Content_Types].xml"
_MOST_MANIFEST = 1024 * 1024


def kind_of(data: bytes, file_name: str) -> FileKind:
    """Return the kind of a file.

    Raises:
        FileTypeRefused, FileProtected, FileWithMacros, FileBroken: It is none that is read.
    """
    if b"%PDF-" in data[:_PDF_WITHIN]:
        return FileKind.PDF
    if data.startswith(_ZIP):
        return _of_zip(data)
    if data.startswith(_OLE):
        raise FileProtected if _ENCRYPTED in data else FileTypeRefused
    if data.startswith(_RTF):
        raise FileTypeRefused
    _, dot, ending = file_name.rpartition(".")
    kind = {**_TEXT_NAMES, **_MARKDOWN_NAMES}.get(ending.lower() if dot else "")
    if kind is None:
        raise FileTypeRefused
    return kind


def _of_zip(data: bytes) -> FileKind:
    with opened(data) as archive:
        names = archive.namelist()
        if any(name.lower().endswith("vbaproject.bin") for name in names):
            raise FileWithMacros
        if _MANIFEST not in names:
            raise FileTypeRefused
        with part(archive, archive.getinfo(_MANIFEST)) as file:
            manifest = file.read(_MOST_MANIFEST)
    if _MACROS in manifest:
        raise FileWithMacros
    if _WORD not in manifest:
        raise FileTypeRefused
    return FileKind.DOCX
