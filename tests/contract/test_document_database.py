"""The contract of `DocumentDatabase`; `tests/support/databases.py` opens the databases."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.domain.errors import DocumentExists, StoreError, VersionConflict
from shared.ports.document_database import Nearest, Query
from shared.ports.document_writes import Add, Create, Put, Remove, ReplaceDocument, Vector
from tests.support.polling import eventually

BAD_PATHS = ["", "c", "c/", "/1", "c/1/d", "c//d/1", "c/.", "c/..", "c/__x__", "__x__/1", "c/a\nb", "c/" + "가" * 501]
NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


async def fields(database, path):
    (document,) = await database.get([path])
    return document and document.data


async def failure(database, *writes):
    """Return the type and the path of the error of a commit."""
    with pytest.raises(StoreError) as caught:
        await database.commit(writes)
    return type(caught.value), caught.value.path


async def names(database, query):
    return [document.path.rpartition("/")[2] for document in await database.query(query)]


class TestWrites:
    async def test_a_created_document_is_found_with_its_path_data_and_version_and_created_once(self, database):
        (version,) = await database.commit([Create("c/1", {"a": 1})])
        assert await failure(database, Create("c/1", {"a": 2})) == (DocumentExists, "c/1")
        (document,) = await database.get(["c/1"])
        assert (document.path, document.data, document.version) == ("c/1", {"a": 1}, version)
        assert await database.commit([Remove("c/1")]) == await database.commit([Remove("c/1")]) == [""]
        assert await database.commit([Create("c/1", {})]) != [version], "a new document has a new version"

    async def test_a_replace_at_the_version_read_replaces_every_field_and_at_another_is_refused(self, database):
        (old,) = await database.commit([Create("c/1", {"a": 1, "b": 1})])
        (new,) = await database.commit([ReplaceDocument("c/1", {"b": 2}, old)])
        assert new != old
        assert await failure(database, ReplaceDocument("c/1", {"a": 3}, old)) == (VersionConflict, "c/1")
        assert await fields(database, "c/1") == {"b": 2}
        await database.commit([Put("c/1", {"a": 2})])
        assert await failure(database, ReplaceDocument("c/1", {"a": 3}, new)) == (VersionConflict, "c/1")
        assert await fields(database, "c/1") == {"a": 2}
        await database.commit([Remove("c/1")])
        assert await failure(database, ReplaceDocument("c/1", {}, new)) == (VersionConflict, "c/1")
        assert await fields(database, "c/1") is None

    async def test_the_version_returned_by_a_write_without_change_can_be_replaced(self, database):
        (version,) = await database.commit([Create("c/1", {"a": 1})])
        (later,) = await database.commit([ReplaceDocument("c/1", {"a": 1}, version)])
        (last,) = await database.commit([ReplaceDocument("c/1", {"a": 2}, later)])
        assert await failure(database, ReplaceDocument("c/1", {"a": 3}, version)) == (VersionConflict, "c/1")
        assert last not in {version, later}

    async def test_a_made_up_version_matches_neither_a_document_nor_a_missing_one(self, database, subtests):
        await database.commit([Put("c/there", {"a": 1})])
        for version in ("", "0", "0.000000000", "-1.000000000", "1.000000000", "9" * 30, "latest"):
            for path, there in (("c/there", {"a": 1}), ("c/none", None)):
                with subtests.test(version=version, path=path):
                    assert await failure(database, ReplaceDocument(path, {"a": 2}, version)) == (VersionConflict, path)
                    assert await fields(database, path) == there

    async def test_a_remove_with_a_version_is_refused_at_another_version(self, database):
        (old,) = await database.commit([Create("c/1", {"a": 1})])
        (new,) = await database.commit([Put("c/1", {"a": 2})])
        for path, version in (("c/1", old), ("c/none", new)):
            assert await failure(database, Put("c/other", {}), Remove(path, version)) == (VersionConflict, path)
        assert [await fields(database, path) for path in ("c/1", "c/other")] == [{"a": 2}, None]
        assert await database.commit([Remove("c/1", new)]) == [""]
        assert await fields(database, "c/1") is None

    async def test_a_commit_returns_a_version_for_each_write_in_order(self, database):
        versions = await database.commit([Put("c/1", {}), Remove("c/2"), Put("c/3", {})])
        first, third = await database.get(["c/1", "c/3"])
        assert versions == [first.version, "", third.version]
        assert await database.commit([]) == []

    async def test_an_addition_creates_the_document_adds_to_its_numbers_and_returns_them(self, database):
        (made,) = await database.commit([Add("c/1", {"day": "1", "at": NOON}, {"n": 1, "won": 0.5})])
        _, again = await database.commit([Put("c/2", {}), Add("c/1", {"day": "2"}, {"n": 2, "more": 4})])
        assert (made.numbers, again.numbers) == ({"n": 1, "won": 0.5}, {"n": 3, "more": 4})
        (document,) = await database.get(["c/1"])
        assert document.data == {"day": "2", "at": NOON, "n": 3, "won": 0.5, "more": 4}
        assert document.version == again != made
        assert await failure(database, Add("c/1", {}, {"n": 1}), Create("c/2", {})) == (DocumentExists, "c/2")
        assert (await fields(database, "c/1"))["n"] == 3

    @pytest.mark.parametrize(
        "failing", [Create("c/there", {}), ReplaceDocument("c/there", {}, "0"), ReplaceDocument("c/none", {}, "1")]
    )
    async def test_a_failed_commit_writes_nothing(self, database, failing):
        await database.commit([Create("c/there", {"a": 1}), Create("c/other", {"a": 1})])
        before, after = [Create("c/new", {}), Put("c/other", {"a": 2})], [Remove("c/there"), Put("c/late", {})]
        assert (await failure(database, *before, failing, *after))[1] == failing.path
        assert await database.get(["c/new", "c/late", "c/none"]) == [None, None, None]
        assert [await fields(database, path) for path in ("c/there", "c/other")] == [{"a": 1}] * 2

    async def test_the_error_names_the_first_write_that_failed(self, database, subtests):
        (old,) = await database.commit([Create("c/1", {"a": 1})])
        (new,) = await database.commit([Put("c/1", {"a": 2})])
        (other,) = await database.commit([Create("c/11", {"a": 1})])
        fine = [ReplaceDocument("c/1", {"a": 3}, new), Create("c/9", {}), Put("c/8", {})]
        older = ReplaceDocument("c/1", {}, old)
        cases = [
            ([*fine, ReplaceDocument("c/11", {}, old)], VersionConflict, "c/11"),
            ([*fine, ReplaceDocument("c/7", {}, new)], VersionConflict, "c/7"),
            ([*fine, Create("c/11", {})], DocumentExists, "c/11"),
            ([Create("c/1", {}), ReplaceDocument("c/11", {}, old)], DocumentExists, "c/1"),
            ([older, Create("c/11", {})], VersionConflict, "c/1"),
            ([ReplaceDocument("c/11", {}, other), older], VersionConflict, "c/1"),
        ]
        for writes, error, path in cases:
            with subtests.test(writes=writes):
                assert await failure(database, *writes) == (error, path)

    async def test_an_invalid_path_and_a_time_without_a_zone_are_refused(self, database, subtests):
        for path in BAD_PATHS:
            for write in (Put(path, {}), Create(path, {}), ReplaceDocument(path, {}, "1"), Remove(path)):
                with subtests.test(write=write), pytest.raises(ValueError, match="path"):
                    await database.commit([Put("c/1", {}), write])
        with pytest.raises(ValueError, match="time zone"):
            await database.commit([Put("c/1", {"at": NOON.replace(tzinfo=None)})])
        assert await fields(database, "c/1") is None


class TestReads:
    async def test_documents_are_returned_in_the_requested_order_with_none_for_a_missing_one(self, database):
        await database.commit([Put("c/1", {"n": 1}), Put("c/2", {"n": 2})])
        found = await database.get(["c/2", "c/none", "c/1", "c/2"])
        assert [document and document.data["n"] for document in found] == [2, None, 1, 2]
        assert await database.get([]) == []
        assert await database.query(Query("none", "n")) == []

    async def test_an_invalid_path_finds_no_document(self, database):
        await database.commit([Put("c/1", {})])
        (*nothing, found) = await database.get([*BAD_PATHS, "c/1"])
        assert (set(nothing), found.data) == ({None}, {})
        assert await database.query(Query("c/__x__/m", "n")) == await database.tree("c/__x__") == []
        assert await database.remove_tree("c/__x__") == 0

    async def test_changing_read_or_written_data_does_not_change_the_store(self, database):
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
        assert (data["at"].tzinfo, type(data["at"])) == (UTC, datetime)

    async def test_data_is_read_back_unchanged_and_a_lone_surrogate_does_not_break_the_store(self, database, subtests):
        cases = [
            {},
            {"text": "안녕하세요 👋🏽 العربية \u0000 \x7f \u2028"},
            {"numbers": [0, -1, 2**63 - 1, -(2**63), 0.1, 1e300, -5e-324, 1.0, float("inf")]},
            {"kinds": [None, True, False, 0, 0.0, "", [], {}]},
            {"deep": [[], [[1], [[{"a": [["b"]]}]]], {"$array": [[1]]}], "$array": [[]]},
            {"__type__": "__vector__", "value": [1.0], "in": {"__oid__": "", "__type__": "__vector__"}},
            {"$datetime": "not one", "$": 1, "$$x": {"$float": "1"}, "": 2, "a.b": 3, '"': 4},
        ]
        await database.commit([Put("c/1", {"text": "\ud83d"})])
        assert len(await database.query(Query("c", "text"))) == 1
        for data in cases:
            with subtests.test(data=data):
                await database.commit([Put("c/1", data)])
                found = await fields(database, "c/1")
                assert found == data
                assert repr(sorted(found.items())) == repr(sorted(data.items()))


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
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_nested_data_is_read_back_unchanged(opener, documents):
    async def round_trip():
        async with opener() as connect:
            database = await connect()
            await database.commit([Put(f"c/{i}", data) for i, data in enumerate(documents)])
            found = await database.get([f"c/{i}" for i in range(len(documents))])
            assert [document.data for document in found] == documents

    asyncio.run(round_trip())


class TestConcurrency:
    async def test_of_fifty_creates_of_one_path_exactly_one_wins(self, connect):
        clients = [await connect(), await connect()]

        writes = [[Put(f"c/side-{n}", {}), Create("c/1", {"winner": n})] for n in range(50)]
        commits = (clients[n % 2].commit(both) for n, both in enumerate(writes))
        results = await asyncio.gather(*commits, return_exceptions=True)
        won = [n for n, result in enumerate(results) if not isinstance(result, DocumentExists)]
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
                    await database.commit([ReplaceDocument("c/1", {"n": document.data["n"] + 1}, document.version)])
                except VersionConflict:
                    continue
                return

        async with asyncio.timeout(30):
            await asyncio.gather(*(increment(clients[n % 2]) for n in range(20)))
        assert await fields(clients[1], "c/1") == {"n": 20}

    async def test_concurrent_additions_do_not_conflict_and_none_is_lost(self, connect):
        clients = [await connect(), await connect()]
        async with asyncio.timeout(30):
            done = [clients[n % 2].commit([Put(f"c/{n}", {}), Add("c/sum", {}, {"n": 1})]) for n in range(20)]
            sums = [left.numbers["n"] for _, left in await asyncio.gather(*done)]
        assert sorted(sums) == list(range(1, 21))

    async def test_readers_never_see_half_a_commit(self, connect, request):
        # The emulator shows a commit's writes one after another, in their order; Firestore shows them at once.
        ahead = {0, 1} if request.node.get_closest_marker("emulator") else {0}
        writer, reader = await connect(), await connect()
        await writer.commit([Put("c/1", {"n": 0}), Put("c/2", {"n": 0})])

        async def write():
            for n in range(1, 40):
                await writer.commit([Put("c/1", {"n": n}), Put("c/2", {"n": n})])

        async def read(database):
            seen = -1
            while seen < 39:
                one, two = await database.get(["c/1", "c/2"])
                assert one.data["n"] - two.data["n"] in ahead
                assert two.data["n"] >= seen
                seen = two.data["n"]

        async with asyncio.timeout(30):
            await asyncio.gather(write(), read(writer), read(reader))

    async def test_a_cancelled_commit_is_written_whole_or_not_at_all(self, database):
        for n in range(30):
            task = asyncio.create_task(database.commit([Put(f"c/{n}-{part}", {}) for part in range(3)]))
            for _ in range(n % 10):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await database.commit([Put("d/1", {})])

        async def whole():
            written = [document.path.partition("-")[0] for document in await database.tree("c")]
            return {written.count(name) for name in written} <= {3}

        await eventually(whole, what="the end of the cancelled commits")


ORDERED = [None, False, True, -1, 0.5, 3, NOON, "", "1", "가"]
"""Values of all types as they sort: by type first."""


class TestQueries:
    @pytest.fixture(autouse=True)
    async def _messages(self, database):
        second, tick = timedelta(seconds=1), timedelta(microseconds=1)
        messages = {
            "c/1/m/b": {"n": 2, "at": NOON + second, "role": "user", "in": {"x": 1}},
            "c/1/m/a": {"n": 2, "at": NOON, "role": "counselor", "in": {"x": 2}},
            "c/1/m/c": {"n": 10, "at": NOON + tick, "role": "user"},
            "c/1/m/d": {"n": 1.5, "at": NOON + timedelta(days=400), "role": None},
            "c/1/m/e": {"role": "user"},
        }
        others = {path: {"n": 2} for path in ("c/1/m/a/deeper/1", "c/10/m/x", "c/1")}
        await database.commit([Put(path, data) for path, data in (messages | others).items()])

    async def test_find_the_documents_of_one_collection_in_order_of_field_and_path(self, database, subtests):
        elsewhere = (NOON + timedelta(seconds=1)).astimezone(timezone(timedelta(hours=9)))
        soon, tick = NOON + timedelta(1), NOON + timedelta(microseconds=1)
        cases = [
            ("n", {}, "dabc"), ("n", {"descending": True}, "cbad"), ("at", {}, "acbd"), ("n", {"limit": 2}, "da"),
            ("n", {"after": 2}, "c"), ("n", {"after": 2, "descending": True}, "d"), ("at", {"after": NOON}, "cbd"),
            ("at", {"after": elsewhere}, "d"), ("n", {"until": 2}, "dab"), ("n", {"until": 1}, ""),
            ("n", {"until": 2, "descending": True}, "cba"), ("at", {"until": tick}, "ac"),
            ("n", {"after": 1.5, "until": 2}, "ab"), ("n", {"after": 2, "until": 2}, ""),
            ("n", {"after": 10, "until": 2, "descending": True}, "ba"),
            ("at", {"until": soon, "where": {"role": "user"}, "limit": 1}, "c"),
            ("role", {}, "dabce"), ("in.x", {}, "ba"), ("at", {"where": {"role": "user"}}, "cb"),
            ("at", {"where": {"role": "user", "n": 2}}, "b"), ("at", {"where": {"n": 2.0}}, "ab"),
            ("at", {"where": {"n": "2"}}, ""), ("at", {"where": {"at": NOON}}, "a"),
            ("at", {"where": {"role": None}}, "d"), ("at", {"where": {"in.x": 2}}, "a"),
            ("at", {"where": {"nowhere": None}}, ""),
        ]  # fmt: skip
        for field, limits, expected in cases:
            with subtests.test(field=field, limits=limits):
                assert await names(database, Query("c/1/m", field, **limits)) == list(expected)

    async def test_sort_values_by_type_first_and_apply_a_bound_within_its_type(self, database):
        await database.commit([Put(f"t/{9 - n}", {"k": value}) for n, value in enumerate(ORDERED)])
        await database.commit([Put("t/without", {"other": 1})])

        async def found(**query):
            return [document.data["k"] for document in await database.query(Query("t", "k", **query))]

        assert await found() == ORDERED
        assert await found(descending=True, after=NOON) == ORDERED[5::-1]
        assert await found(until=False) == [False]
        assert await found(until=0.5) == [-1, 0.5]
        assert await found(until=NOON) == [NOON]
        assert await found(until="1") == ["", "1"]
        assert await found(until=0, descending=True) == [3, 0.5]
        assert await found(until="", after="가", descending=True) == ["1", ""]

    async def test_distinguish_true_from_one(self, database):
        await database.commit([Put("t/1", {"k": True}), Put("t/2", {"k": 1})])
        assert await names(database, Query("t", "k", where={"k": True})) == ["1"]
        assert await names(database, Query("t", "k", where={"k": 1})) == ["2"]

    async def test_with_an_invalid_field_name_are_refused(self, database, subtests):
        for name in ("", "a b", "1a", "a.", ".a", "a..b", "a`", "__name__", "a.__b__", "a-b", "가"):
            for query in (Query("c/1/m", name), Query("c/1/m", "n", where={name: 1})):
                with subtests.test(query=query), pytest.raises(ValueError, match="no field"):
                    await database.query(query)

    async def test_that_page_by_after_return_every_document_once(self, database):
        await database.commit([Put(f"p/{n:03}", {"seq": n}) for n in range(25)])
        seen, after = [], None
        while page := await database.query(Query("p", "seq", after=after, limit=7)):
            seen += [document.data["seq"] for document in page]
            after = seen[-1]
        assert seen == list(range(25))


class TestTrees:
    @pytest.fixture(autouse=True)
    async def _tree(self, database):
        paths = ("s/1", "s/1/t/b", "s/1/t/a", "s/1/t/a/u/1", "s/1-", "s/10", "s/10/t/a", "s/0")
        await database.commit([Put(path, {}) for path in paths])

    async def paths(self, database, path):
        return [document.path for document in await database.tree(path)]

    async def test_a_tree_lists_the_document_and_its_descendants_even_if_the_document_is_removed(self, database):
        below = ["s/1/t/a", "s/1/t/a/u/1", "s/1/t/b"]
        assert await self.paths(database, "s/1") == ["s/1", *below]
        await database.commit([Remove("s/1")])
        assert await self.paths(database, "s/1") == below

    async def test_removing_a_large_tree_removes_only_that_tree_and_can_be_repeated(self, database):
        for start in range(0, 450, 150):
            await database.commit([Put(f"s/1/big/{n:03}/deep/1", {"n": n}) for n in range(start, start + 150)])
        assert len(await database.tree("s/1")) == 454
        assert [await database.remove_tree("s/1"), await database.remove_tree("s/1")] == [454, 0]
        assert await self.paths(database, "s/1") == []
        assert await self.paths(database, "s") == ["s/0", "s/1-", "s/10", "s/10/t/a"]


class TestNearest:
    async def test_the_nearest_documents_of_one_collection_come_first_with_their_cosines(self, database):
        written = {
            "c/1/d/far": {"v": Vector((0.0, 1.0))},
            "c/1/d/near": {"v": Vector((2.0, 0.0)), "a": [1], "at": NOON},
            "c/1/d/behind": {"v": Vector((-1.0, 0.0))},
            "c/1/d/longer": {"v": Vector((1.0, 0.0, 0.0))},
            "c/1/d/none": {"v": [1.0, 0.0]},
            "c/2/d/other": {"v": Vector((1.0, 0.0))},
        }
        await database.commit([Put(path, data) for path, data in written.items()])
        found = await database.nearest(Nearest("c/1/d", "v", Vector((3.0, 0.0)), 9))
        assert [(document.path, document.data) for document, _ in found] == [
            (path, written[path]) for path in ("c/1/d/near", "c/1/d/far", "c/1/d/behind")]  # fmt: skip
        assert [cosine for _, cosine in found] == pytest.approx([1.0, 0.0, -1.0])
        assert len(await database.nearest(Nearest("c/1/d", "v", Vector((3.0, 0.0)), 1))) == 1
        assert await database.nearest(Nearest("c/3/d", "v", Vector((3.0, 0.0)), 1)) == []

    async def test_a_field_that_no_database_can_query_is_refused(self, database):
        with pytest.raises(ValueError, match="can be asked for"):
            await database.nearest(Nearest("c", "__v__", Vector((1.0,)), 1))
