import pytest

from shared.adapters.firestore.operations import CountedDatabase, Operations
from shared.domain.errors import DocumentExists
from shared.ports.document_database import Query
from shared.ports.document_writes import Create, Put, Remove
from tests.fakes.memory_database import MemoryDocumentDatabase


@pytest.fixture
async def counted():
    inner = MemoryDocumentDatabase()
    await inner.commit([Put(path, {"n": 1}) for path in ("c/1", "c/2", "c/1/d/1")])
    return CountedDatabase(inner)


async def cost(counted, doing):
    before = counted.done
    result = await doing
    return result, counted.done.since(before)


async def test_a_get_reads_each_document_once_found_or_not(counted):
    found, spent = await cost(counted, counted.get(["c/1", "c/9", "c/1"]))
    assert [bool(document) for document in found] == [True, False, True]
    assert spent == Operations(reads=2)


async def test_a_commit_counts_what_it_writes_and_deletes(counted):
    versions, spent = await cost(counted, counted.commit([Put("c/3", {}), Create("c/4", {}), Remove("c/1")]))
    assert len(versions) == 3
    assert spent == Operations(writes=2, deletes=1, commits=1)


async def test_a_refused_commit_is_one_and_writes_nothing(counted):
    with pytest.raises(DocumentExists):
        await counted.commit([Put("c/3", {}), Create("c/1", {})])
    assert counted.done == Operations(commits=1)


async def test_a_commit_of_nothing_is_none(counted):
    assert await cost(counted, counted.commit([])) == ([], Operations())


async def test_a_query_reads_what_it_finds_and_at_least_one(counted):
    assert (await cost(counted, counted.query(Query("c", "n"))))[1] == Operations(reads=2, queries=1)
    assert (await cost(counted, counted.query(Query("none", "n"))))[1] == Operations(reads=1, queries=1)


async def test_a_tree_and_its_removal_count_their_documents(counted):
    assert (await cost(counted, counted.tree("c/1")))[1] == Operations(reads=2, queries=1)
    assert await cost(counted, counted.remove_tree("c/1")) == (
        2,
        Operations(reads=2, deletes=2, commits=1, queries=1),
    )
