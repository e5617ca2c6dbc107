"""Reads the text of a .pdf file, page by page."""

import io
import unicodedata
from collections.abc import Sequence
from itertools import accumulate

from pypdf import PageObject, PdfReader, apply_configuration
from pypdf.errors import LimitReachedError
from pypdf.generic import DictionaryObject

from shared.adapters.document_files.archive import RATIO_FROM
from shared.domain.agreement.upload import MOST_CHARACTERS, MOST_PAGES, too_long
from shared.domain.errors import FileIsBomb, FileProtected, FileScanned, FileWithoutText

MOST_UNPACKED = 16 * 1024 * 1024
"""Bytes of one stream."""
MOST_RATIO = 50
"""What the pages show, a stream again on each page that shows it, to the file: glyphs that a browser places one by one
have eleven times its size."""
MOST_PARSED = 1_000_000
"""Steps of parsing one stream."""
FEW_LETTERS = 10
"""Letters a page, below which a page with a picture is a scan: a scanner's own line, a page number."""
READABLE_SHARE = 0.7
"""Share of characters that mean something, below which the fonts do not say which letters they draw."""


def read_pdf(data: bytes) -> str:
    """Return the text, a line of a page a line.

    Raises:
        FileProtected, FileIsBomb, FileTooLong, FileScanned, FileWithoutText: It cannot be taken.
        Exception: pypdf raises many kinds for a damaged file.
    """
    with apply_configuration(
        maximum_declared_stream_length=MOST_UNPACKED,
        array_based_stream_maximum_output_length=MOST_UNPACKED,
        jbig2_maximum_output_length=MOST_UNPACKED,
        lzw_maximum_output_length=MOST_UNPACKED,
        run_length_maximum_output_length=MOST_UNPACKED,
        zlib_maximum_output_length=MOST_UNPACKED,
        stream_decoding_work_maximum_length=4 * MOST_UNPACKED,
        stream_parsing_work_maximum_count=MOST_PARSED,
        jbig2dec_binary=None,
    ):
        try:
            return _text(_pages(PdfReader(io.BytesIO(data)), max(RATIO_FROM, MOST_RATIO * len(data))))
        except LimitReachedError:
            raise FileIsBomb from None


def _pages(reader: PdfReader, most_shown: int) -> Sequence[PageObject]:
    # Many files are encrypted only against changes; those open with an empty password.
    if reader.is_encrypted and not reader.decrypt(""):
        raise FileProtected
    if len(reader.pages) > MOST_PAGES:
        raise too_long()
    if any(total > most_shown for total in accumulate(map(_size, reader.pages))):
        raise FileIsBomb
    return reader.pages


def _text(pages: Sequence[PageObject]) -> str:
    texts: list[str] = []
    for page in pages:
        texts.append(page.extract_text())
        if sum(map(len, texts)) > MOST_CHARACTERS:
            raise too_long()
    text = "\n".join(filter(None, map(_without_number, texts)))
    letters = [character for character in text if not character.isspace()]
    odd = ("Cc", "Cn", "Co", "Cs")
    readable = sum(one != "\ufffd" and unicodedata.category(one) not in odd for one in letters)
    if readable < FEW_LETTERS * len(pages) and any(map(_has_picture, pages)):
        raise FileScanned
    if readable == 0:
        raise FileWithoutText
    if readable < READABLE_SHARE * len(letters):
        raise FileScanned
    return text


def _size(page: PageObject) -> int:
    content = page.get_contents()
    return 0 if content is None else len(content.get_data())


def _without_number(page: str) -> str:
    """Drop a page number that stands alone on the first or last line."""
    lines = page.strip().splitlines()
    for place in (0, -1):
        if lines and lines[place].strip(" -–—/·").replace("/", "").replace(" ", "").isdecimal():
            del lines[place]
    return "\n".join(lines)


def _has_picture(page: PageObject) -> bool:
    resources = page.get("/Resources", DictionaryObject()).get_object()
    objects = resources.get("/XObject") if isinstance(resources, dict) else None
    return bool(objects is not None and objects.get_object())
