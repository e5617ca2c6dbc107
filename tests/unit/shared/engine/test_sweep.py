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
POLICY = CounselingPolicy(content().crisis_replies)


@pytest.fixture
def database():
    return RecordingDatabase(MemoryDocumentDatabase())


@pytest.fixture
def store(database):
    return DocumentConversationStore(database, Session)


@pytest.fixture
def queue():
    return MemoryTaskQueue()


@pytest.fixture
def clock():
    return SettableClock(NOW)


@pytest.fixture
def sweep(store, queue, clock):
    return Sweep(store, POLICY, queue, clock)


@pytest.fixture
def names(queue):
    """Return the names of the tasks that were queued since the last look."""
    return lambda: [task.name for task in queue.take()]


async def stored(store, state):
    greeting = Message(seq=0, role=Role.COUNSELOR, text="안녕하세요", created_at=NOW)
    await store.create(state, greeting, POLICY.view(state))


async def overdue(store, conversation_id="c1", **more):
    given = {"message_count": 3, "seq": 3, "due_since": LONG_AGO}
    await stored(store, session(conversation_id=conversation_id, **(given | more)))


async def change(store, step):
    held = await store.mailbox("c1")
    await store.save_mailbox(VersionedMailbox(step(held.box), held.version))


async def waiting(store, since=LONG_AGO, claimed_at=None):
    await stored(store, session())
    message = QueuedMessage(message_id="m1", text="저기요", received_at=since)
    await change(store, lambda box: receive(box, message, NOW + timedelta(days=1)))
    if claimed_at:
        await change(store, lambda box: claim(box, "an instance", claimed_at))


class TestWork:
    async def test_that_fell_due_just_now_is_left_to_those_who_do_it(self, store, sweep, names):
        await overdue(store, due_since=NOW - timedelta(seconds=30))
        assert (await sweep.run(), names()) == (Swept(), [])

    async def test_of_a_plan_that_no_event_brought_is_asked_for_though_nothing_is_said(self, store, queue, sweep):
        await overdue(store, message_count=2, seq=2, planning_seq=2, plan_status="planning")
        await sweep.run()
        assert [task.kind for task in queue.take()] == [JobKind.PLAN]

    async def test_that_is_not_done_is_queued_again_later_each_time_until_the_session_expires(
        self, store, sweep, clock, names
    ):
        """Looked at every five minutes for six hours, then every hour for more than a month."""
        await overdue(store, expire_at=NOW + timedelta(days=30))
        handed, named = [], []
        for look in range(72 + 40 * 24):
            if (await sweep.run()).handed_over:
                handed.append((clock.now() - NOW).total_seconds() / 60)
            named += names()
            clock.advance(300 if look < 72 else 3600)
        assert named[0] == "c1-supervise-3"
        assert all(name.startswith("c1-supervise-3-again-") for name in named[1:])
        assert len(named) == len(set(named)) == len([at for at in handed if at < 30 * 24 * 60])
        pauses = [after - before for before, after in pairwise(handed)]
        assert pauses[:4] == pytest.approx([15, 30, 60, 120], abs=8)
        assert all(24 * 60 <= pause <= 25 * 60 for pause in pauses[8:])

    async def test_of_a_session_that_is_talked_in_is_queued_again_though_each_turn_begins_the_pauses_anew(
        self, store, sweep, names
    ):
        await overdue(store)
        await sweep.run()
        names()
        loaded = (await store.load("c1")).session
        spoken = marked_by_turn(POLICY, touch(loaded.state, NOW), NOW - timedelta(minutes=3))
        await store.save_state(Versioned(spoken, loaded.version), POLICY.view(spoken))
        assert (await sweep.run()).handed_over == 1
        assert names() == [f"c1-supervise-3-again-{int(spoken.due_since.timestamp())}"]

    async def test_of_more_sessions_than_a_page_holds_is_found_and_costs_nothing_until_its_time_comes(
        self, store, sweep, database, names
    ):
        for number in range(230):
            await overdue(store, f"c{number}", due_since=LONG_AGO + timedelta(seconds=number))
        assert await sweep.run() == Swept(handed_over=230)
        assert len(set(names())) == 230
        database.queries.clear()
        assert await sweep.run() == Swept()
        queried = sorted(query.collection for query in database.queries)
        assert queried == ["erasures", "mailboxes", "sessions", "withdrawals"]


async def test_an_erasure_is_handed_over_until_it_is_done_however_old_it_is(store, sweep, names):
    async def no_user():
        return None

    for days in (0, 3, 300):
        named = {"erasure_id": f"c{days}", "user_id": "u1", "everything": False, "conversations": (f"c{days}",)}
        await store.hide_conversation(Erasure(**named, requested_at=NOW - timedelta(days=days)), no_user)
    assert await sweep.run() == Swept(erasures=2), "the newest may be under way"
    assert names() == ["c300-erase-0", "c3-erase-0"]
    assert await sweep.run() == Swept(erasures=2)
    assert all("-again-" in name for name in names())


class TestAWaitingMessage:
    async def test_that_a_crash_left_is_handed_to_be_answered(self, store, sweep, names):
        await waiting(store, claimed_at=LONG_AGO)
        assert await sweep.run() == Swept(woken=1)
        assert names() == ["c1-answer-1"]

    async def test_whose_answering_was_given_up_is_handed_over_anew(self, store, queue, sweep):
        await waiting(store)
        await sweep.run()
        first = queue.take()
        await sweep.run()
        second = queue.take()
        assert [task.seq for task in first] == [task.seq for task in second]
        assert first != second

    async def test_that_is_being_answered_is_left_alone(self, store, sweep):
        await waiting(store, claimed_at=NOW)
        assert await sweep.run() == Swept()

    async def test_that_may_not_be_answered_is_left_alone_until_it_may(self, store, sweep):
        await waiting(store, since=NOW - timedelta(days=3))
        await change(store, revoke)
        assert await sweep.run() == Swept()
        await change(store, lambda box: reopen(box, NOW - timedelta(minutes=5)))
        assert await sweep.run() == Swept(woken=1), "however long ago it came"
