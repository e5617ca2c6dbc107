"""Nothing that holds a person's words, or what was made of them, is kept for ever."""

import asyncio
from datetime import datetime, timedelta

import pytest

from shared.adapters.documents.retention import EXPIRY, TTL_COLLECTIONS
from shared.domain.conversation import RETENTION
from shared.domain.records import AUDIT_RETENTION
from shared.ports.document_writes import Remove
from tests.builders.sessions import NOW
from tests.unit.shared.adapters.documents.stored_kinds import models
from tests.unit.shared.adapters.documents.whole_session import WholeSession


@pytest.fixture(scope="module")
def written():
    whole = WholeSession()
    asyncio.run(whole.run())
    asyncio.run(whole.look())
    return [write for write in whole.database.writes if not isinstance(write, Remove)]


def test_the_session_of_this_test_writes_every_kind_of_document(written):
    assert {collection(write.path) for write in written} == set(models())


def test_every_document_that_is_ever_written_expires(written):
    for write in written:
        expiry = write.data[EXPIRY]
        assert isinstance(expiry, datetime), write.path
        kept = AUDIT_RETENTION if collection(write.path) == "audit" else RETENTION
        assert timedelta(0) < expiry - NOW <= kept, write.path


def test_every_collection_that_holds_documents_has_a_policy():
    assert set(TTL_COLLECTIONS) == set(models())
    assert list(TTL_COLLECTIONS) == sorted(set(TTL_COLLECTIONS))


def test_the_audit_trail_holds_none_of_the_words(written):
    entries = [write.data for write in written if collection(write.path) == "audit"]
    known = {"audit_id", "at", "conversation_id", "rule", "level", "action", "actor_id", EXPIRY, "schema_version"}
    assert {frozenset(entry) for entry in entries} == {frozenset(known)}
    for words in ("죽고 싶", "안내가 나간"):
        assert words not in str(entries)


def collection(path):
    return path.split("/")[-2]
