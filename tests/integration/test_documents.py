"""Users' own documents on a running server: read in a process of their own, erased from the disk with their user."""

import asyncio
from uuid import uuid4

from tests.builders.files import ARTICLES, lines, pdf, repacked, word

DOCUMENTS = "/api/documents"


async def upload(person, data, name):
    return await person.http.post(DOCUMENTS, files={"file": (name, data)})


async def test_a_word_document_is_kept_as_text_and_leaves_the_disk_with_its_user(person, server):
    def holding():
        files = server.database.parent.rglob("*")
        return [path.name for path in files if path.is_file() and mark.encode() in path.read_bytes()]

    mark = f"word{uuid4().hex}"
    await person.open()
    shown = (await upload(person, word(*ARTICLES, f"제3조(해지) {mark} 하면 해지한다."), "계약서.docx")).json()
    article = (await person.http.get(f"{DOCUMENTS}/{shown['document_id']}/passages/article-3")).json()
    assert (article["title"], mark in article["text"]) == ("해지", True)
    assert holding()
    assert (await person.http.delete("/api/me")).status_code == 204
    assert (await person.http.get(DOCUMENTS)).json()["documents"] == []
    assert holding() == []


async def test_other_requests_are_answered_while_slow_and_hostile_files_are_read(person, server):
    await person.open()
    bomb = repacked(word("글"), word__a_bin=bytes(30_000_000))
    slow = pdf(lines("x\n" * 30_000))

    async def read():
        return [await upload(person, data, "a.pdf") for data in (slow, bomb, slow)]

    reading = asyncio.create_task(read())
    answered = 0
    while not reading.done():
        assert (await person.http.get("/healthz")).status_code == 200
        answered += 1
        await asyncio.sleep(0.05)
    statuses = [response.status_code for response in await reading]
    assert (statuses, answered > 3, server.alive) == ([201, 422, 201], True, True)
