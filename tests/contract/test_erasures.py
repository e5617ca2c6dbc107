"""The contract of `ErasureStore`: `DocumentConversationStore` over each database."""

import asyncio
from datetime import timedelta

import pytest

from shared.adapters.documents.erasures import HIDDEN_AT_ONCE
from shared.domain.erasure import Erasure
from shared.domain.errors import DocumentExists, VersionConflict
from shared.ports.user_store import VersionedUser
from tests.builders.conversations import LATER, Card, card, first, opened, write
from tests.builders.erasing import erase_everything
from tests.builders.sessions import NOW


def erasure(name="c1", requested_at=NOW):
    what = {"erasure_id": name, "user_id": "u1", "everything": False, "conversations": (name,)}
    return Erasure(**what, opened_at=NOW, requested_at=requested_at)


def reading(user=None):
    async def read():
        return user

    return read


async def paths_of(database, *collections):
    return [document.path for name in collections for document in await database.tree(name)]


async def shown(store, name):
    """Return the documents and list entries of a conversation that a reader can see."""
    documents = [await store.load(name), await store.view(name), await store.mailbox(name)]
    listed = [view.conversation_id for view in await store.views_of("u1", None, 10)]
    listed += await store.conversations_of("u1")
    return [one for one in documents if one is not None] + [one for one in listed if one == name]


async def test_hiding_a_conversation_changes_its_user_document_and_audits_or_does_nothing(store, database):
    async def written_by_a_job():
        """Write to the session after its version was read."""
        await write(store, (await store.load("c1")).session)

    await opened(store, "c1", first("of c1"))
    await opened(store, "c2")
    read = await store.user("u1", Card)
    for reads in (reading(VersionedUser(card("late"), "1.000000000")), written_by_a_job):
        with pytest.raises(VersionConflict):
            await store.hide_conversation(erasure(), reads)
    assert await shown(store, "c1")
    assert await paths_of(database, "erasures", "audit") == []
    await store.hide_conversation(erasure(), reading(VersionedUser(card(), read.version)))
    assert await shown(store, "c1") == []
    assert await shown(store, "c2")
    assert (await store.user("u1", Card)).document.words == ()
    assert (await store.erasure("c1"), await store.erasures_of("u1")) == (erasure(), [erasure()])
    assert await paths_of(database, "audit") == ["audit/c1-erasure-requested"]
    with pytest.raises(DocumentExists):
        await store.hide_conversation(erasure(), reading())


async def test_an_erasure_ends_once_and_leaves_only_its_audit_lines(store, database):
    await opened(store, "c1")
    await store.hide_conversation(erasure(), reading())
    assert await paths_of(database, "conversations") == ["conversations/c1/messages/0-counselor"]
    for at in (NOW, LATER):
        await store.erase("c1")
        await store.end_erasure(erasure(), at)
    assert await store.erasure("c1") is None
    assert await paths_of(database, "sessions", "conversations", "mailboxes", "erasures") == []
    lines = [document.data for document in await database.tree("audit")]
    entries = [(line["action"], line["at"], line["conversation_id"], line["rule"]) for line in lines]
    assert sorted(entries) == [(f"erasure_{what}", NOW, "c1", "conversation") for what in ("completed", "requested")]
    assert "u1" not in str(lines)


async def test_the_sweep_finds_old_erasure_requests_in_pages(store):
    for number in range(4):
        await store.hide_conversation(erasure(f"c{number}", NOW + timedelta(minutes=number)), reading())
    until = NOW + timedelta(minutes=2)
    found = await store.erasures(until, None, 2)
    assert [one.erasure_id for one in found] == ["c0", "c1"]
    assert [one.erasure_id for one in await store.erasures(until, found[-1].requested_at, 2)] == ["c2"]


async def test_everything_of_a_user_is_hidden_in_batches_and_later_conversations_stay(store):
    numbers = range(1, HIDDEN_AT_ONCE + 2)
    others = (opened(store, f"c{n}", created_at=NOW + timedelta(seconds=n)) for n in numbers)
    await opened(store, "c0", first("하나"))
    await asyncio.gather(opened(store, "x1", user_id="u2"), *others)
    hidden = await store.hide_everything("u1", NOW, "spare")
    assert (hidden.erasure_id, len(hidden.conversations)) == ("c2", HIDDEN_AT_ONCE)
    assert await store.user("u1", Card) is None
    assert await store.conversations_of("u1") == ["c1", "c0"]
    await opened(store, "later", first("둘"), created_at=LATER)
    second = await store.hide_everything("u1", NOW, "spare", hidden.older_than)
    assert (second.conversations, second.older_than) == (("c1", "c0"), None)
    assert await store.hide_everything("u1", NOW, "spare", hidden.older_than) is None
    assert await store.conversations_of("u1") == ["later"]
    assert (await store.user("u1", Card)).document.words == ("둘",)
    assert await store.view("x1") is not None
    assert {one.erasure_id for one in await store.erasures_of("u1")} == {"c2", "c0"}


async def test_a_user_document_without_conversations_is_erased_and_audited(store, database):
    assert await erase_everything(store, "u1") is None
    await store.save_user(first("하나"))
    assert (await erase_everything(store, "u1")).conversations == ()
    assert await paths_of(database, "users", "erasures") == []
    assert [document.data["rule"] for document in await database.tree("audit")] == ["everything"] * 2


async def test_a_conversation_opened_during_an_erasure_of_everything_is_erased_or_not_opened(store, database):
    await opened(store, "c0", first("하나"))
    read = await store.user("u1", Card)
    opening = (opened(store, f"c{n}", VersionedUser(card(f"c{n}"), read.version)) for n in range(1, 5))
    *results, erased = await asyncio.gather(*opening, erase_everything(store, "u1"), return_exceptions=True)
    assert "c0" in erased.conversations
    assert not any(isinstance(one, Exception) and not isinstance(one, VersionConflict) for one in results)
    assert await paths_of(database, "sessions", "conversations", "mailboxes", "users", "erasures") == []


async def test_a_conversation_opened_after_the_user_document_was_read_is_hidden_too(store, database, monkeypatch):
    query = database.query

    async def open_then_query(given):
        """Open a conversation before the conversations are listed."""
        monkeypatch.setattr(database, "query", query)
        await opened(store, "c2", VersionedUser(card("둘"), (await store.user("u1", Card)).version))
        return await query(given)

    await opened(store, "c1", first("하나"))
    monkeypatch.setattr(database, "query", open_then_query)
    assert set((await store.hide_everything("u1", NOW, "spare")).conversations) == {"c1", "c2"}
    assert await store.user("u1", Card) is None
