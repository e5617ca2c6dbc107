"""What each real upcaster does."""

import pytest

from shared.adapters.documents.kinds import KINDS, kind_of
from shared.adapters.documents.mapping import from_document
from shared.domain.conversation import Message
from shared.domain.records import AuditEntry
from shared.ports.conversation_store import View
from tests.unit.shared.adapters.documents.stored_kinds import example


def test_a_kind_is_told_by_the_collection_however_deep():
    assert kind_of("conversations/c1/messages/1-user") is KINDS["messages"]
    assert kind_of("sessions/c1/anything/messages").newest == 1


def test_an_audit_entry_of_version_0_expires_as_if_it_were_written_today():
    fields = KINDS["audit"].steps[0](example("audit", 0).data)
    assert fields["expire_at"] == example("audit", 1).data["expire_at"]


@pytest.mark.parametrize(("kind", "model"), [("messages", Message), ("conversations", View), ("audit", AuditEntry)])
def test_the_first_versions_differ_in_nothing_that_the_model_holds(kind, model):
    assert from_document(model, example(kind, 0)) == from_document(model, example(kind, 1))
