"""A person's rights over all they have: the export, and what the audit trail keeps of both."""

import asyncio

import pytest

from functions.chat.use_cases.export import PROFILE
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.contracts.retrieval import PersonExport
from shared.domain.errors import DocumentTooNew, DocumentUnreadable, StoreUnavailable
from shared.ports.document_writes import Put
from tests.support.erasing import erase_everything


async def audit(world):
    return [document.data for document in await world.database.tree("audit")]


async def test_the_export_holds_the_profile_and_every_conversation_as_one_file(world, ann, mine):
    conversations = {mine, *[await world.conversation("ann") for _ in range(3)]}
    await world.conversation("bob")
    response = await ann.get("/api/me/export")
    assert response.headers["content-disposition"] == 'attachment; filename="cbot-me.json"'
    assert response.headers["cache-control"] == "no-store"
    told = PersonExport.model_validate(response.json())
    assert {one.conversation_id for one in told.conversations} == conversations
    assert told.profile["consents"]["terms"]["granted"] is True
    paths = {document.path for one in told.conversations for document in one.documents}
    assert {f"sessions/{mine}", f"mailboxes/{mine}", f"conversations/{mine}/messages/0-counselor"} <= paths
    assert "bob" not in response.text


async def test_who_has_nothing_gets_a_file_that_says_so(ann):
    told = (await ann.get("/api/me/export")).json()
    assert (told["user_id"], told["profile"], told["conversations"]) == ("ann", None, [])


class StoreThatIsAway(DocumentConversationStore):
    async def conversations_of(self, user_id, since=None):
        raise StoreUnavailable("away")


@pytest.mark.parametrize("store", [StoreThatIsAway])
async def test_a_store_that_is_away_is_told_before_anything_else(ann):
    response = await ann.get("/api/me/export")
    assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")


class StoreOfADamage(DocumentConversationStore):
    """Cannot read one conversation, as newer code wrote it, nor the person's document."""

    damaged = None

    async def user(self, user_id, model):
        if self.damaged is not None:
            raise DocumentUnreadable(f"users/{user_id}", "x")
        return await super().user(user_id, model)

    async def export(self, conversation_id):
        if conversation_id == self.damaged:
            raise DocumentTooNew(f"sessions/{conversation_id}", "x")
        return await super().export(conversation_id)


@pytest.mark.parametrize("store", [StoreOfADamage])
async def test_what_cannot_be_read_is_named_and_keeps_nothing_else_back(world, ann, mine):
    other = await world.conversation("ann")
    world.store.damaged = mine
    told = PersonExport.model_validate((await ann.get("/api/me/export")).json())
    assert told.unreadable == (PROFILE, mine)
    assert (told.profile, [one.conversation_id for one in told.conversations]) == (None, [other])


async def test_a_view_that_nobody_can_read_is_taken_along_as_it_is(world, ann, mine):
    other = await world.conversation("ann")
    (document,) = await world.database.get([f"conversations/{mine}"])
    await world.database.commit([Put(document.path, {**document.data, "progress": "broken"})])
    told = PersonExport.model_validate((await ann.get("/api/me/export")).json())
    assert {one.conversation_id for one in told.conversations} == {mine, other}
    assert told.unreadable == ()


async def test_what_was_taken_along_and_erased_is_audited_once_each_and_names_nobody(world, ann, mine):
    other = await world.conversation("ann")
    await ann.get(f"/api/conversations/{mine}/export")
    await ann.get("/api/me/export")
    await ann.delete(f"/api/conversations/{mine}")
    await ann.delete(f"/api/conversations/{mine}")
    await ann.delete("/api/me")
    await ann.delete("/api/me")

    lines = [(one["action"], one["rule"], one["conversation_id"]) for one in await audit(world)]
    assert sorted(line for line in lines if line[0] != "consent_given") == sorted(
        [
            ("export", "conversation", mine),
            ("export", "everything", ""),
            ("erasure_requested", "conversation", mine),
            ("erasure_completed", "conversation", mine),
            ("erasure_requested", "everything", ""),
            ("erasure_completed", "everything", ""),
        ]
    )
    assert {line[2] for line in lines} == {mine, other, ""}
    kept = str(await audit(world))
    assert not any(word in kept for word in ("'ann'", "저는 AI예요", "Bearer"))


class StoreErasedWhileOpening(DocumentConversationStore):
    """Erases the user between the reading of their document and the creation over it, when a test says so."""

    now = False

    async def create(self, state, *rest):
        if self.now:
            self.now = False
            await erase_everything(self, state.user_id)
        await super().create(state, *rest)


@pytest.mark.parametrize("store", [StoreErasedWhileOpening])
async def test_a_conversation_that_was_being_opened_while_all_was_erased_is_not_opened(world, ann, mine, consents):
    world.store.now = True
    body = {"age_band": "adult", "consents": consents, "session_type": "follow_up"}
    response = await ann.post("/api/conversations", json=body)
    assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")
    left = [
        doc.path
        for name in ("sessions", "mailboxes", "conversations", "users")
        for doc in await world.database.tree(name)
    ]
    assert left == []
    assert (await ann.post("/api/conversations", json=body)).status_code == 201, "a new request is a new beginning"


async def test_two_conversations_opened_at_once_are_both_there(world, ann, consents):
    body = {"age_band": "adult", "consents": consents}
    answers = await asyncio.gather(*(ann.post("/api/conversations", json=body) for _ in range(4)))
    assert [answer.status_code for answer in answers] == [201] * 4
    assert len(await world.store.views_of("ann", None, 10)) == 4
