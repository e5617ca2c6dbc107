import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.domain.errors import DocumentUnreadable

ALL = "/api/conversations"


async def test_the_export_holds_everything_as_a_file(ann, mine):
    response = await ann.get(f"{ALL}/{mine}/export")
    assert response.headers["content-disposition"] == f'attachment; filename="cbot-{mine}.json"'
    paths = [document["path"] for document in response.json()["documents"]]
    assert f"conversations/{mine}" in paths
    assert f"sessions/{mine}" in paths
    assert "저는 AI예요." in response.text


async def test_a_deleted_conversation_is_gone_with_all_that_hung_on_it(world, ann, mine):
    response = await ann.delete(f"{ALL}/{mine}")
    assert (response.status_code, response.content) == (204, b"")
    assert (await ann.get(f"{ALL}/{mine}")).status_code == 404
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 404
    assert await world.store.export(mine) == []


async def test_deleting_me_deletes_mine_only(world, ann, bob, mine):
    other = await world.conversation("bob")
    assert (await ann.delete("/api/me")).status_code == 204
    assert (await ann.delete("/api/me")).status_code == 204
    assert (await ann.get(ALL)).json()["conversations"] == []
    assert (await bob.get(f"{ALL}/{other}")).status_code == 200


async def test_a_turn_of_what_is_erased_is_broken_off(world, ann, mine):
    other, third = await world.conversation("ann"), await world.conversation("ann")
    await world.conversation("bob")
    await ann.delete(f"{ALL}/{mine}")
    assert world.turns.stopped == [mine]
    await ann.delete("/api/me")
    assert sorted(world.turns.stopped) == sorted([mine, other, third])


async def test_who_comes_back_and_erases_everything_again_gets_another_line(world, ann, mine):
    assert (await ann.delete("/api/me")).status_code == 204
    again = await world.conversation("ann")
    assert (await ann.delete("/api/me")).status_code == 204, "a second life of theirs has a line of its own"
    assert await world.store.view(again) is None
    lines = [document.data for document in await world.database.tree("audit")]
    assert [one["rule"] for one in lines if one["action"] == "erasure_completed"] == ["everything"] * 2


class StoreOfAnUnreadableProfile(DocumentConversationStore):
    unreadable = False

    async def user(self, user_id, model):
        if self.unreadable:
            raise DocumentUnreadable(f"users/{user_id}", "x")
        return await super().user(user_id, model)


@pytest.mark.parametrize("store", [StoreOfAnUnreadableProfile])
async def test_a_profile_that_cannot_be_read_is_erased_and_audited(world, ann, mine):
    await world.store.erase(mine)
    world.store.unreadable = True
    assert (await ann.delete("/api/me")).status_code == 204
    assert await world.database.tree("users") == []
    lines = [document.data for document in await world.database.tree("audit")]
    assert [one["rule"] for one in lines if one["action"] == "erasure_completed"] == ["everything"]


async def test_deleting_me_is_audited_when_there_was_a_profile_alone(world, ann, mine):
    await ann.delete(f"{ALL}/{mine}")
    await ann.delete("/api/me")
    await ann.delete("/api/me")
    lines = [document.data for document in await world.database.tree("audit")]
    assert [one["rule"] for one in lines if one["action"] == "erasure_completed"].count("everything") == 1
