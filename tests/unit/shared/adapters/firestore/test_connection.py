import asyncio
import socket

import pytest

from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.database import FirestoreDocumentDatabase, Patience
from shared.domain.errors import ConfigError, StoreUnavailable
from shared.ports.document_writes import Put

PROJECT = "demo-nowhere"


@pytest.fixture
def nobody():
    """An address where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{bound.getsockname()[1]}"


@pytest.fixture
def no_credentials(monkeypatch, tmp_path):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST", raising=False)


async def test_two_first_uses_at_once_share_one_client(nobody):
    connection = FirestoreConnection(PROJECT, emulator=nobody)
    clients = await asyncio.gather(*(connection.client() for _ in range(5)))
    await connection.aclose()
    assert len(set(map(id, clients))) == 1


async def test_where_nobody_answers_the_store_is_unavailable(nobody):
    connection = FirestoreConnection(PROJECT, emulator=nobody)
    database = FirestoreDocumentDatabase(connection, Patience(attempt_s=0.3, total_s=0.3))
    with pytest.raises(StoreUnavailable, match="UNAVAILABLE"):
        await database.get(["c/1"])
    with pytest.raises(StoreUnavailable, match="UNAVAILABLE"):
        await database.commit([Put("c/1", {})])
    await database.aclose()


async def test_after_the_end_the_store_is_unavailable_and_the_end_can_be_repeated(nobody):
    database = FirestoreDocumentDatabase.connect(PROJECT, emulator=nobody)
    await database.aclose()
    await database.aclose()
    with pytest.raises(StoreUnavailable, match="closed"):
        await database.get(["c/1"])
    with pytest.raises(StoreUnavailable, match="closed"):
        await database.commit([Put("c/1", {})])


async def test_the_emulator_is_reached_without_looking_for_credentials(nobody, no_credentials):
    connection = FirestoreConnection(PROJECT, emulator=nobody)
    await connection.client()
    await connection.aclose()


async def test_the_cloud_is_not_reached_without_credentials(no_credentials):
    connection = FirestoreConnection(PROJECT)
    with pytest.raises(ConfigError, match="no credentials for Firestore"):
        await connection.client()
    await connection.aclose()


async def test_the_cloud_is_told_the_database_and_nothing_of_the_emulator():
    connection = FirestoreConnection("my-project", "records")
    assert connection.metadata == (("google-cloud-resource-prefix", "projects/my-project/databases/records"),)
    assert connection.names.document("c/1") == "projects/my-project/databases/records/documents/c/1"
    assert connection.names.path(connection.names.document("c/1")) == "c/1"
