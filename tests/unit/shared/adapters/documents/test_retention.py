"""Every stored document expires, and the audit trail holds no words of a user."""

from datetime import datetime, timedelta

import pytest

from shared.adapters.documents.retention import EXPIRY
from shared.domain.conversation import RETENTION
from shared.domain.records import AUDIT_RETENTION
from shared.ports.document_writes import Remove
from tests.builders.sessions import NOW
from tests.unit.shared.adapters.documents.stored_kinds import models
from tests.unit.shared.adapters.documents.whole_session import recorded


@pytest.fixture(scope="module")
def written():
    return [write for write in recorded().writes if not isinstance(write, Remove)]


def test_every_kind_of_document_is_written_by_the_session(written):
    assert {collection(write.path) for write in written} == set(models())


def test_every_written_document_expires_within_its_retention(written):
    for write in written:
        expiry = write.data[EXPIRY]
        assert isinstance(expiry, datetime), write.path
        kept = AUDIT_RETENTION if collection(write.path) == "audit" else RETENTION
        assert timedelta(0) < expiry - NOW <= kept, write.path


def test_the_audit_trail_holds_only_known_fields_and_no_words(written):
    entries = [write.data for write in written if collection(write.path) == "audit"]
    known = {"audit_id", "at", "conversation_id", "rule", "level", "action", "actor_id", EXPIRY, "schema_version"}
    assert {frozenset(entry) for entry in entries} == {frozenset(known)}
    for words in ("죽고 싶", "안내가 나간"):
        assert words not in str(entries)


def collection(path):
    return path.split("/")[-2]
