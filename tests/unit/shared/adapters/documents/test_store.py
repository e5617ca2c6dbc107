"""The store of conversations as documents: the cost of a turn, paths, order and unreadable documents."""

from datetime import timedelta

import pytest

from shared.adapters.documents import paths, writes
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.listing import whole
from shared.adapters.documents.mapping import to_document
from shared.content.catalogue import content
from shared.domain.conversation import ConversationState, Message, Role
from shared.domain.counseling.session import Session
from shared.domain.errors import DocumentTooNew
from shared.ports.document_database import Query
from shared.ports.document_writes import Create, Put, ReplaceDocument
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.erasing import erase_everything
from tests.builders.sessions import NOW, session
from tests.builders.small_service import SmallService, incoming
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.recording_database import RecordingDatabase
from tests.support.counted_database import CountedDatabase, Operations

LATER = NOW + timedelta(days=1)


@pytest.fixture
async def service():
    service = SmallService(RecordingDatabase(MemoryDocumentDatabase()))
    await service.open()
    service.database.writes.clear()
    return service


async def test_a_turn_takes_two_reads_and_seven_writes_in_two_commits(service):
    counted = CountedDatabase(service.database)
    store = DocumentConversationStore(counted, ConversationState)
    await (await service.instance(store=store).submit(incoming())).end()
    assert counted.done == Operations(reads=2, writes=7, commits=2)


async def test_a_commit_writes_the_turn_before_the_mailbox_and_the_history_last(service):
    """The emulator shows the writes of a commit one by one, so a reader may see a part (docs/decisions/0008)."""
    await (await service.instance().submit(incoming())).end()
    received, *committed = service.database.writes
    assert (type(received), received.path) == (ReplaceDocument, "mailboxes/c1")
    history = ["conversations/c1/messages/1-user", "conversations/c1/messages/1-counselor"]
    order = ["sessions/c1", "sessions/c1/turns/m1", "mailboxes/c1", "conversations/c1", *history]
    assert [write.path for write in committed] == order
    assert type(committed[1]) is Create


def test_paths_match_rules_and_triggers_and_messages_sort_in_conversation_order():
    """The layout is part of the contract: Firestore's rules, triggers and TTL policies name these paths."""
    assert paths.record("c1", "part_transitions", "1-2") == "sessions/c1/part_transitions/1-2"
    assert (paths.audit("a1"), paths.user("u1")) == ("audit/a1", "users/u1")
    entries = [
        Message(seq=seq, role=role, text="", created_at=NOW) for seq in range(3) for role in (Role.USER, Role.COUNSELOR)
    ]
    places = [paths.position(entry) for entry in entries]
    assert places == sorted(set(places))


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
@pytest.mark.parametrize("descending", [False, True])
async def test_paging_lists_each_document_once_and_in_order_even_with_equal_values(limit, descending, subtests):
    for values in ((), (1,), (1, 2, 3, 4, 5), (1, 1, 1, 1), (1, 2, 2, 2, 3, 3), (1, 1, 2, 3, 3)):
        with subtests.test(values=values):
            database = MemoryDocumentDatabase()
            await database.commit([Put(f"things/{place}", {"at": value}) for place, value in enumerate(values)])
            found = await whole(database, Query("things", order_by="at", descending=descending, limit=limit))
            expected = sorted(((value, f"things/{n}") for n, value in enumerate(values)), reverse=descending)
            assert [(document.data["at"], document.path) for document in found] == expected


@pytest.fixture
def database():
    return MemoryDocumentDatabase()


@pytest.fixture
def store(database):
    return DocumentConversationStore(database, Session)


async def put(database, path, model, *, newer=False):
    """Store a model, with `newer` as newer code would."""
    await database.commit([Put(path, to_document(path, model) | ({"schema_version": 9} if newer else {}))])


@pytest.fixture
async def overdue(database):
    """Eight sessions whose work is due, three of which cannot be read."""
    for number in range(8):
        state = session(conversation_id=f"c{number}", due_since=NOW + timedelta(seconds=number))
        await put(database, paths.session(state.conversation_id), state, newer=number in (0, 1, 4))


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
async def test_the_sweep_skips_unreadable_sessions_and_still_fills_its_pages(store, overdue, caplog, limit):
    readable, seen, after = ["c2", "c3", "c5", "c6", "c7"], [], None
    while page := await store.overdue(LATER, after, limit):
        assert len(page) == min(limit, len(readable) - len(seen))
        seen += [state.conversation_id for state in page]
        after = page[-1].due_since
    assert seen == readable
    assert "sessions/c0 was written by newer code" in caplog.text


async def test_an_unreadable_conversation_keeps_its_history_and_can_be_exported_and_erased(store, database):
    state, view = session(), CounselingPolicy(content()).view(session())
    await store.create(state, Message(seq=0, role=Role.COUNSELOR, text="안녕하세요", created_at=NOW), view)
    for path, model in ((paths.session("c1"), state), (paths.view("c1"), view)):
        await put(database, path, model, newer=True)
    for read in (store.load("c1"), store.view("c1"), store.views_of("u1", None, 10)):
        with pytest.raises(DocumentTooNew):
            await read
    entry = Message(seq=1, role=Role.USER, text="안녕", created_at=NOW)
    await database.commit([writes.message("c1", entry, LATER)])
    assert [message.text for message in await store.messages("c1", -1, 10)] == ["안녕하세요", "안녕"]
    assert len(await store.export("c1")) == 5
    assert (await erase_everything(store, "u1")).conversations == ("c1",)
    assert await store.export("c1") == []
