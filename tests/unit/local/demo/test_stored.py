from datetime import timedelta

from local.demo.stored import Stored
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.writes import records
from shared.content.catalogue import content
from shared.domain.conversation import Message, Role
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus
from shared.domain.counseling.task import Part
from shared.services.counseling.policy import CounselingPolicy
from tests.fakes.counselling import NOW, session
from tests.fakes.memory_database import MemoryDocumentDatabase


async def no_work():
    return False


async def kept(state, *written):
    database = MemoryDocumentDatabase()
    store = DocumentConversationStore(database, Session)
    await store.create(
        state,
        Message(seq=0, role=Role.COUNSELOR, text="안녕", created_at=NOW),
        CounselingPolicy(content().crisis_replies).view(state),
    )
    if written:
        await database.commit(list(records(state.conversation_id, written)))
    return database


def to_closing():
    return PartTransition(
        record_id="2-3",
        created_at=NOW,
        expire_at=NOW + timedelta(days=1),
        from_part=Part.EXPLORATION,
        to_part=Part.CLOSING,
        seq=9,
        reason="done",
    )


async def test_a_session_that_waits_for_anything_is_not_at_rest():
    cases = [
        session(message_count=3, seq=3),
        session(plan_status=PlanStatus.PLANNING, planning_seq=1, seq=1),
        session(current_part=Part.EXPLORATION, plan_status=PlanStatus.READY, replans=1),
        session(status=SessionStatus.COMPLETED, ended_at=NOW, message_count=1, seq=1),
    ]
    assert [
        waiting for waiting in cases if await Stored(await kept(waiting), no_work).at_rest(waiting.conversation_id)
    ] == []


async def test_a_session_that_waits_for_nothing_is_at_rest():
    state = session(current_part=Part.EXPLORATION, plan_status=PlanStatus.READY)
    assert await Stored(await kept(state), no_work).at_rest(state.conversation_id)


async def test_a_transition_that_is_written_is_waited_for_until_the_session_has_made_it():
    before = session(current_part=Part.EXPLORATION, plan_status=PlanStatus.READY, leaving_seq=0)
    assert not await Stored(await kept(before, to_closing()), no_work).at_rest(before.conversation_id)
    after = session(
        current_part=Part.CLOSING, leaving_seq=0, status=SessionStatus.WRAPPING_UP, plan_status=PlanStatus.READY
    )
    assert await Stored(await kept(after, to_closing()), no_work).at_rest(after.conversation_id)
