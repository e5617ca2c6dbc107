"""A person's rights over all they have: the export, and what the audit trail keeps of both."""

import asyncio
from itertools import count, product

import pytest

from functions.chat.use_cases.export import PROFILE
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.contracts.retrieval import PersonExport
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from tests.builders.erasing import erase_everything
from tests.unit.functions.chat.conftest import ALL, FOLLOW_UP, GREETING, OPENING


async def test_the_export_holds_the_profile_and_every_conversation_as_one_file(world, ann):
    nothing = (await ann.get("/api/me/export")).json()
    assert (nothing["user_id"], nothing["profile"], nothing["conversations"]) == ("ann", None, [])
    world.clock.seconds = count(60)
    mine, *_ = conversations = [await world.conversation("ann") for _ in range(4)]
    await world.conversation("bob")
    response = await ann.get("/api/me/export")
    assert response.headers["content-disposition"] == 'attachment; filename="cbot-me.json"'
    assert response.headers["cache-control"] == "no-store"
    told = PersonExport.model_validate(response.json())
    assert {one.conversation_id for one in told.conversations} == {*conversations}
    assert told.profile["consents"]["terms"]["granted"] is True
    paths = {document.path for one in told.conversations for document in one.documents}
    assert {f"sessions/{mine}", f"mailboxes/{mine}", f"conversations/{mine}/messages/0-counselor"} <= paths
    assert "bob" not in response.text


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
    await world.damage(f"conversations/{mine}", progress="broken")
    told = PersonExport.model_validate((await ann.get("/api/me/export")).json())
    assert {one.conversation_id for one in told.conversations} == {mine, other}
    assert told.unreadable == ()


async def test_what_was_taken_along_and_erased_is_audited_once_each_and_names_nobody(world, ann, mine):
    other = await world.conversation("ann")
    await ann.get(f"{ALL}/{mine}/export")
    await ann.get("/api/me/export")
    for path in (f"{ALL}/{mine}", "/api/me"):
        for _ in range(2):
            await ann.delete(path)
    kept = await world.audit()
    lines = [(one["action"], one["rule"], one["conversation_id"]) for one in kept]
    both = (("conversation", mine), ("everything", ""))
    actions = ("export", "erasure_requested", "erasure_completed")
    assert sorted(line for line in lines if line[0] != "consent_given") == sorted(
        (action, *what) for action, what in product(actions, both)
    )
    assert {line[2] for line in lines} == {mine, other, ""}
    assert not [words for words in ("'ann'", GREETING, "Bearer") if words in str(kept)]


class StoreErasedWhileOpening(DocumentConversationStore):
    """Erases the user between the reading of their document and the creation over it, when a test says so."""

    now = False

    async def create(self, state, *rest):
        if self.now:
            self.now = False
            await erase_everything(self, state.user_id)
        await super().create(state, *rest)


@pytest.mark.parametrize("store", [StoreErasedWhileOpening])
async def test_a_conversation_that_was_being_opened_while_all_was_erased_is_not_opened(world, ann, mine):
    world.store.now = True
    response = await ann.post(ALL, json=FOLLOW_UP)
    assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")
    assert await world.paths("sessions", "mailboxes", "conversations", "users") == []
    assert (await ann.post(ALL, json=FOLLOW_UP)).status_code == 201, "a new request is a new beginning"


async def test_two_conversations_opened_at_once_are_both_there(world, ann):
    answers = await asyncio.gather(*(ann.post(ALL, json=OPENING) for _ in range(4)))
    assert [answer.status_code for answer in answers] == [201] * 4
    assert len(await world.store.views_of("ann", None, 10)) == 4
