from datetime import timedelta

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.contracts.tasks import TaskKind
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.erasure import Erasure
from shared.domain.errors import StoreUnavailable
from shared.domain.mailbox import Waiting, claim, receive, reopen, revoke
from shared.engine.sweep import Sweep, Swept
from shared.ports.conversation_store import VersionedMailbox
from shared.services.counseling.house import CounselingHouse
from tests.fakes.counselling import NOW, session
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.settable_clock import SettableClock

LONG_AGO = NOW - timedelta(minutes=30)


@pytest.fixture
def store():
    return DocumentConversationStore(MemoryDocumentDatabase(), Session)


@pytest.fixture
def queue():
    return MemoryTaskQueue()


@pytest.fixture
def sweep(store, queue):
    return Sweep(store, CounselingHouse(), queue, SettableClock(NOW))


async def stored(store, state):
    greeting = Message(seq=0, role=Role.COUNSELOR, text="안녕하세요", created_at=NOW)
    await store.create(state, greeting, CounselingHouse().view(state))


async def waiting(store, conversation_id, since, claimed_at=None):
    snapshot = await store.load(conversation_id)
    message = Waiting(message_id="m1", text="저기요", received_at=since)
    box = receive(snapshot.mailbox.box, message, NOW + timedelta(days=1))
    if claimed_at:
        box = claim(box, "an instance", claimed_at)
    await store.save_mailbox(VersionedMailbox(box=box, version=snapshot.mailbox.version))


def overdue(conversation_id="c1", **more):
    given = {"message_count": 3, "seq": 3, "due_since": LONG_AGO}
    return session(conversation_id=conversation_id, **(given | more))


async def test_work_that_nobody_queued_is_queued_under_its_own_name(store, queue, sweep):
    await stored(store, overdue())

    assert await sweep.run() == Swept(handed_over=1)
    assert [task.name for task in queue.take()] == ["c1-supervise-3"]


async def test_work_that_the_queue_has_is_queued_once(store, queue, sweep):
    await stored(store, overdue(due_since=NOW - timedelta(minutes=5)))

    for _ in range(3):
        assert await sweep.run() == Swept(handed_over=1)
    assert [task.name for task in queue.take()] == ["c1-supervise-3"]


async def test_work_whose_task_was_given_up_is_queued_anew_once_an_hour(store, queue):
    await stored(store, overdue())
    clock = SettableClock(NOW)
    sweep = Sweep(store, CounselingHouse(), queue, clock)
    names = []
    for _ in range(24):  # two hours, every five minutes
        await sweep.run()
        names += [task.name for task in queue.take()]  # delivered and given up: the name stays used
        clock.advance(300)

    assert names[0] == "c1-supervise-3"
    assert len(names) == len(set(names)) == 3
    assert all(name.startswith("c1-supervise-3-again-") for name in names[1:])


async def test_an_erasure_is_handed_over_until_it_is_done_however_old_it_is(store, queue, sweep):
    for days in (0, 3, 300):
        erasure = Erasure(
            erasure_id=f"c{days}",
            user_id="u1",
            everything=False,
            conversations=(f"c{days}",),
            requested_at=NOW - timedelta(days=days),
        )
        await store.hide_conversation(erasure, no_user)

    assert await sweep.run() == Swept(erasures=2), "the newest may be under way"
    assert [task.name for task in queue.take()] == ["c300-erase-0", "c3-erase-0"]
    assert await sweep.run() == Swept(erasures=2)
    assert all("-again-" in task.name for task in queue.take())


async def no_user():
    return None


async def test_what_could_not_be_done_for_days_is_left_to_the_next_turn(store, queue, sweep):
    await stored(store, overdue(due_since=NOW - timedelta(days=3)))

    assert await sweep.run() == Swept()


async def test_a_message_whose_answering_was_given_up_is_handed_over_anew(store, queue, sweep):
    await stored(store, session())
    await waiting(store, "c1", LONG_AGO)
    await sweep.run()
    first = queue.take()
    await sweep.run()
    second = queue.take()

    assert [task.seq for task in first] == [task.seq for task in second]
    assert first != second


async def test_work_that_fell_due_just_now_is_left_to_those_who_do_it(store, queue, sweep):
    await stored(store, overdue(due_since=NOW - timedelta(seconds=30)))

    assert await sweep.run() == Swept()
    assert not queue.take()


async def test_a_plan_that_no_event_brought_is_asked_for_though_nobody_speaks(store, queue, sweep):
    await stored(store, overdue(message_count=2, seq=2, planning_seq=2, plan_status=PlanStatus.PLANNING))

    await sweep.run()
    assert [task.kind for task in queue.take()] == [TaskKind.PLAN]


async def test_a_message_that_a_crash_left_is_handed_to_be_answered(store, queue, sweep):
    await stored(store, session())
    await waiting(store, "c1", LONG_AGO, claimed_at=LONG_AGO)

    assert await sweep.run() == Swept(woken=1)
    assert [task.name for task in queue.take()] == ["c1-answer-1"]


async def test_a_message_that_somebody_is_answering_is_left_alone(store, queue, sweep):
    await stored(store, session())
    await waiting(store, "c1", LONG_AGO, claimed_at=NOW)

    assert await sweep.run() == Swept()


async def test_what_the_queue_refuses_is_found_by_the_next_sweep(store, queue, sweep):
    class Down(MemoryTaskQueue):
        async def enqueue(self, payload, *, delay=timedelta(0)):
            raise StoreUnavailable("no queue")

    await stored(store, overdue())
    assert await Sweep(store, CounselingHouse(), Down(), SettableClock(NOW)).run() == Swept(failed=1)

    assert await sweep.run() == Swept(handed_over=1)


async def test_more_sessions_than_a_page_holds_are_all_found(store, queue, sweep):
    for number in range(230):
        await stored(store, overdue(f"c{number}", due_since=LONG_AGO + timedelta(seconds=number)))

    assert await sweep.run() == Swept(handed_over=230)
    assert len({task.name for task in queue.take()}) == 230


async def test_a_message_that_may_not_be_answered_is_left_alone_until_it_may(store, queue, sweep):
    await stored(store, session(conversation_id="c1"))
    await waiting(store, "c1", NOW - timedelta(days=3))

    async def change(step):
        held = await store.mailbox("c1")
        await store.save_mailbox(VersionedMailbox(step(held.box), held.version))

    await change(revoke)
    assert await sweep.run() == Swept()
    await change(lambda box: reopen(box, NOW - timedelta(minutes=5)))
    assert await sweep.run() == Swept(woken=1), "however long ago it came"
