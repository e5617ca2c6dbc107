"""What an erased conversation told is in no document any more: neither in the profile nor in what followed on it."""

from datetime import timedelta

import pytest

from functions.chat.flows.counseling.manifest import counseling
from functions.chat.flows.counseling.opening import open_session
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.config.agents import agent_settings
from shared.content.catalogue import content
from shared.contracts.chat import CreateConversation
from shared.contracts.events import Done
from shared.domain.counseling.profile import KeptGoal, LastSession, Profile, kept_until
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.engine.admission import Admission, Incoming, Limits
from shared.engine.router import FlowRouter
from shared.engine.runner import AgentRunner
from shared.engine.turn_worker import TurnWorker
from shared.engine.turns import Turns
from shared.ports.document_writes import Put
from shared.ports.user_store import VersionedUser
from tests.fakes.answers import task_completion, user_state_reading
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

ALL = "/api/conversations"
SUMMARY, GOAL, PLAN = (
    "박부장이 소리를 질러서 무서웠다고 했어요.",
    "그림을 다시 그리고 싶어요",
    "퇴사를 함께 생각해 봐요.",
)
OTHERS_GOAL = "잠을 푹 자고 싶어요"


async def told(world, conversation_id, *, goals=(GOAL,), **more):
    """Take a conversation's closing into its person's profile."""
    found = await world.store.user("ann", Profile)
    kept = found.document.model_copy(
        update={
            "summary": SUMMARY,
            "next_plan": PLAN,
            "goals": (
                *(KeptGoal(goal=goal, conversation_id=conversation_id) for goal in goals),
                KeptGoal(goal=OTHERS_GOAL, conversation_id="older"),
            ),
            "last_session": LastSession(
                conversation_id=conversation_id, session_type="first_session", ended_at=world.clock.now()
            ),
            **more,
        }
    )
    await world.store.save_user(VersionedUser(kept_until(kept, kept.expire_at), found.version))


@pytest.fixture(autouse=True)
def real_openings(world):
    """Open sessions as the service does, with what is carried over."""

    def opened(user_id, request, now, known):
        return open_session(content(), f"c{next(world.numbers)}", user_id, request, now, known)

    object.__setattr__(world.api.service, "open_session", opened)


async def follow_up(ann, consents, locale="ko"):
    body = CreateConversation(locale=locale, age_band="adult", session_type="follow_up")
    sent = {**body.model_dump(mode="json", by_alias=True, exclude={"versions", "persona"}), "consents": consents}
    response = await ann.post(ALL, json=sent)
    return response.json()["conversation_id"], response.json()["greeting"]["text"]


async def everything(world):
    trees = [await world.database.tree(name) for name in ("sessions", "conversations", "mailboxes", "users")]
    return str([(document.path, document.data) for tree in trees for document in tree])


async def session_of(world, conversation_id):
    return (await world.store.load(conversation_id)).session.state


@pytest.mark.parametrize("locale", ["ko", "en"])
async def test_no_document_holds_any_of_its_words_or_its_id(world, ann, mine, consents, locale):
    await told(world, mine)
    later, greeting = await follow_up(ann, consents, locale)
    assert GOAL in greeting
    assert SUMMARY in await everything(world)

    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204

    left = await everything(world)
    for words in (SUMMARY, GOAL, PLAN, f"'{mine}'"):
        assert words not in left
    carried = (await session_of(world, later)).carried
    assert (carried.goals, carried.goals_from) == ((OTHERS_GOAL,), ("older",)), "what others told stays"
    page = (await ann.get(f"{ALL}/{later}/messages")).json()["messages"]
    assert page[0]["text"].startswith(greeting.split()[0])
    assert (await ann.get(f"{ALL}/{later}")).json()["last_message"] in page[0]["text"] + "…"


class ModelDuringWhich(ScriptedModel):
    """Lets something happen while the Counselor is being asked."""

    meanwhile = None

    async def stream(self, request):
        if self.meanwhile is not None:
            await self.meanwhile()
        async for chunk in super().stream(request):
            yield chunk


@pytest.fixture
def model():
    return ModelDuringWhich(
        {
            "counselor": "그러셨군요. 조금 더 들려주시겠어요?",
            "task_completion_checker": task_completion(complete=False),
            "user_state_detector": user_state_reading(),
        }
    )


async def say(world, model, conversation_id, text):
    """Have a message answered by the counselling service itself."""
    clock, policy, store = SettableClock(world.clock.now()), world.api.service.policy, world.store
    runner = AgentRunner(model, agent_settings(), clock)
    router = FlowRouter([counseling(content())])
    worker = TurnWorker(store, world.queue, router, policy, runner, lambda *told: told[2])
    turns = Turns(store, Admission(store, clock, Limits(), "one"), worker, clock, "one")
    answered = await (await turns.submit(Incoming("ann", conversation_id, f"m-{text}", text))).end()
    assert isinstance(answered, Done)


