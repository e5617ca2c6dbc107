"""What every `DocumentDatabase` does. To add one (Firestore), add its opener to `OPENERS`.

An opener yields `connect`: each call is one more client of the same, initially empty database.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local.embedded.database import SqliteDocumentDatabase
from shared.domain.errors import DocumentExists, StoreError, VersionConflict
from shared.ports.document_database import (
    Create,
    DocumentDatabase,
    Put,
    Query,
    Remove,
    Replace,
)
from tests.fakes.memory_database import MemoryDocumentDatabase

Connect = Callable[[], Awaitable[DocumentDatabase]]


@asynccontextmanager
async def memory() -> AsyncIterator[Connect]:
    database = MemoryDocumentDatabase()

    async def connect() -> DocumentDatabase:
        return database

    yield connect


@asynccontextmanager
async def sqlite() -> AsyncIterator[Connect]:
    with tempfile.TemporaryDirectory() as directory:
        async with AsyncExitStack() as stack:

            async def connect() -> DocumentDatabase:
                database = await SqliteDocumentDatabase.open(Path(directory) / "cbot.sqlite3", exclusive=False)
                stack.push_async_callback(database.aclose)
                return database

            yield connect


OPENERS = {"memory": memory, "sqlite": sqlite}

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


@pytest.fixture(params=OPENERS)
def opener(request):
    return OPENERS[request.param]


@pytest.fixture
async def connect(opener):
    async with opener() as connect:
        yield connect


@pytest.fixture
async def database(connect):
    return await connect()


async def fields(database, path):
    (document,) = await database.get([path])
    return document and document.data


async def names(database, query):
    return [document.path.rpartition("/")[2] for document in await database.query(query)]


class TestWrites:
    async def test_a_created_document_is_found_with_its_path_data_and_version(self, database):
        (version,) = await database.commit([Create("c/1", {"a": 1})])
        (document,) = await database.get(["c/1"])
        assert (document.path, document.data, document.version) == ("c/1", {"a": 1}, version)

    async def test_a_create_refuses_a_document_that_exists(self, database):
        await database.commit([Create("c/1", {"a": 1})])
        with pytest.raises(DocumentExists) as caught:
            await database.commit([Create("c/1", {"a": 2})])
        assert caught.value.path == "c/1"
        assert await fields(database, "c/1") == {"a": 1}

    async def test_a_removed_document_can_be_created_again_and_gets_another_version(self, database):
        (first,) = await database.commit([Create("c/1", {})])
        await database.commit([Remove("c/1")])
        (second,) = await database.commit([Create("c/1", {})])
        assert first != second

    async def test_a_replace_at_the_version_read_replaces_every_field(self, database):
        (version,) = await database.commit([Create("c/1", {"a": 1, "b": 1})])
        (newer,) = await database.commit([Replace("c/1", {"b": 2}, version)])
        assert newer != version
        assert await fields(database, "c/1") == {"b": 2}

    async def test_a_replace_at_a_stale_version_is_refused(self, database):
        (version,) = await database.commit([Create("c/1", {"a": 1})])
        await database.commit([Put("c/1", {"a": 2})])
        with pytest.raises(VersionConflict) as caught:
            await database.commit([Replace("c/1", {"a": 3}, version)])
        assert caught.value.path == "c/1"
        assert await fields(database, "c/1") == {"a": 2}

    async def test_a_replace_of_a_missing_document_is_refused(self, database):
        (version,) = await database.commit([Create("c/1", {})])
        await database.commit([Remove("c/1")])
        with pytest.raises(VersionConflict):
            await database.commit([Replace("c/1", {}, version)])
        assert await fields(database, "c/1") is None

    async def test_a_put_writes_whether_the_document_exists_or_not(self, database):
        await database.commit([Put("c/1", {"a": 1})])
        await database.commit([Put("c/1", {"b": 2})])
        assert await fields(database, "c/1") == {"b": 2}

    async def test_a_remove_of_nothing_is_no_error(self, database):
        assert await database.commit([Remove("c/1")]) == [""]

    async def test_a_commit_returns_a_version_for_each_write_in_order(self, database):
        versions = await database.commit([Put("c/1", {}), Remove("c/2"), Put("c/3", {})])
        first, third = await database.get(["c/1", "c/3"])
        assert versions == [first.version, "", third.version]

    async def test_nothing_to_write_is_no_error(self, database):
        assert await database.commit([]) == []

    @pytest.mark.parametrize(
        "failing", [Create("c/there", {}), Replace("c/there", {}, "0"), Replace("c/none", {}, "1")]
    )
    async def test_a_commit_that_fails_leaves_no_trace(self, database, failing):
        await database.commit([Create("c/there", {"a": 1}), Create("c/other", {"a": 1})])
        with pytest.raises(StoreError):
            await database.commit(
                [Create("c/new", {}), Put("c/other", {"a": 2}), failing, Remove("c/there"), Put("c/late", {})]
            )
        found = await database.get(["c/new", "c/late", "c/none"])
        assert found == [None, None, None]
        assert await fields(database, "c/there") == {"a": 1}
        assert await fields(database, "c/other") == {"a": 1}

    @pytest.mark.parametrize("path", ["", "c", "c/", "/1", "c/1/d", "c//d/1"])
    async def test_a_path_that_is_no_documents_path_is_refused(self, database, path):
        with pytest.raises(ValueError, match="path"):
            await database.commit([Put(path, {})])

    async def test_a_datetime_without_a_time_zone_is_refused(self, database):
        with pytest.raises(ValueError, match="time zone"):
            await database.commit([Put("c/1", {"at": NOON.replace(tzinfo=None)})])
        assert await fields(database, "c/1") is None


class TestReads:
    async def test_documents_come_in_the_order_asked_for_with_none_for_the_missing(self, database):
        await database.commit([Put("c/1", {"n": 1}), Put("c/2", {"n": 2})])
        found = await database.get(["c/2", "c/none", "c/1", "c/2"])
        assert [document and document.data["n"] for document in found] == [2, None, 1, 2]

    async def test_nothing_asked_for_is_nothing_found(self, database):
        assert await database.get([]) == []

    async def test_what_was_read_or_written_can_be_changed_without_touching_the_store(self, database):
        data = {"list": [1]}
        await database.commit([Put("c/1", data)])
        data["list"].append(2)
        (await fields(database, "c/1"))["list"].append(3)
        assert await fields(database, "c/1") == {"list": [1]}

    async def test_a_datetime_comes_back_as_the_same_moment_in_utc(self, database):
        moment = datetime(2026, 1, 31, 21, 0, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
        await database.commit([Put("c/1", {"at": moment, "deep": [{"at": moment}]})])
        data = await fields(database, "c/1")
        assert data == {"at": moment, "deep": [{"at": moment}]}
        assert data["at"].utcoffset() == timedelta(0)

    @pytest.mark.parametrize(
        "data",
        [
            {},
            {"text": "안녕하세요 👋🏽 العربية \u0000 \x7f \u2028"},
            {"numbers": [0, -1, 2**63 - 1, -(2**63), 0.1, 1e300, -5e-324, 1.0, float("inf")]},
            {"kinds": [None, True, False, 0, 0.0, "", [], {}]},
            {"$datetime": "not one", "$": 1, "$$x": {"$float": "1"}, "": 2, "a.b": 3, '"': 4},
        ],
    )
    async def test_data_comes_back_as_it_was(self, database, data):
        await database.commit([Put("c/1", data)])
        found = await fields(database, "c/1")
        assert found == data
        assert repr(sorted(found.items())) == repr(sorted(data.items()))

    async def test_a_lone_surrogate_does_not_break_the_store(self, database):
        await database.commit([Put("c/1", {"text": "\ud83d"})])
        assert len(await database.query(Query("c", "text"))) == 1
        await database.commit([Put("c/1", {"text": "ok"})])
        assert await fields(database, "c/1") == {"text": "ok"}


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.datetimes(timezones=st.just(UTC)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.text(), values, max_size=5), max_size=5))
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("name", OPENERS)
def test_any_nested_data_comes_back_as_it_was(name, documents):
    async def round_trip():
        async with OPENERS[name]() as connect:
            database = await connect()
            await database.commit([Put(f"c/{i}", data) for i, data in enumerate(documents)])
            found = await database.get([f"c/{i}" for i in range(len(documents))])
            assert [document.data for document in found] == documents

    asyncio.run(round_trip())


class TestConcurrency:
    async def test_of_fifty_creates_of_one_path_exactly_one_wins(self, connect):
        clients = [await connect(), await connect()]

        async def create(n):
            try:
                await clients[n % 2].commit([Put(f"c/side-{n}", {}), Create("c/1", {"winner": n})])
            except DocumentExists:
                return None
            return n

        won = [n for n in await asyncio.gather(*(create(n) for n in range(50))) if n is not None]
        assert len(won) == 1
        assert await fields(clients[0], "c/1") == {"winner": won[0]}
        assert [document.path for document in await clients[1].tree("c")] == ["c/1", f"c/side-{won[0]}"]

    async def test_a_counter_kept_by_compare_and_set_loses_no_increment(self, connect):
        clients = [await connect(), await connect()]
        await clients[0].commit([Create("c/1", {"n": 0})])

        async def increment(database):
            while True:
                (document,) = await database.get(["c/1"])
                try:
                    await database.commit([Replace("c/1", {"n": document.data["n"] + 1}, document.version)])
                except VersionConflict:
                    continue
                return

        async with asyncio.timeout(30):
            await asyncio.gather(*(increment(clients[n % 2]) for n in range(20)))
        assert await fields(clients[1], "c/1") == {"n": 20}

    async def test_readers_never_see_half_a_commit(self, connect):
        writer, reader = await connect(), await connect()
        await writer.commit([Put("c/1", {"n": 0}), Put("c/2", {"n": 0})])

        async def write():
            for n in range(1, 40):
                await writer.commit([Put("c/1", {"n": n}), Put("c/2", {"n": n})])

        async def read(database):
            seen = -1
            while seen < 39:
                one, two = await database.get(["c/1", "c/2"])
                assert one.data == two.data
                assert one.data["n"] >= seen
                seen = one.data["n"]

        async with asyncio.timeout(30):
            await asyncio.gather(write(), read(writer), read(reader))

    async def test_a_cancelled_commit_happens_whole_or_not_at_all_and_harms_no_other(self, database):
        for n in range(30):
            task = asyncio.create_task(database.commit([Put(f"c/{n}-{part}", {}) for part in range(3)]))
            for _ in range(n % 10):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await database.commit([Put("d/1", {})])
        written = [document.path.partition("-")[0] for document in await database.tree("c")]
        assert {written.count(name) for name in written} <= {3}


class TestQueries:
    @pytest.fixture(autouse=True)
    async def _messages(self, database):
        await database.commit(
            [
                Put("c/1/m/b", {"n": 2, "at": NOON + timedelta(seconds=1), "role": "user", "in": {"x": 1}}),
                Put("c/1/m/a", {"n": 2, "at": NOON, "role": "counselor", "in": {"x": 2}}),
                Put("c/1/m/c", {"n": 10, "at": NOON + timedelta(microseconds=1), "role": "user"}),
                Put("c/1/m/d", {"n": 1.5, "at": NOON + timedelta(days=400), "role": None}),
                Put("c/1/m/e", {"role": "user"}),
                Put("c/1/m/a/deeper/1", {"n": 2}),
                Put("c/10/m/x", {"n": 2}),
                Put("c/1", {"n": 2}),
            ]
        )

    async def test_documents_directly_in_the_collection_come_by_field_then_by_path(self, database):
        assert await names(database, Query("c/1/m", "n")) == ["d", "a", "b", "c"]

    async def test_descending_is_the_exact_reverse(self, database):
        assert await names(database, Query("c/1/m", "n", descending=True)) == ["c", "b", "a", "d"]

    async def test_datetimes_sort_by_time(self, database):
        assert await names(database, Query("c/1/m", "at")) == ["a", "c", "b", "d"]

    async def test_a_limit_takes_the_first(self, database):
        assert await names(database, Query("c/1/m", "n", limit=2)) == ["d", "a"]

    async def test_after_skips_all_that_share_the_value(self, database):
        assert await names(database, Query("c/1/m", "n", after=2)) == ["c"]
        assert await names(database, Query("c/1/m", "n", after=2, descending=True)) == ["d"]

    async def test_after_a_moment_comes_what_is_later(self, database):
        assert await names(database, Query("c/1/m", "at", after=NOON)) == ["c", "b", "d"]
        elsewhere = (NOON + timedelta(seconds=1)).astimezone(timezone(timedelta(hours=9)))
        assert await names(database, Query("c/1/m", "at", after=elsewhere)) == ["d"]

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            ({"role": "user"}, ["c", "b"]),
            ({"role": "user", "n": 2}, ["b"]),
            ({"n": 2.0}, ["a", "b"]),
            ({"n": "2"}, []),
            ({"at": NOON}, ["a"]),
            ({"role": None}, ["d"]),
            ({"in.x": 2}, ["a"]),
            ({"nowhere": None}, []),
        ],
    )
    async def test_where_asks_for_equal_values_of_equal_type(self, database, where, expected):
        assert await names(database, Query("c/1/m", "at", where=where)) == expected

    async def test_true_is_not_one(self, database):
        await database.commit([Put("t/1", {"k": True}), Put("t/2", {"k": 1})])
        assert await names(database, Query("t", "k", where={"k": True})) == ["1"]
        assert await names(database, Query("t", "k", where={"k": 1})) == ["2"]

    async def test_values_of_different_types_sort_by_type_first(self, database):
        ordered = [None, False, True, -1, 0.5, 3, NOON, "", "1", "가"]
        await database.commit([Put(f"t/{9 - n}", {"k": value}) for n, value in enumerate(ordered)])
        found = await database.query(Query("t", "k"))
        assert [document.data["k"] for document in found] == ordered
        found = await database.query(Query("t", "k", descending=True, after=NOON))
        assert [document.data["k"] for document in found] == ordered[5::-1]

    async def test_paging_by_after_meets_every_document_once(self, database):
        await database.commit([Put(f"p/{n:03}", {"seq": n}) for n in range(25)])
        seen, after = [], None
        while page := await database.query(Query("p", "seq", after=after, limit=7)):
            seen += [document.data["seq"] for document in page]
            after = seen[-1]
        assert seen == list(range(25))

    async def test_an_empty_collection_has_no_documents(self, database):
        assert await database.query(Query("none", "n")) == []


class TestTrees:
    @pytest.fixture(autouse=True)
    async def _tree(self, database):
        await database.commit(
            [Put(path, {}) for path in ("s/1", "s/1/t/b", "s/1/t/a", "s/1/t/a/u/1", "s/1-", "s/10", "s/10/t/a", "s/0")]
        )

    async def test_a_tree_is_the_document_and_all_below_it_by_path(self, database):
        assert [document.path for document in await database.tree("s/1")] == [
            "s/1",
            "s/1/t/a",
            "s/1/t/a/u/1",
            "s/1/t/b",
        ]

    async def test_what_hangs_below_a_missing_document_belongs_to_its_tree(self, database):
        await database.commit([Remove("s/1")])
        assert len(await database.tree("s/1")) == 3

    async def test_removing_a_tree_removes_nothing_else_and_can_be_repeated(self, database):
        assert await database.remove_tree("s/1") == 4
        assert await database.remove_tree("s/1") == 0
        assert [document.path for document in await database.tree("s")] == ["s/0", "s/1-", "s/10", "s/10/t/a"]
