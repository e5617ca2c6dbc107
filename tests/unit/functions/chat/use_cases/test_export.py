"""A user's export of all their data, and what the audit trail keeps of exports and erasures."""

import asyncio
from itertools import count, product

from functions.chat.use_cases.export import PROFILE
from shared.contracts.person_export import PersonExport
from shared.domain.errors import DocumentTooNew
from tests.builders.erasing import erase_everything
from tests.unit.functions.chat.conftest import ALL, FOLLOW_UP, GREETING, OPENING, interrupt


async def test_the_users_export_holds_the_profile_and_every_conversation_in_one_file(world, ann):
    nothing = (await ann.get("/api/me/export")).json()
    assert (nothing["user_id"], nothing["profile"], nothing["conversations"]) == ("ann", None, [])
    world.clock.seconds = count(60)
    mine, *_ = conversations = [await world.conversation("ann") for _ in range(4)]
    await world.conversation("bob")
    response = await ann.get("/api/me/export")
    assert response.headers["content-disposition"] == 'attachment; filename="cbot-me.json"'
    assert response.headers["cache-control"] == "no-store"
    exported = PersonExport.model_validate(response.json())
    assert {one.conversation_id for one in exported.conversations} == {*conversations}
    assert exported.profile["consents"]["terms"]["granted"] is True
    paths = {document.path for one in exported.conversations for document in one.documents}
    assert {f"sessions/{mine}", f"mailboxes/{mine}", f"conversations/{mine}/messages/0-counselor"} <= paths
    assert "bob" not in response.text


async def test_the_export_names_what_is_unreadable_and_holds_the_rest_even_with_a_broken_view(world, ann, mine):
    other, export = await world.conversation("ann"), world.store.export

    async def export_of_others(conversation_id):
        if conversation_id == mine:
            raise DocumentTooNew(f"sessions/{conversation_id}", "x")
        return await export(conversation_id)

    world.store.export = export_of_others
    await world.damage("users/ann", sessions="broken")
    await world.damage(f"conversations/{other}", progress="broken")
    exported = PersonExport.model_validate((await ann.get("/api/me/export")).json())
    assert exported.unreadable == (PROFILE, mine)
    assert (exported.profile, [one.conversation_id for one in exported.conversations]) == (None, [other])


async def test_each_export_and_erasure_is_audited_once_without_the_users_id(world, ann, mine):
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


async def test_opening_a_conversation_fails_when_the_user_is_erased_meanwhile(world, ann, mine):
    interrupt(world.store, "create", lambda: erase_everything(world.store, "ann"))
    response = await ann.post(ALL, json=FOLLOW_UP)
    assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")
    assert await world.paths("sessions", "mailboxes", "conversations", "users") == []
    assert (await ann.post(ALL, json=FOLLOW_UP)).status_code == 201, "a new request succeeds"


async def test_conversations_opened_at_once_are_all_created(world, ann):
    answers = await asyncio.gather(*(ann.post(ALL, json=OPENING) for _ in range(4)))
    assert [answer.status_code for answer in answers] == [201] * 4
    assert len(await world.store.views_of("ann", None, 10)) == 4
