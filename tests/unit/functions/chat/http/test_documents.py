"""Users' own documents over HTTP: uploaded, listed, read, deleted and refused; and the service's agreement."""

import asyncio
from contextlib import ExitStack
from itertools import count

import pytest

from functions.chat.use_cases.documents import MOST_A_DAY, MOST_KEPT, MOST_WAITING, TRIES_A_MINUTE
from shared.contracts.person_export import PersonExport
from shared.domain.agreement.upload import MOST_BYTES, MOST_PASSAGES
from shared.domain.errors import NotFound
from shared.engine.capacity import Capacity
from shared.web.uploads import OVERHEAD
from tests.builders.files import ARTICLES, pdf, repacked, word
from tests.unit.functions.chat.conftest import ALL, MESSAGE_ID, MINE, VERSIONS

DOCUMENTS = "/api/documents"
TEXT = "\n".join(ARTICLES)
FILE = TEXT.encode()
FORM = "multipart/form-data; boundary=b"
CALM = 60
"""Seconds between two requests, so that no limit of a minute is met."""


@pytest.fixture
def calm(world, mine):
    """Ann has a conversation, and time passes quickly."""
    world.clock.seconds = count(1000, CALM)
    return world


async def upload(client, data=FILE, name="계약서.txt", **fields):
    return await client.post(DOCUMENTS, files={"file": (name, data)}, data=fields)


async def stored(world):
    return await world.paths("documents")


async def test_an_upload_is_shown_with_its_articles_listed_read_and_deleted(calm, ann):
    response = await upload(ann, word(*ARTICLES), "C:\\내 문서\\상담 계약서.docx")
    shown = response.json()
    one = f"{DOCUMENTS}/{shown['document_id']}"
    assert (response.status_code, response.headers["location"]) == (201, one)
    assert (shown["title"], shown["locale"], shown["passages"]) == ("상담 계약서", "ko", 2)
    assert (shown["upload"]["file_name"], shown["upload"]["kind"]) == ("상담 계약서.docx", "docx")
    assert [(found["id"], found["title"]) for found in shown["articles"]] == [
        ("article-1", "목적"), ("article-2", "비밀보장")]  # fmt: skip
    assert (await ann.get(one)).json() == shown
    article = (await ann.get(f"{one}/passages/article-2")).json()
    assert article == {**shown["articles"][1], "text": "상담 내용은 비밀로 한다."}
    listed = (await ann.get(DOCUMENTS)).json()
    summary = {name: value for name, value in shown.items() if name != "articles"}
    assert listed == {"documents": [summary], "limit": MOST_KEPT}
    assert (await ann.delete(one)).status_code == 204
    assert [(await ann.request(method, one)).status_code for method in ("GET", "DELETE")] == [404, 404]
    assert await stored(calm) == []
    assert [line["action"] for line in await calm.audit("document_kept", "document_deleted")] == [
        "document_kept", "document_deleted"]  # fmt: skip
    assert "ann" not in str(await calm.audit("document_kept", "document_deleted"))


async def test_a_title_may_be_given_and_hidden_characters_and_folders_leave_the_names(calm, ann):
    titles = [("a/b/계약\u202e서.txt", ""), ("x.txt", " 우리\n계약 \u200b"), ("...", ""), ("가" * 300 + ".txt", "")]
    found = [(await upload(ann, name=name, title=title)).json() for name, title in titles]
    assert [one["title"] for one in found] == ["계약서", "우리 계약", "...", "가" * 100]
    assert found[0]["upload"]["file_name"] == "계약서.txt"


async def test_everyone_reads_the_services_agreement_and_nobody_lists_or_deletes_it(world, ann):
    shown = (await ann.get(f"{DOCUMENTS}/service")).json()
    assert (shown["document_id"], shown["upload"], shown["locale"]) == ("service", None, "ko")
    assert shown["articles"][0]["id"] == "article-1"
    article = (await ann.get(f"{DOCUMENTS}/service/passages/article-3", params={"locale": "ko"})).json()
    assert "{operator}" not in article["text"]
    assert (await ann.get(DOCUMENTS)).json()["documents"] == []
    assert (await ann.delete(f"{DOCUMENTS}/service")).status_code == 404
    async with world.client(None) as nobody:
        assert (await nobody.get(f"{DOCUMENTS}/service")).status_code == 401