@pytest.mark.parametrize("during_a_turn", [False, True])
async def test_no_record_of_a_later_turn_holds_any_of_its_words(world, ann, mine, consents, model, during_a_turn):
    await told(world, mine)
    later, _ = await follow_up(ann, consents)

    async def deletion():
        assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204

    if during_a_turn:
        model.meanwhile = deletion
        await say(world, model, later, "안녕하세요.")
    else:
        await say(world, model, later, "안녕하세요.")
        await deletion()

    assert all(words in model.asked("counselor")[0].system for words in (SUMMARY, GOAL, PLAN)), "it was told of it"
    left = await everything(world) + (await ann.get(f"{ALL}/{later}/export")).text
    for words in (SUMMARY, GOAL, PLAN, f"'{mine}'"):
        assert words not in left
    (turn,) = await world.database.tree(f"sessions/{later}/turns")
    assert turn.data["directive"]["carried"] is not None, "that something was carried over is known"


async def test_a_greeting_that_took_up_anothers_words_stays_as_it_is(world, ann, mine, consents):
    await told(world, mine, goals=())
    later, greeting = await follow_up(ann, consents)
    assert OTHERS_GOAL in greeting
    await ann.delete(f"{ALL}/{mine}")
    assert (await world.store.messages(later, -1, 1))[0].text == greeting
    assert (await session_of(world, later)).carried.summary == ""


async def test_conversations_before_it_and_of_others_are_left_alone(world, ann, bob, mine, consents):
    theirs = await world.conversation("bob")
    second = await world.conversation("ann")
    await told(world, second)
    before = [await world.store.load(one) for one in (mine, theirs)]
    await follow_up(ann, consents)
    await ann.delete(f"{ALL}/{second}")
    assert [await world.store.load(one) for one in (mine, theirs)] == before
    assert GOAL not in await everything(world)


async def test_the_greeting_is_kept_no_longer_for_being_told_anew(world, ann, mine, consents):
    await told(world, mine)
    later, _ = await follow_up(ann, consents)

    async def expiry():
        (document,) = await world.database.get([f"conversations/{later}/messages/0-counselor"])
        return document.data["expire_at"]

    before = await expiry()
    await ann.delete(f"{ALL}/{mine}")
    assert await expiry() - before < timedelta(seconds=5)


class StoreOfALateFollowUp(DocumentConversationStore):
    """Opens a follow-up just before a conversation is hidden."""

    meanwhile = None

    async def hide_conversation(self, erasure, read_without):
        if self.meanwhile is not None:
            await self.meanwhile()
        await super().hide_conversation(erasure, read_without)


@pytest.mark.parametrize("store", [StoreOfALateFollowUp])
async def test_a_follow_up_that_was_opened_meanwhile_forgets_it_too(world, ann, mine, consents):
    await told(world, mine)
    world.store.meanwhile = lambda: follow_up(ann, consents)
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    left = await everything(world)
    assert len(await world.store.conversations_of("ann")) == 1
    assert SUMMARY not in left
    assert GOAL not in left


class StoreOfABrokenSession(DocumentConversationStore):
    """Holds a session that no code of ours has written."""

    broken = None

    async def load(self, conversation_id):
        if conversation_id == self.broken:
            raise DocumentUnreadable(f"sessions/{conversation_id}", "not a session")
        return await super().load(conversation_id)


@pytest.mark.parametrize("store", [StoreOfABrokenSession])
async def test_a_session_that_cannot_be_read_holds_up_no_erasure(world, ann, mine, consents):
    await told(world, mine)
    world.store.broken = await world.conversation("ann")
    later, _ = await follow_up(ann, consents)
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    assert await world.store.view(mine) is None
    assert SUMMARY not in str((await session_of(world, later)).carried)


async def test_a_view_that_cannot_be_read_holds_up_no_erasure_of_another(world, ann, mine, consents):
    await told(world, mine)
    later, _ = await follow_up(ann, consents)
    last = await world.conversation("ann")
    (document,) = await world.database.get([f"conversations/{last}"])
    await world.database.commit([Put(document.path, {**document.data, "progress": "broken"})])
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    assert SUMMARY not in str((await session_of(world, later)).carried)


class StoreOfANewerSession(StoreOfABrokenSession):
    async def load(self, conversation_id):
        if conversation_id == self.broken:
            raise DocumentTooNew(f"sessions/{conversation_id}", "newer")
        return await super().load(conversation_id)


@pytest.mark.parametrize("store", [StoreOfANewerSession])
async def test_one_that_newer_code_wrote_is_to_be_tried_again_and_spares_no_other(world, ann, mine, consents):
    await told(world, mine)
    later, _ = await follow_up(ann, consents)
    world.store.broken = await world.conversation("ann")
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 202
    assert SUMMARY not in str((await session_of(world, later)).carried)
    world.store.broken = None
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
