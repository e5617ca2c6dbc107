"""Files as users upload them, built in memory: Word documents and PDFs, sound and hostile."""

import io
import zipfile
import zlib

from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

ARTICLES = ("제1조(목적) 이 계약은 상담을 정한다.", "제2조(비밀보장) 상담 내용은 비밀로 한다.")
W = nsdecls("w")


def word(*paragraphs, xml=()):
    """Return a .docx with paragraphs, then paragraphs given as XML of Word."""
    document = Document()
    for text in paragraphs:
        document.add_paragraph(text)
    for one in xml:
        document.element.body.insert(len(document.element.body) - 1, parse_xml(one))
    return saved(document)


def saved(document):
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def repacked(data, change=None, **parts):
    """Return an archive with parts added or replaced, and each part's bytes changed."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        added = {name.replace("__", "/").replace("_", "."): content for name, content in parts.items()}
        for entry in old.infolist():
            if entry.filename not in added:
                content = old.read(entry)
                new.writestr(entry.filename, change(entry.filename, content) if change else content)
        for name, content in added.items():
            new.writestr(name, content)
    return file.getvalue()


def body(raw, data=None):
    """Return a .docx whose main part is these bytes."""

    def change(name, content):
        return raw if name == "word/document.xml" else content

    return repacked(data or word("글"), change)


def pdf(*pages, more=b"", resources=b"<< /Font << /F1 4 0 R >> >>", filters=b""):
    """Return a PDF with one content stream a page; a page is Latin text, or bytes of a stream as it is stored.

    Equal pages share one stream.
    """
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        4: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    kids, streams = [], {}
    for page in pages:
        number = 10 + 2 * len(kids)
        kids.append(b"%d 0 R" % number)
        stream = page if isinstance(page, bytes) else lines(page)
        objects[number] = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources %s /Contents %d 0 R >>" % (
            resources,
            streams.setdefault(stream, number + 1),
        )
        objects[streams[stream]] = b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(stream), filters, stream)
    objects[2] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    return written(objects, more)


def lines(text):
    """Return a content stream that shows lines of Latin text."""
    shown = b" ".join(b"(%s) Tj 0 -16 Td" % line.encode("latin-1") for line in text.split("\n"))
    return b"BT /F1 12 Tf 72 720 Td %s ET" % shown


def written(objects, more=b""):
    """Return a PDF of objects by number; `more` goes into the trailer."""
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for number, content in sorted(objects.items()):
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, more, start)
    return bytes(out)


def deflated(unpacked_bytes, times=1):
    """Return zeros, deflated a number of times."""
    data = b"\0" * unpacked_bytes
    for _ in range(times):
        data = zlib.compress(data, 9)
    return data
