"""The contract of `UploadStore`: `DocumentConversationStore` over each database."""

import asyncio
from datetime import timedelta

import pytest

from shared.adapters.documents.passage_vectors import AT_ONCE, DocumentPassageVectors
from shared.domain.agreement.document import Passage, PassageKind
from shared.domain.agreement.upload import MOST_CHARACTERS, chunks_of, whole
from shared.domain.erasure import Erasure
from shared.domain.errors import DocumentExists, VersionConflict
from shared.domain.records import AuditEntry
from shared.ports.user_store import VersionedUser
from tests.builders.agreements import upload
from tests.builders.conversations import Card, card, first
from tests.builders.erasing import erase_everything
from tests.builders.sessions import NOW


def passages(*texts):
    return tuple(
        Passage(id=f"article-{number}", kind=PassageKind.ARTICLE, number=str(number), text=text)
        for number, text in enumerate(texts, 1)
    )


def line(name):
    return AuditEntry(audit_id=name, at=NOW, conversation_id="", rule="document", level="", action="document_kept")


async def user_of(store, user_id="u1"):
    found = await store.user(user_id, Card)
    if found is None:
        await store.save_user(first("하나", user_id=user_id))
    return await store.user(user_id, Card)


async def added(store, *texts, **more):
    """Store an upload with passages; returns it."""
    found = passages(*texts or ("비밀로 한다.",))
    chunks = chunks_of(found, NOW + timedelta(days=30))
    kept = upload(chunks=len(chunks), **more)
    read = await user_of(store, kept.user_id)
    changed = card("하나", kept.document_id, user_id=kept.user_id)
    await store.add_upload(kept, chunks, VersionedUser(changed, read.version), [line(f"kept-{kept.document_id}")])
    return kept


async def paths_of(database, *collections):
    return [document.path for name in collections for document in await database.tree(name)]


async def test_an_upload_is_read_as_it_was_written_also_where_it_is_as_long_as_a_file_may_be(store, database):
    long = await added(store, "💚" * MOST_CHARACTERS)
    many = await added(store, *("가나다라" * 5000 for _ in range(10)), name="d2")
    for kept, texts in ((long, ["💚" * MOST_CHARACTERS]), (many, ["가나다라" * 5000] * 10)):
        assert await store.upload(kept.document_id) == kept
        document = await store.uploaded(kept)
        assert [passage.text for passage in document.passages] == texts
        assert document == whole(kept, chunks_of(passages(*texts), NOW))
    assert (long.chunks, many.chunks) == (1, 4)
    assert await paths_of(database, "audit") == ["audit/kept-d1", "audit/kept-d2"]
    assert (await store.upload("none"), await store.upload("..")) == (None, None)


async def test_an_upload_is_written_only_over_the_version_of_its_user_that_was_read(store, database):
    read = await user_of(store)
    adding = (
        store.add_upload(upload(f"d{n}"), chunks_of(passages("글"), NOW), VersionedUser(card(f"{n}"), read.version))
        for n in range(4)
    )
    outcomes = await asyncio.gather(*adding, return_exceptions=True)
    assert sorted(str(type(outcome).__name__) for outcome in outcomes) == ["NoneType", *["VersionConflict"] * 3]
    assert len(await paths_of(database, "documents")) == 2
    await erase_everything(store, "u1")
    with pytest.raises(VersionConflict):
        await store.add_upload(upload("late"), (), VersionedUser(card("late"), read.version))
    assert await paths_of(database, "documents") == []


async def test_a_user_lists_their_own_uploads_the_newest_first(store):
    for number in (1, 0, 2):
        await added(store, name=f"d{number}", minutes=number)
    await added(store, name="x", user_id="u2")
    assert [kept.document_id for kept in await store.uploads_of("u1")] == ["d2", "d1", "d0"]
    assert await store.uploads_of("u3") == []


async def test_a_hidden_upload_has_no_passages_and_is_found_again_by_its_erasure(store, database):
    kept, other = await added(store, *("가" * 50_000 for _ in range(4))), await added(store, name="d2")
    erasure = Erasure(
        erasure_id="d1", user_id="u1", everything=False, conversations=(), documents=("d1",), requested_at=NOW
    )
    await store.hide_upload(erasure, kept)
    assert (await store.upload("d1"), await store.uploaded(kept)) == (None, None)
    assert await store.erasures_of("u1") == [erasure]
    with pytest.raises(DocumentExists):
        await store.hide_upload(erasure, kept)
    for _ in range(2):
        await store.erase_upload("d1")
        await store.end_erasure(erasure, NOW)
    assert await paths_of(database, "documents", "erasures") == ["documents/d2", "documents/d2/chunks/0"]
    lines = [one.data for one in await database.tree("audit") if "erasure" in one.path]
    assert [(one["action"], one["rule"], one["conversation_id"]) for one in lines] == [
        ("erasure_completed", "document", ""), ("document_deleted", "document", "")]  # fmt: skip
    assert await store.uploads_of("u1") == [other]


async def test_vectors_are_kept_with_their_upload_searched_by_nearness_and_erased_with_it(store, database):
    vectors = DocumentPassageVectors(database)
    await added(store, "비밀", "환불")
    assert await vectors.nearest_passages("d1", (1.0, 0.0), 5) == {}
    for embedder in ("one/2", "two/2"):
        await vectors.keep_vectors("d1", embedder, {"article-1": (0.6, 0.8), "article-2": (1.0, 0.0)})
        assert (await store.upload("d1")).embedder == embedder
    near = await vectors.nearest_passages("d1", (1.0, 0.0), 5)
    assert list(near.items()) == [("article-2", pytest.approx(1.0)), ("article-1", pytest.approx(0.6))]
    assert list(await vectors.nearest_passages("d1", (0.0, 1.0), 1)) == ["article-1"]
    assert (await store.uploaded(await store.upload("d1"))).embedder == "two/2"
    await store.erase_upload("d1")
    assert await paths_of(database, "documents") == []


async def test_vectors_that_come_after_their_upload_was_deleted_are_not_stored(store, database):
    await added(store, "비밀")
    many = {f"article-{number}": (1.0, float(number)) for number in range(AT_ONCE + 1)}
    vectors = DocumentPassageVectors(database)
    await vectors.keep_vectors("d1", "one/2", many)
    assert len(await database.tree("documents/d1/vectors")) == len(many)
    await store.erase_upload("d1")
    with pytest.raises(VersionConflict):
        await vectors.keep_vectors("d1", "one/2", many)
    assert await paths_of(database, "documents") == []
