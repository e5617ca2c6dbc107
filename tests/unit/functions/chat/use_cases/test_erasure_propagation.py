"""What an erased conversation told is in no document any more: neither in the profile nor in what followed on it."""

from datetime import timedelta

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.contracts.events import Done
from shared.domain.counseling.profile import KeptGoal, LastSession, Profile, kept_until
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.engine.admission import Incoming
from shared.ports.user_store import VersionedUser
from tests.builders.answers import task_completion, user_state_reading
from tests.unit.functions.chat.conftest import ALL, FOLLOW_UP

SUMMARY, GOAL, PLAN = (
    "박부장이 소리를 질러서 무서웠다고 했어요.",
    "그림을 다시 그리고 싶어요",
    "퇴사를 함께 생각해 봐요.",
)
OTHERS_GOAL = "잠을 푹 자고 싶어요"


async def told(world, conversation_id, goals=(GOAL,)):
    """Take a conversation's closing into its person's profile."""
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
    """A conversation that follows on what Ann told in hers."""
    await told(world, mine)
    return (await follow_up(ann))[0]


async def everything(world):
    trees = [await world.database.tree(name) for name in ("sessions", "conversations", "mailboxes", "users")]
    return str([(document.path, document.data) for tree in trees for document in tree])


def words_in(text, *more):
    return [words for words in (SUMMARY, GOAL, PLAN, *more) if words in text]


async def forgotten(world, conversation_id):
    return not words_in(str((await world.state(conversation_id)).carried))


@pytest.mark.parametrize("locale", ["ko", "en"])
async def test_no_document_holds_any_of_its_words_or_its_id(world, ann, mine, locale):
    await told(world, mine)
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
    assert (carried.goals, carried.goals_from) == ((OTHERS_GOAL,), ("older",)), "what others told stays"
    page = (await ann.get(f"{ALL}/{later}/messages")).json()["messages"]
    assert page[0]["text"].startswith(greeting.split()[0])
    assert page[0]["text"].startswith((await ann.get(f"{ALL}/{later}")).json()["last_message"].removesuffix("…"))
    assert await kept_until_then() - before < timedelta(seconds=5), "it is kept no longer for being told anew"


async def say(world, conversation_id, text, meanwhile=None):
    """Have a message answered by the counselling service itself, while something happens."""
    stream = world.model.stream

    async def streamed(request):
        if meanwhile is not None:
            await meanwhile()
        async for chunk in stream(request):
            yield chunk

    unhurried = {
        "task_completion_checker": task_completion(complete=False),
        "user_state_detector": user_state_reading(),
    }
    world.model.scripts.update(unhurried, counselor="그러셨군요. 조금 더 들려주시겠어요?")
    world.model.stream = streamed
    answered = await world.parts.turns.submit(Incoming("ann", conversation_id, f"m-{text}", text))
    assert isinstance(await answered.end(), Done)


@pytest.mark.parametrize("during_a_turn", [False, True])
async def test_no_record_of_a_later_turn_holds_any_of_its_words(world, ann, mine, later, during_a_turn):
    async def deletion():
        assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204

    await say(world, later, "안녕하세요.", deletion if during_a_turn else None)
    if not during_a_turn:
        await deletion()
    assert len(words_in(world.model.asked("counselor")[0].system)) == 3, "it was told of it"
    left = await everything(world) + (await ann.get(f"{ALL}/{later}/export")).text
    assert words_in(left, f"'{mine}'") == []
    (turn,) = await world.database.tree(f"sessions/{later}/turns")
    assert turn.data["directive"]["carried"] is not None, "that something was carried over is known"


async def test_a_greeting_that_took_up_anothers_words_stays_as_it_is(world, ann, mine):
    await told(world, mine, goals=())
    later, greeting = await follow_up(ann)
    assert OTHERS_GOAL in greeting
    await ann.delete(f"{ALL}/{mine}")
    assert (await world.store.messages(later, -1, 1))[0].text == greeting
    assert await forgotten(world, later)


async def test_conversations_before_it_and_of_others_are_left_alone(world, ann, mine):
    theirs, second = [await world.conversation(user) for user in ("bob", "ann")]
    await told(world, second)
    before = [await world.store.load(one) for one in (mine, theirs)]
    await follow_up(ann)
    await ann.delete(f"{ALL}/{second}")
    assert [await world.store.load(one) for one in (mine, theirs)] == before
    assert GOAL not in await everything(world)


class StoreOfALateFollowUp(DocumentConversationStore):
    """Opens a follow-up just before a conversation is hidden."""

    meanwhile = None

    async def hide_conversation(self, erasure, read_without):
        if self.meanwhile is not None:
            await self.meanwhile()
        await super().hide_conversation(erasure, read_without)


@pytest.mark.parametrize("store", [StoreOfALateFollowUp])
async def test_a_follow_up_that_was_opened_meanwhile_forgets_it_too(world, ann, mine):
    await told(world, mine)
    world.store.meanwhile = lambda: follow_up(ann)
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    assert len(await world.store.conversations_of("ann")) == 1
    assert words_in(await everything(world)) == []


class StoreOfABrokenSession(DocumentConversationStore):
    """Holds a session that no code of ours has written, or that newer code has."""

    broken, error = None, DocumentUnreadable

    async def load(self, conversation_id):
        if conversation_id == self.broken:
            raise self.error(f"sessions/{conversation_id}", "x")
        return await super().load(conversation_id)


@pytest.mark.parametrize("store", [StoreOfABrokenSession])
async def test_a_session_that_cannot_be_read_holds_up_no_erasure(world, ann, mine):
    await told(world, mine)
    world.store.broken = await world.conversation("ann")
    later, _ = await follow_up(ann)
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    assert await world.store.view(mine) is None
    assert await forgotten(world, later)


async def test_a_view_that_cannot_be_read_holds_up_no_erasure_of_another(world, ann, mine, later):
    await world.damage(f"conversations/{await world.conversation('ann')}", progress="broken")
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    assert await forgotten(world, later)


@pytest.mark.parametrize("store", [StoreOfABrokenSession])
async def test_one_that_newer_code_wrote_is_to_be_tried_again_and_spares_no_other(world, ann, mine, later):
    world.store.broken, world.store.error = await world.conversation("ann"), DocumentTooNew
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 202
    assert await forgotten(world, later)
    world.store.broken = None
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
