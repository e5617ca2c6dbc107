from datetime import timedelta
from itertools import pairwise

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.conversation import Message, Role, touch
from shared.domain.counseling.session import Session
from shared.domain.erasure import Erasure
from shared.domain.mailbox import QueuedMessage, claim, receive, reopen, revoke
from shared.engine.overdue import marked_by_turn
from shared.engine.sweep import Sweep, Swept
from shared.ports.conversation_documents import Versioned, VersionedMailbox
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.sessions import NOW, session
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.recording_database import RecordingDatabase
from tests.fakes.settable_clock import SettableClock

LONG_AGO = NOW - timedelta(minutes=30)
POLICY = CounselingPolicy(content())


class SweepSetup:
    def __init__(self):
        self.database = RecordingDatabase(MemoryDocumentDatabase())
        self.store = DocumentConversationStore(self.database, Session)
        self.queue = MemoryTaskQueue()
        self.clock = SettableClock(NOW)
        self.sweep = Sweep(self.store, POLICY, self.queue, self.clock).run

    def names(self):
        """Return the names of the tasks queued since the last call."""
        return [task.name for task in self.queue.take()]


@pytest.fixture
def setup():
    return SweepSetup()


async def stored(store, state):
    greeting = Message(seq=0, role=Role.COUNSELOR, text="안녕하세요", created_at=NOW)
    await store.create(state, greeting, POLICY.view(state))


async def overdue(store, conversation_id="c1", **more):
    given = {"message_count": 3, "seq": 3, "due_since": LONG_AGO}
    await stored(store, session(conversation_id=conversation_id, **(given | more)))


async def change(store, step):
    held = await store.mailbox("c1")
    await store.save_mailbox(VersionedMailbox(step(held.box), held.version))


async def message_waits(store, since=LONG_AGO, claimed_at=None):
    await stored(store, session())
    message = QueuedMessage(message_id="m1", text="저기요", received_at=since)
    await change(store, lambda box: receive(box, message, NOW + timedelta(days=1)))
    if claimed_at:
        await change(store, lambda box: claim(box, "an instance", claimed_at))


class TestWork:
    async def test_that_fell_due_just_now_is_left_to_its_queued_task(self, setup):
        await overdue(setup.store, due_since=NOW - timedelta(seconds=30))
        assert (await setup.sweep(), setup.names()) == (Swept(), [])

    async def test_for_a_lost_plan_is_queued_without_a_new_message(self, setup):
        await overdue(setup.store, message_count=2, seq=2, planning_seq=2, plan_status="planning")
        await setup.sweep()
        assert [task.kind for task in setup.queue.take()] == [JobKind.PLAN]

    async def test_that_is_not_done_is_queued_with_growing_pauses_until_the_session_expires(self, setup):
        """Looked at every five minutes for six hours, then every hour for more than a month."""
        await overdue(setup.store, expire_at=NOW + timedelta(days=30))
        handed, named = [], []
        for look in range(72 + 40 * 24):
            if (await setup.sweep()).handed_over:
                handed.append((setup.clock.now() - NOW).total_seconds() / 60)
            named += setup.names()
            setup.clock.advance(300 if look < 72 else 3600)
        assert named[0] == "c1-supervise-3"
        assert all(name.startswith("c1-supervise-3-again-") for name in named[1:])
        assert len(named) == len(set(named)) == len([at for at in handed if at < 30 * 24 * 60])
        pauses = [after - before for before, after in pairwise(handed)]
        assert pauses[:4] == pytest.approx([15, 30, 60, 120], abs=8)
        assert all(24 * 60 <= pause <= 25 * 60 for pause in pauses[8:])

    async def test_of_an_active_session_is_queued_again_though_each_turn_resets_the_pauses(self, setup):
        await overdue(setup.store)
        await setup.sweep()
        setup.names()
        loaded = (await setup.store.load("c1")).session
        spoken = marked_by_turn(POLICY, touch(loaded.state, NOW), NOW - timedelta(minutes=3))
        await setup.store.save_state(Versioned(spoken, loaded.version), POLICY.view(spoken))
        assert (await setup.sweep()).handed_over == 1
        assert setup.names() == [f"c1-supervise-3-again-{int(spoken.due_since.timestamp())}"]

    async def test_of_more_sessions_than_a_page_is_found_and_not_queried_again_before_it_is_due(self, setup):
        for number in range(230):
            await overdue(setup.store, f"c{number}", due_since=LONG_AGO + timedelta(seconds=number))
        assert await setup.sweep() == Swept(handed_over=230)
        assert len(set(setup.names())) == 230
        setup.database.queries.clear()
        assert await setup.sweep() == Swept()
        queried = sorted(query.collection for query in setup.database.queries)
        assert queried == ["erasures", "mailboxes", "sessions", "withdrawals"]


async def test_an_erasure_of_any_age_is_queued_again_until_it_is_done(setup):
    async def no_user():
        return None

    for days in (0, 3, 300):
        named = {"erasure_id": f"c{days}", "user_id": "u1", "everything": False, "conversations": (f"c{days}",)}
        await setup.store.hide_conversation(Erasure(**named, requested_at=NOW - timedelta(days=days)), no_user)
    assert await setup.sweep() == Swept(erasures=2), "the newest may be under way"
    assert setup.names() == ["c300-erase-0", "c3-erase-0"]
    assert await setup.sweep() == Swept(erasures=2)
    assert all("-again-" in name for name in setup.names())


class TestAWaitingMessage:
    async def test_after_a_crash_is_queued_to_be_answered(self, setup):
        await message_waits(setup.store, claimed_at=LONG_AGO)
        assert await setup.sweep() == Swept(woken=1)
        assert setup.names() == ["c1-answer-1"]

    async def test_whose_task_was_given_up_is_queued_under_a_new_name(self, setup):
        await message_waits(setup.store)
        await setup.sweep()
        first = setup.queue.take()
        await setup.sweep()
        second = setup.queue.take()
        assert [task.seq for task in first] == [task.seq for task in second]
        assert first != second

    async def test_that_is_being_answered_is_left_alone(self, setup):
        await message_waits(setup.store, claimed_at=NOW)
        assert await setup.sweep() == Swept()

    async def test_in_a_revoked_mailbox_is_left_alone_until_the_mailbox_is_reopened(self, setup):
        await message_waits(setup.store, since=NOW - timedelta(days=3))
        await change(setup.store, revoke)
        assert await setup.sweep() == Swept()
        await change(setup.store, lambda box: reopen(box, NOW - timedelta(minutes=5)))
        assert await setup.sweep() == Swept(woken=1), "however old it is"
