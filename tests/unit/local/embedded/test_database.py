import asyncio
import shutil
import sqlite3
from pathlib import Path

import pytest

from local.embedded.database import SqliteDocumentDatabase
from local.embedded.leases import release_leases
from shared.domain.errors import ConfigError, StoreUnavailable, VersionConflict
from shared.ports.document_database import Query
from shared.ports.document_writes import Create, Put, ReplaceDocument

COMMIT_ENDLESSLY = """
import asyncio, sys
from pathlib import Path
from itertools import count
from local.embedded.database import SqliteDocumentDatabase
from shared.ports.document_writes import Create

async def main():
    database = await SqliteDocumentDatabase.open(Path(sys.argv[1]))
    for n in count():
        await database.commit([Create(f"c/{n}", {"n": n}), Create(f"d/{n}", {"n": n})])
        print(n, flush=True)

asyncio.run(main())
"""


async def test_committed_documents_survive_a_sigkill(spawn, file_path):
    process = await spawn(COMMIT_ENDLESSLY, file_path)
    async with asyncio.timeout(60):
        committed = [int(await process.stdout.readline()) for _ in range(20)]
    process.kill()
    committed += [int(line) for line in (await process.stdout.read()).split()]
    database = await SqliteDocumentDatabase.open(file_path)
    found = [document.data["n"] for document in await database.query(Query("c", "n", limit=100_000))]
    twins = [document.data["n"] for document in await database.query(Query("d", "n", limit=100_000))]
    await database.commit([Create("c/after", {})])
    await database.aclose()
    assert (found[: len(committed)], found) == (committed, twins)


def bytes_of(directory):
    return b"".join(path.read_bytes() for path in directory.iterdir() if path.is_file())


SECRET = "a-secret-of-the-user"  # ASCII, as documents are stored as JSON that escapes all else


async def test_a_deleted_text_is_in_no_file_of_the_directory_of_an_open_database(file_path, database):
    for n in range(50):
        await database.commit([Put("s/1", {"text": f"{SECRET} {n}" * 500}), Put(f"s/1/turns/{n}", {"text": SECRET})])
    assert SECRET.encode() in bytes_of(file_path.parent)
    assert await database.remove_tree("s/1") == 51
    assert SECRET.encode() not in bytes_of(file_path.parent)


async def test_a_copy_of_the_file_alone_taken_from_a_running_server_holds_all_that_was_committed(file_path, database):
    for n in range(50):
        await database.commit([Put(f"c/{n}", {"n": n})])
    copy = shutil.copy(file_path, file_path.parent.parent)
    again = await SqliteDocumentDatabase.open(Path(copy))
    assert len(await again.query(Query("c", "n", limit=100))) == 50
    await again.aclose()


async def test_a_copy_that_lacks_its_log_is_refused_and_not_started_empty(file_path, tmp_path):
    connection = sqlite3.connect(tmp_path / "cbot.sqlite3")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE documents (path TEXT)")
    file_path.parent.mkdir()
    shutil.copy(tmp_path / "cbot.sqlite3", file_path)
    connection.close()
    with pytest.raises(ConfigError, match=r"none of CBot's tables.*without the cbot.sqlite3-wal"):
        await SqliteDocumentDatabase.open(file_path)


async def test_a_full_disk_raises_store_unavailable_and_leaves_the_database_usable(database):
    await database.commit([Put("c/1", {"n": 1})])
    ((pages,),) = await database.file.fetch("PRAGMA page_count")
    await database.file.fetch(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreUnavailable, match="full"):
        await database.commit([Put("c/1", {"n": 2}), Put("c/2", {"text": "x" * 100_000})])
    await database.commit([Put("c/3", {"n": 3})])
    found = await database.get(["c/1", "c/2", "c/3"])
    assert [document and document.data for document in found] == [{"n": 1}, None, {"n": 3}]


async def test_an_emptied_file_is_refused_with_instructions_and_not_initialised(file_path, database):
    await database.commit([Put("c/1", {"text": "kept"})])
    await database.aclose()
    file_path.write_bytes(b"")
    with pytest.raises(ConfigError, match=rf"{file_path} is empty.*restore it.*delete it"):
        await SqliteDocumentDatabase.open(file_path)
    assert file_path.stat().st_size == 0
    file_path.unlink()
    again = await SqliteDocumentDatabase.open(file_path)
    assert await again.get(["c/1"]) == [None]
    await again.aclose()


async def test_a_file_that_is_no_database_or_of_a_newer_version_is_a_config_error(file_path, database):
    await database.file.fetch("PRAGMA user_version = 99")
    await database.aclose()
    with pytest.raises(ConfigError, match="newer CBot"):
        await SqliteDocumentDatabase.open(file_path)
    file_path.write_bytes(b"not a database, but long enough to be taken for one" * 100)
    with pytest.raises(ConfigError, match="not a usable database"):
        await SqliteDocumentDatabase.open(file_path)


async def test_leases_and_claims_of_a_killed_server_are_released_and_nothing_else_changes(database):
    session = {"lease": "a word", "claims": {"plan": {"holder": "c1-plan-3", "attempt": 1}}, "seq": 3}
    mailbox = {"inbox": [{"message_id": "m1"}], "lease": {"token": 3}}
    paths = ["sessions/c1", "sessions/c1/turns/m1", "mailboxes/c1"]
    documents = zip(paths, (session, {"claims": {"a": 1}}, mailbox), strict=True)
    *_, before = await database.commit([Create(path, data) for path, data in documents])
    await release_leases(database.file)
    *others, freed = await database.get(paths)
    assert [document.data for document in others] == [{**session, "claims": {}}, {"claims": {"a": 1}}]
    assert freed.data == {**mailbox, "lease": None}
    # a writer from before the release is stale, and no later write bears the same version
    (other,) = await database.commit([Put("audit/a1", {})])
    assert len({before, freed.version, other}) == 3
    with pytest.raises(VersionConflict):
        await database.commit([ReplaceDocument(paths[-1], {}, before)])
    (claimed,) = await database.commit([ReplaceDocument(paths[-1], {"lease": {"token": 4}}, freed.version)])
    assert claimed not in (freed.version, other)
