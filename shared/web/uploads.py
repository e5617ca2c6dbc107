"""Receives one file of a form, bounded while it streams in."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from shared.domain.errors import FileTooLarge
from shared.web.errors import FormRequired, RequestTimeout
from shared.web.faults import DoesNotFit, FieldFault

MEBIBYTE = 1024 * 1024
OVERHEAD = 16 * 1024
"""Bytes for the form around the file: names, boundaries, a title."""
UPLOAD_SECONDS = 60.0
"""For a whole body, seconds: 2 MiB over a slow mobile network."""
FILE, TITLE = "file", "title"
_MOST_FIELD = 4 * 1024


@dataclass(frozen=True)
class SentFile:
    """A file of a form.

    Attributes:
        title: The field `title` beside it, or "".
    """

    data: bytes
    file_name: str
    title: str


async def read_file(request: Request, most: int, seconds: float = UPLOAD_SECONDS) -> SentFile:
    """Return the file of a multipart/form-data body.

    Args:
        request: The request.
        most: Most bytes of the file, a multiple of a MiB.
        seconds: Deadline for the whole body.

    Raises:
        FormRequired: The body is no form, or a damaged one.
        FileTooLarge: The file is too large; the rest of the body is not read.
        RequestTimeout: The body did not arrive in time.
        DoesNotFit: There is no file, or something else.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "multipart/form-data":
        raise FormRequired
    parser = MultiPartParser(
        request.headers, _bounded(request, most), max_files=1, max_fields=1, max_part_size=_MOST_FIELD
    )
    # A person's text stays in memory: it is written to no temporary file.
    parser.spool_max_size = most + OVERHEAD
    try:
        async with asyncio.timeout(seconds):
            form = await parser.parse()
    except TimeoutError:
        raise RequestTimeout(seconds) from None
    except (MultiPartException, UnicodeError, ValueError):
        raise FormRequired from None
    try:
        return await _sent(form.multi_items(), most)
    finally:
        await form.close()


async def _sent(items: list[tuple[str, UploadFile | str]], most: int) -> SentFile:
    if any(name not in (FILE, TITLE) or isinstance(value, str) is (name == FILE) for name, value in items):
        raise DoesNotFit((FieldFault("extra_forbidden"),))
    found = dict(items)
    file, title = found.get(FILE), found.get(TITLE, "")
    if not isinstance(file, UploadFile) or not isinstance(title, str):
        raise DoesNotFit((FieldFault("missing", FILE),))
    data = await file.read()
    if len(data) > most:
        raise FileTooLarge(most // MEBIBYTE)
    return SentFile(data, file.filename or "", title)


async def _bounded(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    """Yield the body and stop once it is too long; a declared length that is too long is refused at once."""
    declared = Headers(scope=request.scope).get("content-length", "")
    if declared.isdecimal() and int(declared[:12]) > most + OVERHEAD:
        raise FileTooLarge(most // MEBIBYTE)
    received = 0
    async for chunk in request.stream():
        received += len(chunk)
        if received > most + OVERHEAD:
            raise FileTooLarge(most // MEBIBYTE)
        yield chunk
