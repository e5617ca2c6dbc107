"""The words of an erased conversation are removed from the profile and from the conversations that followed it."""

from datetime import timedelta

import pytest

from shared.contracts.events import Done
from shared.domain.counseling.profile import KeptGoal, LastSession, Profile, kept_until
from shared.domain.counseling.sources import Source
from shared.engine.admission import Incoming
from shared.ports.user_store import VersionedUser
from tests.builders.answers import reads
from tests.builders.talk import Talk
from tests.unit.functions.chat.conftest import ALL, FOLLOW_UP, interrupt

SUMMARY, GOAL, PLAN = (
    "박부장이 소리를 질러서 무서웠다고 했어요.",
    "그림을 다시 그리고 싶어요",
    "퇴사를 함께 생각해 봐요.",
)
OTHERS_GOAL = "잠을 푹 자고 싶어요"


async def close_into_profile(world, conversation_id, goals=(GOAL,)):
    """Write what a conversation's closing keeps into the user's profile."""
    found = await world.store.user("ann", Profile)
    kept = tuple(KeptGoal(goal=goal, conversation_id=conversation_id) for goal in goals)
    last = LastSession(conversation_id=conversation_id, session_type="first_session", ended_at=world.clock.now())
    others = KeptGoal(goal=OTHERS_GOAL, conversation_id="older")
    update = {"summary": SUMMARY, "next_plan": PLAN, "goals": (*kept, others), "last_session": last}
    profile = found.document.model_copy(update=update)
    await world.store.save_user(VersionedUser(kept_until(profile, profile.expire_at), found.version))


async def follow_up(ann, locale="ko"):
    opened = (await ann.post(ALL, json={**FOLLOW_UP, "locale": locale})).json()
    return opened["conversation_id"], opened["greeting"]["text"]


@pytest.fixture
async def later(world, ann, mine):
    """A follow-up of Ann's conversation."""
    await close_into_profile(world, mine)
    return (await follow_up(ann))[0]


async def everything(world):
    trees = [await world.database.tree(name) for name in ("sessions", "conversations", "mailboxes", "users")]
    return str([(document.path, document.data) for tree in trees for document in tree])


def words_in(text, *more):
    return [words for words in (SUMMARY, GOAL, PLAN, *more) if words in text]


async def forgotten(world, conversation_id):
    return not words_in(str((await world.state(conversation_id)).carried))


@pytest.mark.parametrize("locale", ["ko", "en"])
async def test_no_document_holds_words_or_the_id_of_an_erased_conversation(world, ann, mine, locale):
    await close_into_profile(world, mine)
    later, greeting = await follow_up(ann, locale)

    async def kept_until_then():
        (document,) = await world.database.get([f"conversations/{later}/messages/0-counselor"])
        return document.data["expire_at"]

    before = await kept_until_then()
    assert GOAL in greeting
    assert SUMMARY in await everything(world)
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204

    assert words_in(await everything(world), f"'{mine}'") == []
    carried = (await world.state(later)).carried
    assert (carried.goals, carried.goals_from) == ((OTHERS_GOAL,), ("older",)), "goals of other conversations stay"
    page = (await ann.get(f"{ALL}/{later}/messages")).json()["messages"]
    assert page[0]["text"].startswith(greeting.split()[0])
    assert page[0]["text"].startswith((await ann.get(f"{ALL}/{later}")).json()["last_message"].removesuffix("…"))
    assert await kept_until_then() - before < timedelta(seconds=5), "rewriting the greeting extends no retention"


async def say(world, conversation_id, text, meanwhile=None, told=None):
    """Have a message answered by the real engine; `meanwhile` runs before the Counselor speaks."""
    stream = world.model.stream

    async def streamed(request):
        if meanwhile is not None and request.agent == "counselor":
            await meanwhile()
        async for chunk in stream(request):
            yield chunk

    world.model.scripts |= Talk().model.scripts | {"reader": reads(told=told)}
    world.model.stream = streamed
    answered = await world.parts.turns.submit(Incoming("ann", conversation_id, f"m-{text}", text))
    assert isinstance(await answered.end(), Done)


