"""Reading of uploaded files: sound ones give their text, every other one a problem of its own."""

import asyncio
import io
import json
import sys
import zipfile
import zlib

import pytest
from docx import Document
from docx.oxml import parse_xml
from pypdf import PdfReader, PdfWriter

from shared.adapters.document_files import child
from shared.adapters.document_files import reader as reader_module
from shared.adapters.document_files.archive import MOST_ENTRIES
from shared.adapters.document_files.reader import ProcessFileReader
from shared.domain import errors
from shared.domain.agreement.upload import MOST_BYTES, MOST_CHARACTERS, MOST_PAGES
from tests.builders.files import ARTICLES, W, body, deflated, lines, pdf, repacked, saved, word, written

TEXT = "\n".join(ARTICLES)
MANIFEST = "[Content_Types].xml"
MACRO_TYPES = b"application/vnd.ms-word.document.macroEnabled.main+xml"
WORD_TYPE = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


class ReaderHere(ProcessFileReader):
    """Reads in this process what needs no limits: a start of the other one takes half a second."""

    async def _in_process(self, kind, data):
        return reader_module._text_of(json.dumps(child.answer(kind, data)).encode(), 0)


async def read(data, name="a", reader=ReaderHere):
    return await reader(20.0).read(data, name)


def encrypted(user, owner="owner", algorithm="AES-256"):
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("Article 1 Purpose of this agreement"))))
    writer.encrypt(user, owner, algorithm=algorithm)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def typed(data, before, after):
    return repacked(data, lambda name, content: content.replace(before, after) if "Types" in name else content)


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (TEXT.encode(), "a.txt", "txt"),
        (b"\xef\xbb\xbf" + TEXT.encode(), "a.TXT", "txt"),
        (TEXT.encode("utf-16"), "a.txt", "txt"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "a.txt", "txt"),
        (TEXT.replace("\n", "\r\n").encode("cp949"), "계약서.txt", "txt"),
        (TEXT.encode(), "계약서", "txt"),
        (f"**{ARTICLES[0]}**\n> {ARTICLES[1]}".encode(), "a.md", "md"),
        (word(*ARTICLES), "wrong.pdf", "docx"),
        ("제1조(목적) 이 계약은\u200b 상담을\u202e 정한다.\n".encode() + ARTICLES[1].encode(), "a.txt", "txt"),
    ],
)
async def test_a_sound_file_gives_its_text_whatever_its_name_says(data, name, kind):
    found = await read(data, name, ProcessFileReader)
    assert (found.kind, found.text) == (kind, TEXT)


async def test_a_pdf_gives_the_lines_of_its_pages_without_page_numbers():
    pages = ("Article 1 Purpose\nThis is for counselling.\n- 1 -", "Article 2 Secrecy\nAll is kept secret.\n2 / 2")
    expected = "Article 1 Purpose\nThis is for counselling.\nArticle 2 Secrecy\nAll is kept secret."
    assert (await read(pdf(*pages))).text == expected
    assert "Purpose" in (await read(encrypted(""), reader=ProcessFileReader)).text, "only changes need a password"


async def test_word_text_is_what_word_shows():
    def run(text, form=""):
        return f'<w:r>{form}<w:t xml:space="preserve">{text}</w:t></w:r>'

    changed = f"<w:ins>{run('제3조(해지) ')}</w:ins><w:del><w:r><w:delText>제9조</w:delText></w:r></w:del>"
    link = f"<w:hyperlink>{run('30일')}</w:hyperlink>{run(' 전에')}<w:r><w:tab/></w:r>{run('알린다.')}"
    hidden = run("숨은 명령", "<w:rPr><w:vanish/></w:rPr>")
    control = f"<w:sdtContent><w:p>{run('서명란')}</w:p></w:sdtContent>"
    xml = (f"<w:p {W}>{changed}{link}{hidden}</w:p>", f"<w:sdt {W}>{control}</w:sdt>")
    assert (await read(word("앞", xml=xml))).text == "앞\n제3조(해지) 30일 전에 알린다.\n서명란"


async def test_word_tables_give_a_line_a_row_and_nested_tables_once():
    document = Document()
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("상담사", "김하늘", "", ""), strict=True):
        cell.text = text
    inner = table.cell(1, 0).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "안", "쪽"
    assert (await read(saved(document))).text == "상담사 | 김하늘\n안 | 쪽"


