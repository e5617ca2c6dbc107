"""Any bytes as an uploaded file: a text or a problem of their own, within a bound of CPU time."""

import asyncio
import os
import resource
import time
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.adapters.document_files import child
from shared.adapters.document_files.kinds import FileKind, kind_of
from shared.adapters.document_files.reader import ProcessFileReader
from shared.domain.errors import FileRefused
from tests.builders.files import ARTICLES, body, pdf, word

ASKED_FOR = int(os.environ.get("CBOT_PROPERTY_EXAMPLES", "0"))
CPU_SECONDS = 5.0
"""For one file in this process; the slowest of 3,000 took 0.4 s."""
SOUND = {
    FileKind.DOCX: word(*ARTICLES),
    FileKind.PDF: pdf("Article 1 Purpose\nThis is for counselling.", "Article 2 Secrecy"),
}
HEADS = (
    b"",
    b"%PDF-1.7\n",
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"{\\rtf",
)
WORDS = st.lists(
    st.sampled_from([b"<w:p>", b"</w:p>", b"<w:tbl>", b"<w:tr>", b"<w:tc>", b"<w:r>", b"<w:t>", b"x", b"&a;", b"<!--"])
)


@st.composite
def damaged(draw):
    """Draw a sound file of a kind with some bytes changed, removed or repeated."""
    kind = draw(st.sampled_from(sorted(SOUND)))
    data = bytearray(SOUND[kind])
    for _ in range(draw(st.integers(1, 6))):
        place, length = draw(st.integers(0, max(len(data) - 1, 0))), draw(st.integers(0, 40))
        piece = draw(st.one_of(st.binary(max_size=40), st.just(bytes(data[place : place + length]) * 3)))
        data[place : place + draw(st.sampled_from((0, length)))] = piece
    return bytes(data)


@given(damaged())
@settings(max_examples=ASKED_FOR or 20)
def test_a_damaged_file_ends_in_a_text_or_a_code_within_bounded_time(data):
    begun = time.process_time()
    with suppress(FileRefused):
        found = child.answer(kind_of(data, "a.pdf"), data)
        assert set(found) in ({child.TEXT}, {child.REFUSED})
    assert time.process_time() - begun < CPU_SECONDS


@given(WORDS)
@settings(max_examples=ASKED_FOR or 20)
def test_any_order_of_words_tags_ends_in_a_text_or_a_code(tags):
    assert set(child.answer(FileKind.DOCX, body(b"".join(tags)))) <= {child.TEXT, child.REFUSED}


@given(st.sampled_from(HEADS), st.binary(max_size=3000), st.sampled_from(("a.txt", "a.md", "a.docx", "a.pdf", "", ".")))
@settings(max_examples=ASKED_FOR or 20)
def test_any_bytes_under_any_name_are_read_or_refused_within_bounded_time(head, data, name):
    def used():
        return sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))

    begun = used()
    with suppress(FileRefused):
        assert asyncio.run(ProcessFileReader().read(head + data, name)).text.strip()
    assert used() - begun < CPU_SECONDS
