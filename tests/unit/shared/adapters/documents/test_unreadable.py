"""One document that cannot be read does not take others with it."""

from datetime import timedelta

import pytest

from shared.adapters.documents import paths, writes
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.mapping import to_document
from shared.content.catalogue import content
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.domain.errors import DocumentTooNew
from shared.domain.mailbox import Mailbox, QueuedMessage
from shared.ports.document_writes import Put
from shared.services.counseling.policy import CounselingPolicy
from tests.fakes.counselling import NOW, session
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.support.erasing import erase_everything

LATER = NOW + timedelta(days=1)


@pytest.fixture
def database():
    return MemoryDocumentDatabase()


@pytest.fixture
def store(database):
    return DocumentConversationStore(database, Session)


async def put(database, path, model, version=None):
    data = to_document(path, model)
    await database.commit([Put(path, data if version is None else {**data, "schema_version": version})])


async def overdue(database, number, version=None):
    state = session(conversation_id=f"c{number}", due_since=NOW + timedelta(seconds=number))
    await put(database, paths.session(state.conversation_id), state, version)


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
async def test_the_sweep_passes_over_it_and_its_page_is_full_all_the_same(store, database, caplog, limit):
    for number in range(8):
        await overdue(database, number, version=9 if number in (0, 1, 4) else None)
    found = await store.overdue(LATER, None, limit)
    assert [state.conversation_id for state in found] == ["c2", "c3", "c5", "c6", "c7"][:limit]
    assert "sessions/c0 was written by newer code" in caplog.text


async def test_the_sweep_goes_on_behind_what_it_has_seen(store, database):
    for number in range(8):
        await overdue(database, number, version=9 if number in (0, 1, 4) else None)
    seen, after = [], None
    while page := await store.overdue(LATER, after, 2):
        seen += [state.conversation_id for state in page]
        after = page[-1].due_since
    assert seen == ["c2", "c3", "c5", "c6", "c7"]


async def test_waiting_mailboxes_are_found_beside_one_that_cannot_be_read(store, database):
    for number, version in enumerate((9, None)):
        inbox = (QueuedMessage(message_id="m1", text="저기요", received_at=NOW),)
        box = Mailbox(conversation_id=f"c{number}", expire_at=LATER, inbox=inbox, waiting_since=NOW)
        await put(database, paths.mailbox(box.conversation_id), box, version)
    assert [box.conversation_id for box in await store.waiting(LATER, None, 10)] == ["c1"]


class TestAConversationThatCannotBeRead:
    @pytest.fixture(autouse=True)
    async def newer(self, store, database):
        state = session()
        greeting = Message(seq=0, role=Role.COUNSELOR, text="안녕하세요", created_at=NOW)
        view = CounselingPolicy(content().crisis_replies).view(state)
        await store.create(state, greeting, view)
        for path, model in ((paths.session("c1"), state), (paths.view("c1"), view)):
            await put(database, path, model, version=9)

    async def test_says_so_and_is_not_taken_for_lost(self, store):
        for read in (store.load("c1"), store.view("c1"), store.views_of("u1", None, 10)):
            with pytest.raises(DocumentTooNew):
                await read

    async def test_can_be_exported_and_erased(self, store, database):
        assert len(await store.export("c1")) == 4
        assert (await erase_everything(store, "u1")).conversations == ("c1",)
        assert await store.export("c1") == []

    async def test_keeps_its_history(self, store, database):
        entry = Message(seq=1, role=Role.USER, text="안녕", created_at=NOW)
        await database.commit([writes.message("c1", entry, LATER)])
        assert [message.text for message in await store.messages("c1", -1, 10)] == ["안녕하세요", "안녕"]