async def test_another_users_document_is_not_found(calm, ann):
    one = f"{DOCUMENTS}/{(await upload(ann)).json()['document_id']}"
    await calm.conversation("bob")
    async with calm.client("bob") as bob:
        tried = [await bob.request(method, one) for method in ("GET", "DELETE")]
        tried += [await bob.get(f"{one}/passages/article-1"), await bob.get(f"{DOCUMENTS}/none")]
        assert [response.status_code for response in tried] == [404] * 4
        assert (await bob.get(DOCUMENTS)).json()["documents"] == []
    assert (await ann.get(f"{one}/passages/article-9")).status_code == 404
    assert (await ann.get(one)).status_code == 200


BAD = {
    "file_type": (b"\x89PNG\r\n\x1a\n" + bytes(100), 415),
    "file_too_large": (b"a" * (MOST_BYTES + 1), 413),
    "file_too_long": ("\n".join(f"제{n}조" for n in range(1, MOST_PASSAGES + 2)).encode(), 422),
    "file_password": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), 422),
    "file_macros": (repacked(word("글"), word__vbaProject_bin=b"x"), 422),
    "file_bomb": (repacked(word("글"), word__a_bin=bytes(30_000_000)), 422),
    "file_no_text": (pdf(b""), 422),
    "file_broken": (word("글")[:-300], 422),
}


@pytest.mark.parametrize("code", BAD)
async def test_a_bad_file_gets_a_problem_in_the_callers_language_and_nothing_is_stored(calm, ann, code):
    data, status = BAD[code]
    before = await calm.paths("users", "audit")
    for language, word_of_it in (("ko", "저장한 것은 없어요"), ("en", "Nothing was stored")):
        response = await ann.post(DOCUMENTS, files={"file": ("a.txt", data)}, headers={"Accept-Language": language})
        problem = response.json()
        assert (response.status_code, problem["code"]) == (status, code)
        assert word_of_it in problem["detail"]
        assert "{" not in problem["detail"]
    assert await stored(calm) == []
    assert await calm.paths("users", "audit") == before
    assert (await calm.profile()).uploads == ()


async def test_a_body_that_is_no_form_with_one_file_is_refused(calm, ann):
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc'
    bodies = {
        b"{}": "application/json", TEXT.encode(): "text/plain", part: "multipart/form-data", b"": FORM,
        b"no form": FORM, part[:20]: FORM,
    }  # fmt: skip
    for body, kind in bodies.items():
        response = await ann.post(DOCUMENTS, content=body, headers={"Content-Type": kind})
        assert response.status_code in (415, 422), (body, kind)
    two = [("file", ("a.txt", b"a")), ("file", ("b.txt", b"b"))]
    for sent in ({"files": two}, {"files": {"other": ("a.txt", b"a")}}, {"data": {"file": "a"}, "files": {}}):
        assert (await ann.post(DOCUMENTS, **sent)).status_code in (415, 422), sent
    assert await stored(calm) == []


async def test_a_body_that_is_too_large_is_refused_before_it_is_received(calm, ann):
    received = 0

    async def endless():
        nonlocal received
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        while True:
            received += 1
            yield b"a" * 65_536

    response = await ann.post(DOCUMENTS, content=endless(), headers={"Content-Type": FORM})
    assert (response.status_code, response.json()["code"]) == (413, "file_too_large")
    assert received * 65_536 <= MOST_BYTES + OVERHEAD + 65_536
    declared = {"Content-Type": FORM, "Content-Length": str(MOST_BYTES * 10)}
    received = 0
    assert (await ann.post(DOCUMENTS, content=endless(), headers=declared)).status_code == 413


async def test_a_user_keeps_five_documents_even_with_parallel_uploads_and_may_replace_them(calm, ann):
    object.__setattr__(calm.api.documents, "places", Capacity())  # as on many instances
    responses = await asyncio.gather(*(upload(ann) for _ in range(MOST_KEPT + 3)))
    while any(response.status_code == 503 for response in responses):
        responses = [one if one.status_code != 503 else await upload(ann) for one in responses]
    assert sorted(response.status_code for response in responses) == [201] * MOST_KEPT + [409] * 3
    refused = next(one.json() for one in responses if one.status_code == 409)
    assert (refused["code"], "5" in refused["detail"]) == ("document_limit", True)
    first = (await ann.get(DOCUMENTS)).json()["documents"][0]["document_id"]
    await ann.delete(f"{DOCUMENTS}/{first}")
    assert (await upload(ann)).status_code == 201