async def test_an_export_holds_the_turn_and_the_words_of_a_value(world, ann, mine):
    await say(world, mine, "지민이라고 불러 주세요", told={"name": "지민"})
    exported = (await ann.get(f"{ALL}/{mine}/export")).json()["documents"]
    (session,) = [document["fields"] for document in exported if document["path"] == f"sessions/{mine}"]
    assert session["user_info"] == {"name": "지민"}
    assert session["info_sources"]["name"] == {"seq": 1, "quote": "지민이라고 불러 주세요", "conversation_id": None}


@pytest.mark.parametrize("during_a_turn", [False, True])
async def test_no_record_of_a_later_turn_holds_words_of_an_erased_conversation(world, ann, mine, later, during_a_turn):
    async def deletion():
        assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204

    await say(world, later, "안녕하세요.", deletion if during_a_turn else None)
    if not during_a_turn:
        await deletion()
    assert len(words_in(world.model.asked("counselor")[0].system)) == 3, "the prompt held the carried words"
    left = await everything(world) + (await ann.get(f"{ALL}/{later}/export")).text
    assert words_in(left, f"'{mine}'") == []
    (turn,) = await world.database.tree(f"sessions/{later}/turns")
    assert turn.data["directive"]["carried"] is not None, "the record says that something was carried over"


async def test_the_words_in_which_a_carried_name_was_said_are_erased_with_their_conversation(world, ann, mine):
    found = await world.store.user("ann", Profile)
    source = Source(seq=2, quote="앤이라고 불러 주세요", conversation_id=mine)
    named = found.document.model_copy(update={"name": "앤", "name_source": source})
    await world.store.save_user(VersionedUser(named, found.version))
    later, _ = await follow_up(ann)
    assert (await world.state(later)).info_sources == {"name": source}
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    left = await everything(world)
    assert (source.quote in left, f"'{mine}'" in left) == (False, False)
    assert (await world.state(later)).user_info == {"name": "앤"}


async def test_a_greeting_that_quotes_another_conversation_is_left_unchanged(world, ann, mine):
    await close_into_profile(world, mine, goals=())
    later, greeting = await follow_up(ann)
    assert OTHERS_GOAL in greeting
    await ann.delete(f"{ALL}/{mine}")
    assert (await world.store.messages(later, -1, 1))[0].text == greeting
    assert await forgotten(world, later)


async def test_earlier_conversations_and_those_of_other_users_are_left_unchanged(world, ann, mine):
    theirs, second = [await world.conversation(user) for user in ("bob", "ann")]
    await close_into_profile(world, second)
    before = [await world.store.load(one) for one in (mine, theirs)]
    await follow_up(ann)
    await ann.delete(f"{ALL}/{second}")
    assert [await world.store.load(one) for one in (mine, theirs)] == before
    assert GOAL not in await everything(world)


async def test_a_follow_up_opened_during_the_erasure_loses_the_erased_words(world, ann, mine):
    await close_into_profile(world, mine)
    interrupt(world.store, "hide_conversation", lambda: follow_up(ann))
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    assert len(await world.store.conversations_of("ann")) == 1
    assert words_in(await everything(world)) == []


async def test_unreadable_sessions_and_views_do_not_block_the_erasure_of_another_conversation(world, ann, mine, later):
    await world.damage(f"sessions/{await world.conversation('ann')}", status="broken")
    await world.damage(f"conversations/{await world.conversation('ann')}", progress="broken")
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    assert await world.store.view(mine) is None
    assert await forgotten(world, later)


async def test_an_erasure_is_retried_while_newer_code_wrote_a_session_and_reaches_the_others(world, ann, mine, later):
    newer = f"sessions/{await world.conversation('ann')}"
    await world.damage(newer, schema_version=999)
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 202
    assert await forgotten(world, later)
    await world.damage(newer, schema_version=1)
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
