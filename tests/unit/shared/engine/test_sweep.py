from datetime import timedelta
from itertools import pairwise

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.conversation import Message, Role, touch
from shared.domain.counseling.session import PlanStatus, Session, Watermarks
from shared.domain.erasure import Erasure
from shared.domain.errors import StoreUnavailable
from shared.domain.mailbox import QueuedMessage, claim, receive, reopen, revoke
from shared.engine.overdue import marked, marked_by_turn
from shared.engine.sweep import Sweep, Swept
from shared.ports.conversation_documents import Versioned, VersionedMailbox
from shared.services.counseling.policy import CounselingPolicy
from tests.fakes.counselling import NOW, session
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.recording_database import RecordingDatabase
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
    return Sweep(store, CounselingPolicy(content().crisis_replies), queue, SettableClock(NOW))


async def stored(store, state):
    greeting = Message(seq=0, role=Role.COUNSELOR, text="안녕하세요", created_at=NOW)
    await store.create(state, greeting, CounselingPolicy(content().crisis_replies).view(state))


async def waiting(store, conversation_id, since, claimed_at=None):
    snapshot = await store.load(conversation_id)
    message = QueuedMessage(message_id="m1", text="저기요", received_at=since)
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


async def test_work_that_is_not_done_is_queued_again_later_each_time_until_the_session_expires(store, queue):
    """Looked at every five minutes for six hours, then every hour for more than a month."""
    await stored(store, overdue(expire_at=NOW + timedelta(days=30)))
    clock = SettableClock(NOW)
    sweep = Sweep(store, CounselingPolicy(content().crisis_replies), queue, clock)
    handed, names = [], []
    for look in range(72 + 40 * 24):
        if (await sweep.run()).handed_over:
            handed.append((clock.now() - NOW).total_seconds() / 60)
        names += [task.name for task in queue.take()]
        clock.advance(300 if look < 72 else 3600)

    assert names[0] == "c1-supervise-3"
    assert all(name.startswith("c1-supervise-3-again-") for name in names[1:])
    assert len(names) == len(set(names)) == len([at for at in handed if at < 30 * 24 * 60])
    pauses = [after - before for before, after in pairwise(handed)]
    assert pauses[:4] == pytest.approx([15, 30, 60, 120], abs=8)
    assert all(24 * 60 <= pause <= 25 * 60 for pause in pauses[8:])


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


async def test_a_turn_lets_the_sweep_look_soon_again_and_done_work_is_looked_for_no_more(store, sweep):
    await stored(store, overdue())
    for _ in range(3):
        await sweep.run()
        put_off = (await store.load("c1")).session.state
    assert (put_off.due_since > NOW, put_off.swept) == (True, 1)
    policy = CounselingPolicy(content().crisis_replies)
    assert marked(policy, put_off, put_off, NOW) == put_off
    spoken = marked_by_turn(policy, put_off, NOW)
    assert (spoken.due_since, spoken.swept) == (NOW, 0)
    done = put_off.model_copy(update={"watermarks": Watermarks(supervised=3)})
    assert (marked(policy, put_off, done, NOW).due_since, marked(policy, put_off, done, NOW).swept) == (None, 0)


async def test_work_of_a_session_that_is_talked_in_is_queued_again_though_each_turn_begins_the_pauses_anew(
    store, queue, sweep
):
    await stored(store, overdue())
    await sweep.run()
    queue.take()
    loaded, policy = (await store.load("c1")).session, CounselingPolicy(content().crisis_replies)
    spoken = marked_by_turn(policy, touch(loaded.state, NOW), NOW - timedelta(minutes=3))
    await store.save_state(Versioned(spoken, loaded.version), policy.view(spoken))
    assert (await sweep.run()).handed_over == 1
    assert [task.name for task in queue.take()] == [f"c1-supervise-3-again-{int(spoken.due_since.timestamp())}"]


async def test_thousands_of_dead_sessions_cost_a_sweep_nothing_until_their_time_comes(store, queue):
    database = RecordingDatabase(MemoryDocumentDatabase())
    store = DocumentConversationStore(database, Session)
    for number in range(200):
        await stored(store, overdue(f"c{number}", due_since=LONG_AGO + timedelta(seconds=number)))
    sweep = Sweep(store, CounselingPolicy(content().crisis_replies), queue, SettableClock(NOW))
    assert (await sweep.run()).handed_over == 200
    database.queries.clear()
    assert await sweep.run() == Swept()
    assert {query.collection for query in database.queries} == {"sessions", "mailboxes", "erasures", "withdrawals"}
    assert len(database.queries) == 4


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
    assert [task.kind for task in queue.take()] == [JobKind.PLAN]


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
    assert await Sweep(store, CounselingPolicy(content().crisis_replies), Down(), SettableClock(NOW)).run() == Swept(
        failed=1
    )

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