async def test_deleted_documents_count_for_the_day_and_not_for_the_next(calm, ann):
    for _ in range(MOST_A_DAY):
        await ann.delete(f"{DOCUMENTS}/{(await upload(ann)).json()['document_id']}")
    response = await upload(ann)
    assert (response.status_code, response.json()["code"]) == (429, "daily_uploads")
    calm.clock.seconds = count(100_000)
    assert (await upload(ann)).status_code == 201
    assert len((await calm.profile()).uploads) == 1


async def test_many_tries_in_a_minute_are_put_off(world, ann, mine):
    responses = [await upload(ann, b"\x00") for _ in range(TRIES_A_MINUTE * 2)]
    assert {response.status_code for response in responses} == {415, 429}


async def test_one_file_of_a_user_is_read_at_a_time_and_so_many_of_all(calm, ann):
    at_once = await asyncio.gather(*(upload(ann, word(*ARTICLES)) for _ in range(3)))
    assert sorted(one.status_code for one in at_once) == [201, 429, 429]
    places = calm.api.documents.places
    with ExitStack() as others:
        for number in range(MOST_WAITING - 1):
            others.enter_context(places.place(f"user {number}"))
        assert (await upload(ann)).status_code == 201
        with places.place("bob"):
            assert (await upload(ann)).json()["code"] == "overloaded"


async def test_without_consents_nothing_is_uploaded_and_what_is_kept_can_be_read_and_deleted(world, ann):
    refused = await upload(ann)
    assert (refused.status_code, refused.json()["code"]) == (403, "consent_required")
    await world.conversation("ann")
    world.clock.seconds = count(1000, CALM)
    one = f"{DOCUMENTS}/{(await upload(ann)).json()['document_id']}"
    await ann.put(MINE, json={"consents": {"overseas_transfer": False}})
    assert (await upload(ann)).json()["code"] == "consent_required"
    assert (await ann.get(one)).status_code == 200
    assert (await ann.delete(one)).status_code == 204
    given = {"consents": {"overseas_transfer": True}, "versions": VERSIONS}
    await ann.put(MINE, json=given)
    assert (await upload(ann)).status_code == 201


async def test_a_consent_that_is_withdrawn_while_the_file_is_read_stops_it(calm, ann):
    read = calm.api.documents.reader.read

    async def withdrawn(data, name):
        await ann.put(MINE, json={"consents": {"sensitive_data": False}})
        return await read(data, name)

    object.__setattr__(calm.api.documents, "reader", type("Reader", (), {"read": staticmethod(withdrawn)}))
    assert (await upload(ann)).json()["code"] == "consent_required"
    assert await stored(calm) == []


async def test_the_export_holds_the_text_of_uploads_and_names_what_is_unreadable(calm, ann):
    broken, kept = [(await upload(ann, title=title)).json()["document_id"] for title in ("하나", "둘")]
    await calm.damage(f"documents/{broken}/chunks/0", passages="broken")
    export = PersonExport.model_validate((await ann.get("/api/me/export")).json())
    (document,) = export.documents
    assert (document.document_id, document.title, document.upload.file_name) == (kept, "둘", "계약서.txt")
    assert [passage.text for passage in document.passages] == [
        "이 계약은 상담을 정한다.", "상담 내용은 비밀로 한다."]  # fmt: skip
    assert export.unreadable == (broken,)


async def test_an_erasure_of_everything_erases_uploads_and_one_during_an_upload_wins(calm, ann):
    await upload(ann)
    read = calm.api.documents.reader.read

    async def erased(data, name):
        await ann.delete("/api/me")
        return await read(data, name)

    object.__setattr__(calm.api.documents, "reader", type("Reader", (), {"read": staticmethod(erased)}))
    assert (await upload(ann)).status_code == 403
    assert await calm.paths("documents", "users", "sessions", "erasures") == []
    (done,) = await calm.audit("erasure_completed")
    assert done["rule"] == "everything"


async def test_a_message_may_name_its_document_which_must_be_there_when_it_first_comes(calm, ann, mine):
    document, turns = (await upload(ann)).json()["document_id"], calm.turns
    turns.answer()

    async def asked(name):
        message = {"message_id": MESSAGE_ID, "text": "제2조가 뭐야?", "document_id": name}
        return (await ann.post(f"{ALL}/{mine}/chat", json=message)).status_code

    assert ([await asked(one) for one in (document, "service")], await asked("a b")) == ([200, 200], 422)
    assert [message.document_id for message in turns.submitted] == [document, "service"]
    await ann.delete(f"{DOCUMENTS}/{document}")
    assert await asked(document) == 200  # it was received before
    turns.refusal = NotFound("message")
    assert (await asked(document), len(turns.submitted)) == (404, 3)
