"""What each real upcaster does."""

from datetime import timedelta

import pytest

from shared.adapters.documents.kinds import KINDS, kind_of
from shared.adapters.documents.mapping import from_document
from shared.domain.conversation import RETENTION, Message
from shared.domain.mailbox import Mailbox
from shared.domain.records import AuditEntry
from shared.ports.conversation_store import View
from shared.ports.document_database import Document
from tests.fakes.counselling import NOW
from tests.unit.shared.adapters.documents.stored_kinds import example


def test_a_kind_is_told_by_the_collection_however_deep():
    assert kind_of("conversations/c1/messages/1-user") is KINDS["messages"]
    assert kind_of("sessions/c1/anything/messages").newest == 1


class TestAMailboxOfVersion0:
    def box(self, **more):
        data = {"conversation_id": "c1", "expire_at": NOW + RETENTION, "last_token": 3, **more}
        return from_document(Mailbox, Document("mailboxes/c1", data, "1"))

    def test_with_waiting_messages_is_found_by_the_sweep(self):
        assert self.box(inbox=["m1", "m2"]).waiting_since == NOW

    def test_without_any_is_not(self):
        assert self.box(inbox=[]).waiting_since is None

    def test_that_said_since_when_is_believed(self):
        earlier = NOW - timedelta(minutes=9)
        assert self.box(inbox=["m1"], waiting_since=earlier).waiting_since == earlier


def test_an_audit_entry_of_version_0_expires_as_if_it_were_written_today():
    fields = KINDS["audit"].steps[0](example("audit", 0).data)
    assert fields["expire_at"] == example("audit", 1).data["expire_at"]


@pytest.mark.parametrize(("kind", "model"), [("messages", Message), ("conversations", View), ("audit", AuditEntry)])
def test_the_first_versions_differ_in_nothing_that_the_model_holds(kind, model):
    assert from_document(model, example(kind, 0)) == from_document(model, example(kind, 1))
