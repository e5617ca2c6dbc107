"""Opens .docx files, and checks them before any part is read as XML."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from shared.domain.errors import FileBroken, FileIsBomb, FileProtected

MOST_ENTRIES = 1000
MOST_UNPACKED = 48 * 1024 * 1024
"""Bytes of all parts together: a document of 200 pages has about 5 MB of XML, and pictures hardly shrink."""
MOST_XML = 24 * 1024 * 1024
"""Bytes of one part of XML, which takes about five times as much as a tree."""
MOST_RATIO = 250
"""XML of Word shrinks to a tenth, and a table of one repeated row to a hundredth."""
RATIO_FROM = 1024 * 1024
"""Less may have any ratio."""
_DOCTYPE = tuple("<!DOCTYPE".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
_CHUNK = 1024 * 1024
_OVERLAP = 32
_XML = (".xml", ".rels")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What OPC allows (ECMA-376-2); LZMA may ask for gigabytes of memory."""


@contextmanager
def opened(data: bytes) -> Iterator[zipfile.ZipFile]:
    """Open an archive for the block, in which any damage of it is `FileBroken`."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        raise FileBroken from None


def part(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    """Open a part of an opened archive.

    Raises:
        FileProtected, FileBroken: It has a password, or is packed in a way that a .docx may not be.
    """
    if entry.flag_bits & 1:
        raise FileProtected
    if entry.compress_type not in _METHODS:
        raise FileBroken
    return archive.open(entry)


def check_archive(data: bytes) -> None:
    """Check sizes, ratios, encryption and document types of all parts.

    A part is unpacked up to the size that the archive's directory declares, so a lie there ends in `FileBroken`.

    Raises:
        FileIsBomb, FileProtected, FileBroken: It must not be read.
    """
    with opened(data) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_ENTRIES or sum(entry.file_size for entry in entries) > MOST_UNPACKED:
            raise FileIsBomb
        for entry in entries:
            _check(archive, entry)


def _check(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    if entry.file_size > RATIO_FROM and entry.file_size > MOST_RATIO * max(entry.compress_size, 1):
        raise FileIsBomb
    if entry.filename.lower().endswith(_XML) and entry.file_size > MOST_XML:
        raise FileIsBomb
    with part(archive, entry) as file:
        end = b""
        while chunk := file.read(_CHUNK):
            # OPC forbids document types (ECMA-376-2, 8.1.3): they are for entities that expand.
            if any(mark in end + chunk for mark in _DOCTYPE):
                raise FileIsBomb
            end = chunk[-_OVERLAP:]
