"""What callers meet when the network or the backend fails; what it does when they do not is the port's contract."""

import grpc
import pytest

from shared.domain.errors import DocumentExists, StoreError, StoreUnavailable, VersionConflict
from shared.ports.document_database import Query
from shared.ports.document_writes import Create, Put, ReplaceDocument

pytestmark = pytest.mark.emulator

PASSING = [
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.DEADLINE_EXCEEDED,
]
REFUSALS = [
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
]


async def test_a_commit_that_the_backend_never_got_is_sent_again(database, front):
    front.faults += [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ABORTED]
    (version,) = await database.commit([Create("c/1", {"a": 1})])
    (found,) = await database.get(["c/1"])
    assert (found.data, found.version) == ({"a": 1}, version)
    assert front.heard == ["Commit"] * 3 + ["BatchGetDocuments"]


async def test_a_create_whose_answer_was_lost_meets_itself(database, front):
    front.faults.append("lost")
    with pytest.raises(DocumentExists) as met:
        await database.commit([Create("c/1", {"a": 1})])
    assert met.value.path == "c/1"
    (found,) = await database.get(["c/1"])
    assert found.data == {"a": 1}


async def test_a_replace_whose_answer_was_lost_conflicts_with_itself(database, front):
    (version,) = await database.commit([Create("c/1", {"n": 0})])
    front.faults.append("lost")
    with pytest.raises(VersionConflict):
        await database.commit([ReplaceDocument("c/1", {"n": 1}, version)])
    (found,) = await database.get(["c/1"])
    assert found.data == {"n": 1}


@pytest.mark.parametrize("status", [*PASSING[2:], grpc.StatusCode.RESOURCE_EXHAUSTED])
async def test_a_commit_whose_outcome_is_unknown_or_that_the_quota_refuses_is_not_repeated(database, front, status):
    front.faults.append(status)
    with pytest.raises(StoreUnavailable, match=status.name):
        await database.commit([Put("c/1", {})])
    assert front.heard == ["Commit"]


async def test_a_commit_that_hangs_is_given_up(impatient, front):
    front.faults.append("hang")
    with pytest.raises(StoreUnavailable, match="DEADLINE_EXCEEDED"):
        await impatient.commit([Put("c/1", {})])


async def test_a_read_that_hangs_is_repeated(impatient, front):
    front.faults.append("hang")
    assert await impatient.get(["c/1"]) == [None]
    assert front.heard[:2] == ["BatchGetDocuments"] * 2


@pytest.mark.parametrize("fault", [*PASSING, "lost"])
async def test_a_read_is_repeated_after_a_passing_failure_and_comes_whole(database, front, fault):
    await database.commit([Put(f"c/{n}", {"n": n}) for n in range(3)])
    front.faults.append(fault)
    assert [found.data["n"] for found in await database.get(["c/0", "c/1", "c/2"])] == [0, 1, 2]
    front.faults.append(fault)
    assert [found.data["n"] for found in await database.query(Query("c", "n"))] == [0, 1, 2]


async def test_a_backend_that_stays_away_is_unavailable(impatient, front):
    front.faults += [grpc.StatusCode.UNAVAILABLE] * 100
    with pytest.raises(StoreUnavailable, match="UNAVAILABLE"):
        await impatient.get(["c/1"])
    assert len(front.heard) > 1


@pytest.mark.parametrize("status", REFUSALS)
async def test_a_refusal_is_no_outage_and_keeps_the_backends_words_to_itself(database, front, status):
    for call in (database.get(["c/1"]), database.commit([Put("c/1", {})]), database.query(Query("c", "n"))):
        front.faults.append(status)
        with pytest.raises(StoreError, match=status.name) as caught:
            await call
        assert type(caught.value) is StoreError
        assert front.words not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__
    assert front.heard == ["BatchGetDocuments", "Commit", "RunQuery"]


async def test_a_missing_index_is_a_refusal_that_names_the_query(database, front):
    front.faults.append(grpc.StatusCode.FAILED_PRECONDITION)
    with pytest.raises(StoreError, match="query of conversations by created_at, user_id given: FAILED_PRECONDITION"):
        await database.query(Query("conversations", "created_at", where={"user_id": "u"}))


async def test_a_document_beyond_one_mebibyte_is_refused(database):
    with pytest.raises(StoreError, match="a commit of 1 writes: INVALID_ARGUMENT"):
        await database.commit([Put("c/1", {"text": "x" * 1_100_000})])


async def test_a_conflict_is_told_even_if_its_document_cannot_be_looked_at(database, front):
    old = await database.commit([Put("c/1", {"n": 1}), Put("c/2", {"n": 1})])
    await database.commit([Put("c/2", {"n": 2})])
    front.heard.clear()
    front.faults += [None, grpc.StatusCode.PERMISSION_DENIED]
    writes = [ReplaceDocument(f"c/{n}", {"n": 3}, version) for n, version in enumerate(old, 1)]
    with pytest.raises(VersionConflict):
        await database.commit(writes)
    assert front.heard == ["Commit", "BatchGetDocuments"]


async def test_a_removal_that_broke_off_is_finished_by_the_next(database, front):
    paths = [f"s/1/t/{n:03}" for n in range(250)]
    await database.commit([Put(path, {}) for path in ["s/1", *paths]])
    front.faults += [None, None, None, grpc.StatusCode.PERMISSION_DENIED]
    with pytest.raises(StoreError):
        await database.remove_tree("s/1")
    left = [document.path for document in await database.tree("s/1")]
    assert left[0] == "s/1"
    assert 1 < len(left) < 251
    assert await database.remove_tree("s/1") == len(left)
    assert await database.tree("s/1") == []
