"""What a turn costs in documents, and in which order they are written."""

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.operations import CountedDatabase, Operations
from shared.contracts.chat import MAX_TEXT
from shared.domain.conversation import ConversationState
from shared.domain.mailbox import Mailbox, QueuedMessage
from shared.engine.admission import Limits
from shared.ports.document_writes import Create, ReplaceDocument
from tests.fakes.counselling import NOW
from tests.fakes.engine import SmallService, incoming
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.recording_database import RecordingDatabase


@pytest.fixture
async def service():
    service = SmallService(RecordingDatabase(MemoryDocumentDatabase()))
    await service.open()
    service.database.writes.clear()
    return service


async def test_a_turn_is_one_reading_of_two_documents_and_seven_writes_in_two_commits(service):
    counted = CountedDatabase(service.database)
    store = DocumentConversationStore(counted, ConversationState)
    await (await service.instance(store=store).submit(incoming())).end()
    assert counted.done == Operations(reads=2, writes=7, commits=2)


async def test_a_reader_in_the_midst_of_a_commit_never_finds_a_message_neither_waiting_nor_answered(service):
    """The emulator shows the writes of a commit one after another (docs/decisions/0008)."""
    await (await service.instance().submit(incoming())).end()
    received, *committed = service.database.writes
    assert type(received) is ReplaceDocument
    assert received.path == "mailboxes/c1"
    assert [write.path for write in committed] == [
        "sessions/c1",
        "sessions/c1/turns/m1",
        "mailboxes/c1",
        "conversations/c1",
        "conversations/c1/messages/1-user",
        "conversations/c1/messages/1-counselor",
    ]
    assert type(committed[1]) is Create


def test_a_mailbox_of_the_longest_inbox_is_far_from_firestores_limit_of_a_document():
    longest = QueuedMessage(message_id="m" * 36, text="😀" * MAX_TEXT, received_at=NOW)
    box = Mailbox(conversation_id="c1", expire_at=NOW, inbox=(longest,) * Limits().waiting, seen="/" * 1680)
    assert len(box.model_dump_json().encode()) < 100_000 < 1 << 20
