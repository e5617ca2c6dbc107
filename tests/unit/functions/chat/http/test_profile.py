"""The profile: shown to its owner, carried into a follow-up, and without the words of deleted conversations."""

import asyncio
from datetime import UTC, datetime, timedelta

from shared.domain.counseling.profile import KeptGoal, KeptPersona, LastSession, Profile
from shared.ports.user_store import VersionedUser
from tests.unit.functions.chat.conftest import ALL, interrupt

AT = datetime(2026, 10, 1, tzinfo=UTC)
EMPTY = {
    **dict.fromkeys(("name", "persona", "last_session", "updated_at", "expire_at")),
    **dict.fromkeys(("summary", "next_plan"), ""),
    "goals": [],
    "sessions": 0,
    "under_14": False,
}


def profile(conversation_id="c1"):
    return Profile(
        user_id="ann",
        updated_at=AT,
        expire_at=AT + timedelta(days=365),
        name="민지",
        persona=KeptPersona(type="Type_B", counseling_level=2, updated_at=AT),
        summary="발표 앞의 두려움을 나눴어요.",
        goals=(KeptGoal(goal="덜 떨기", conversation_id=conversation_id),),
        next_plan="떨리는 순간을 함께 살펴봐요.",
        last_session=LastSession(conversation_id=conversation_id, session_type="first_session", ended_at=AT),
        sessions=1,
        merged=(conversation_id,),
    )


async def keep(store, kept):
    """Store a profile with the consents of the stored one."""
    found = await store.user(kept.user_id, Profile)
    kept = kept.model_copy(update={"consents": found.document.consents if found else {}})
    await store.save_user(VersionedUser(kept, found.version if found else None))
    return kept


async def shown_to(client):
    return (await client.get("/api/me")).json()["profile"]


async def test_a_user_sees_their_own_profile_and_no_other(world, ann, bob):
    assert (await ann.get("/api/me")).json() == {"user_id": "ann", "profile": EMPTY}
    await keep(world.store, profile())
    shown = await shown_to(ann)
    assert (shown["name"], shown["summary"], shown["goals"]) == ("민지", "발표 앞의 두려움을 나눴어요.", ["덜 떨기"])
    assert (shown["next_plan"], shown["sessions"]) == ("떨리는 순간을 함께 살펴봐요.", 1)
    assert (shown["persona"]["type"], shown["persona"]["counseling_level"]) == ("Type_B", 2)
    assert shown["last_session"]["conversation_id"] == "c1"
    assert await shown_to(bob) == EMPTY
    async with world.client(None) as client:
        assert (await client.get("/api/me")).status_code == 401


async def test_a_follow_up_or_closing_session_carries_the_profile_and_a_first_session_does_not(world):
    async def opened(session_type):
        return (await world.state(await world.conversation("ann", session_type=session_type))).carried

    assert await opened("follow_up") is None
    await keep(world.store, profile())
    for session_type in ("follow_up", "closing"):
        carried = await opened(session_type)
        assert (carried.summary, carried.goals) == ("발표 앞의 두려움을 나눴어요.", ("덜 떨기",))
    assert await opened("first_session") is None


async def test_deleting_a_conversation_removes_its_words_from_the_profile_and_keeps_the_rest(ann, bob, world, mine):
    await keep(world.store, profile(mine))
    assert (await bob.delete(f"{ALL}/{mine}")).status_code == 404
    assert (await shown_to(ann))["summary"]
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    shown = await shown_to(ann)
    assert (shown["summary"], shown["goals"], shown["next_plan"], shown["last_session"]) == ("", [], "", None)
    assert (shown["name"], shown["persona"]["counseling_level"], shown["sessions"]) == ("민지", 2, 1)
    assert (await ann.delete("/api/me")).status_code == 204
    assert await shown_to(ann) == EMPTY


async def test_words_that_a_closing_stores_during_the_deletion_are_removed(ann, world, mine):
    async def closing():
        session, found = (await world.store.load(mine)).session, await world.store.user("ann", Profile)
        kept = VersionedUser(profile(mine), found.version)
        await world.store.save_state(session, await world.store.view(mine), user=kept)

    interrupt(world.database, "commit", closing)
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    shown = await shown_to(ann)
    assert (shown["summary"], shown["sessions"]) == ("", 1)


async def test_a_profile_that_a_closing_creates_during_the_users_deletion_is_deleted(ann, world, mine):
    hide = world.store.hide_everything

    async def hide_before_a_closing(user_id, *given):
        hidden = await hide(user_id, *given)
        if hidden and hidden.conversations:
            await keep(world.store, profile("c1"))
        return hidden

    world.store.hide_everything = hide_before_a_closing
    assert (await ann.delete("/api/me")).status_code == 204
    assert await world.paths("users") == []


async def test_the_words_of_two_conversations_deleted_at_once_are_removed(ann, world, mine):
    other = await world.conversation("ann")
    goals = tuple(KeptGoal(goal=f"바람 {one}", conversation_id=one) for one in (mine, other, "kept"))
    await keep(world.store, profile(mine).model_copy(update={"goals": goals}))
    done = await asyncio.gather(*(ann.delete(f"{ALL}/{one}") for one in (mine, other)))
    assert [response.status_code for response in done] == [204, 204]
    shown = await shown_to(ann)
    assert (shown["summary"], shown["goals"]) == ("", ["바람 kept"])