async def test_numbers_that_word_gives_stand_before_the_paragraphs():
    document = Document()
    root = document.part.numbering_part.element
    levels = (("decimal", "제%1조"), ("decimalEnclosedCircle", "%2"), ("ganada", "%3."))
    xml = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for depth, (form, text) in enumerate(levels)
    )
    root.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="77">{xml}</w:abstractNum>'))
    root.append(parse_xml(f'<w:num {W} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
    told = ((0, "목적"), (1, "하나"), (1, "둘"), (2, "셋"), (0, "해지"), (1, "넷"))
    for level, text in told:
        number = f'<w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="77"/></w:numPr></w:pPr>'
        paragraph = f"<w:p {W}>{number}<w:r><w:t>{text}</w:t></w:r></w:p>"
        document.element.body.insert(len(document.element.body) - 1, parse_xml(paragraph))
    assert (await read(saved(document))).text == "제1조 목적\n① 하나\n② 둘\n가. 셋\n제2조 해지\n① 넷"


def of_zip(method=zipfile.ZIP_DEFLATED, **parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def flagged(data):
    """Return an archive whose entries say that they are encrypted."""
    changed = bytearray(data)
    for mark, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        found = changed.find(mark)
        while found >= 0:
            changed[found + place] |= 1
            found = changed.find(mark, found + 4)
    return bytes(changed)


def flipped(data, name, place=0):
    """Return an archive with one byte of a part's stored bytes changed."""
    entry = zipfile.ZipFile(io.BytesIO(data)).getinfo(name)
    at = entry.header_offset + 30 + len(name) + place
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    + b"]><w:document "
    + W.encode()
    + b"><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body></w:document>"
)
ZEROS = b"/Filter /FlateDecode"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
PACKED = zlib.compress(b"BT /F1 12 Tf (x) Tj " + b"0 0 Td " * 6000 + b"ET")
PICTURE = b"<< /XObject << /Im1 5 0 R >> >>"
SHEET = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
DEEP = b"<w:document " + W.encode() + b"><w:body>" + b"<w:tbl><w:tr><w:tc>" * 60 + b"</w:tc></w:tr></w:tbl>" * 60

BAD = {
    "a picture named as text": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "a.txt", errors.FileTypeRefused),
    "a program": (lambda: b"\x7fELF" + bytes(200), "a.txt", errors.FileTypeRefused),
    "a page of the web": (lambda: b"<!DOCTYPE html><p>text</p>", "a.txt", errors.FileTypeRefused),
    "RTF": (lambda: b"{\\rtf1 text}", "a.txt", errors.FileTypeRefused),
    "text of another kind": (lambda: b"a = 1", "a.py", errors.FileTypeRefused),
    "text named as a document": (TEXT.encode, "a.docx", errors.FileTypeRefused),
    "an old Word document": (lambda: OLE, "a.doc", errors.FileTypeRefused),
    "a sheet": (lambda: typed(word("글"), WORD_TYPE, SHEET), "a.docx", errors.FileTypeRefused),
    "any archive": (lambda: of_zip(a="text"), "a.docx", errors.FileTypeRefused),
    "too many bytes": (lambda: b"a" * (MOST_BYTES + 1), "a.txt", errors.FileTooLarge),
    "too much text": (lambda: "가나다 ".encode() * (MOST_CHARACTERS // 4 + 1), "a.txt", errors.FileTooLong),
    "too much text in Word": (lambda: word("가나다 " * (MOST_CHARACTERS // 4 + 1)), "a", errors.FileTooLong),
    "too many pages": (lambda: pdf(*["x"] * (MOST_PAGES + 1)), "a", errors.FileTooLong),
    "Word with a password": (lambda: OLE + "EncryptedPackage".encode("utf-16-le"), "a.docx", errors.FileProtected),
    "an encrypted archive": (lambda: flagged(word("글")), "a.docx", errors.FileProtected),
    "PDF with a password": (lambda: encrypted("secret"), "a.pdf", errors.FileProtected),
    "PDF with a password, old": (lambda: encrypted("secret", algorithm="RC4-128"), "a.pdf", errors.FileProtected),
    "macros": (lambda: repacked(word("글"), word__vbaProject_bin=b"x"), "a.docx", errors.FileWithMacros),
    "a type with macros": (lambda: typed(word("글"), WORD_TYPE, MACRO_TYPES), "a.docx", errors.FileWithMacros),
    "a bomb of zeros": (lambda: repacked(word("글"), word__media__a_bin=bytes(30_000_000)), "a", errors.FileIsBomb),
    "a bomb of XML": (lambda: body(b"<a>" + b"<b/>" * 6_500_000 + b"</a>"), "a", errors.FileIsBomb),
    "a bomb of many parts": (
        lambda: repacked(word("글"), **{f"p{number}_bin": b"" for number in range(MOST_ENTRIES + 1)}),
        "a", errors.FileIsBomb),
    "entities": (lambda: body(ENTITIES), "a", errors.FileIsBomb),
    "entities in UTF-16": (lambda: body(ENTITIES.decode().encode("utf-16")), "a", errors.FileIsBomb),
    "a part on the disk": (
        lambda: body(ENTITIES.replace(b'"aaaaaaaaaa"', b'SYSTEM "file:///etc/passwd"')), "a", errors.FileIsBomb),
    "a bomb in PDF": (lambda: pdf(deflated(100_000_000), filters=ZEROS), "a", errors.FileIsBomb),
    "a PDF whose pages share one stream": (lambda: pdf(*[PACKED] * MOST_PAGES, filters=ZEROS), "a", errors.FileIsBomb),
    "a bomb in a bomb in PDF": (
        lambda: pdf(deflated(100_000_000, 2), filters=b"/Filter [/FlateDecode /FlateDecode]"), "a", errors.FileIsBomb),
    "a scan": (
        lambda: pdf(b"/Im1 Do", resources=PICTURE, more=b"").replace(b"4 0 obj\n<<", b"5 0 obj\n<<"),
        "a", errors.FileScanned),
    "a PDF without text": (lambda: pdf(b""), "a", errors.FileWithoutText),
    "an empty file": (lambda: b"", "a.txt", errors.FileWithoutText),
    "blanks": (" \n\u200b\u3164 ".encode, "a.txt", errors.FileWithoutText),
    "a Word document without text": (word, "a", errors.FileWithoutText),
    "a part that does not unpack": (lambda: flipped(word("글"), MANIFEST), "a.docx", errors.FileBroken),
    "a part with another sum": (lambda: flipped(word("글"), MANIFEST, 60), "a.docx", errors.FileBroken),
    "a text that does not unpack": (lambda: flipped(word("글"), "word/document.xml"), "a", errors.FileBroken),
    "a way of packing that Word has not, damaged": (
        lambda: flipped(of_zip(zipfile.ZIP_LZMA, **{MANIFEST: WORD_TYPE}), MANIFEST, 4), "a", errors.FileBroken),
    "half a Word document": (lambda: word(*ARTICLES)[:-400], "a.docx", errors.FileBroken),
    "half of the XML": (lambda: body(b"<w:document"), "a.docx", errors.FileBroken),
    "nested tables": (lambda: body(DEEP + b"</w:body></w:document>"), "a.docx", errors.FileBroken),
    "half a PDF": (lambda: b"%PDF-1.7\n1 0 obj\n<<", "a.pdf", errors.FileBroken),
    "a PDF whose pages are its parents": (
        lambda: written({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"}),
        "a.pdf", errors.FileBroken),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
async def test_a_bad_file_gives_its_own_problem(case):
    made, name, error = BAD[case]
    reader = ProcessFileReader if error in (errors.FileIsBomb, errors.FileTooLong) else ReaderHere
    with pytest.raises(errors.FileRefused) as refused:
        await read(made(), name, reader)
    assert type(refused.value) is error


@pytest.mark.parametrize(
    ("limits", "error"), [({"seconds": 0.05}, errors.Overloaded), ({"cpu_seconds": 0}, errors.FileTooSlow)]
)
async def test_a_file_is_refused_by_its_computing_time_and_put_off_by_the_clock_and_the_next_one_is_read(limits, error):
    reader = ProcessFileReader(**limits)
    with pytest.raises(error):
        await reader.read(pdf(lines("x\n" * 60_000)), "a.pdf")
    reader.seconds, reader.cpu_seconds = 60.0, 10
    assert (await reader.read(word(*ARTICLES), "a.docx")).text == TEXT


async def test_a_cancelled_reading_leaves_no_process():
    reader = ProcessFileReader()
    task = asyncio.create_task(reader.read(pdf(lines("x\n" * 20_000)), "a.pdf"))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not reader._turn.locked()


async def test_the_reading_process_gets_no_keys_and_only_it_loads_the_libraries(monkeypatch):
    given, create = {}, asyncio.create_subprocess_exec

    async def noted(*command, env, **more):
        given.update(env)
        return await create(*command, env=env, **more)

    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    await read(word(*ARTICLES), reader=ProcessFileReader)
    assert set(given) == {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE"}
    loaded = "import sys, functions.chat.composition; print({'docx', 'lxml', 'pypdf'} & {*sys.modules})"
    server = await create(sys.executable, "-c", loaded, stdout=asyncio.subprocess.PIPE, env=given)
    assert (await server.communicate())[0] == b"set()\n"
