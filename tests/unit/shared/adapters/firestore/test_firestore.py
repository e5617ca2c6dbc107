"""The adapter of Firestore without a backend: values, writes, errors, connections, and the count of what it costs."""

import asyncio
import socket
from datetime import UTC, datetime, timedelta, timezone

import pytest
from google.api_core import exceptions
from google.cloud.firestore_v1 import types
from google.protobuf import timestamp_pb2

from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.database import FirestoreDocumentDatabase, Patience
from shared.adapters.firestore.errors import suspects, translate
from shared.adapters.firestore.names import Names
from shared.adapters.firestore.operations import CountedDatabase, Operations
from shared.adapters.firestore.values import fields_of, put_fields
from shared.adapters.firestore.writes import commit_request, version_of
from shared.domain.errors import ConfigError, DocumentExists, StoreError, StoreUnavailable, VersionConflict
from shared.ports.document_database import Query
from shared.ports.document_writes import Create, Put, Remove, ReplaceDocument
from tests.fakes.memory_database import MemoryDocumentDatabase

Document = types.Document.pb()


def stored(data):
    document = Document()
    put_fields(data, document.fields)
    return document.fields


def nested_arrays(value):
    """Yield the arrays that lie directly in an array."""
    yield from (item for item in value.array_value.values if item.WhichOneof("value_type") == "array_value")
    for inner in (*value.array_value.values, *value.map_value.fields.values()):
        yield from nested_arrays(inner)


class TestValues:
    def test_have_other_names_where_firestore_keeps_theirs_for_itself(self):
        data = {"": 1, "__x__": 2, "$": 3, "$x": 4, "__x": 5, "x__": 6, "a.b": 7, "____": 8, "__\n__": 9, "___": 10}
        names = set(stored(data))
        assert names == {"$", "$__x__", "$$", "$$x", "__x", "x__", "a.b", "$____", "$__\n__", "___"}
        assert fields_of(stored(data)) == data

    def test_that_are_arrays_in_arrays_are_maps(self):
        (outer,) = stored({"a": [[1], 2]})["a"].array_value.values[:1]
        assert list(outer.map_value.fields) == ["$array"]
        data = {"a": [[[], [[1]]], {"b": [[2]]}, [1], 2]}
        assert list(nested_arrays(stored(data)["a"])) == []
        assert fields_of(stored(data)) == data

    def test_come_back_by_name(self):
        names = [f"name {n:02}" for n in range(40)]
        found = fields_of(stored({"in": dict.fromkeys(reversed(names)), **dict.fromkeys(reversed(names))}))
        assert (list(found), list(found["in"])) == (["in", *names], names)

    def test_that_are_moments_are_kept_in_utc_to_the_microsecond(self):
        moment = datetime(2026, 11, 1, 9, 0, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
        expected = timestamp_pb2.Timestamp()
        expected.FromDatetime(moment)
        assert stored({"at": moment})["at"].timestamp_value == expected
        for one in (moment, datetime(1, 1, 1, tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
            (found,) = fields_of(stored({"at": one})).values()
            assert (found, found.tzinfo, type(found)) == (one, UTC, datetime)
        document = Document()
        document.fields["at"].timestamp_value.nanos = 1_999
        assert fields_of(document.fields)["at"].microsecond == 1, "finer parts are cut off"

    def test_that_are_lone_surrogates_become_replacement_characters_and_pairs_what_they_spell(self):
        data = {"\ud83d": "a\udc00b", "pair": "\ud83d\ude00"}
        assert fields_of(stored(data)) == {"\ufffd": "a\ufffdb", "pair": "😀"}

    @pytest.mark.parametrize(
        ("data", "error", "told"),
        [
            *(({"n": [number]}, ValueError, "64 bits") for number in (2**63, -(2**63) - 1, 10**30)),
            *(({"a": [value]}, TypeError, "no document value") for value in (b"bytes", {1, 2}, object(), 1j)),
            ({"a": {1: 2}}, TypeError, "field name"),
            ({"a": {"at": datetime(2026, 1, 1)}}, ValueError, "time zone"),  # noqa: DTZ001 - that is the point
        ],
    )
    def test_that_cannot_be_stored_are_refused(self, data, error, told):
        with pytest.raises(error, match=told):
            stored(data)

    def test_of_a_type_that_is_never_written_are_refused_when_read(self):
        document = Document()
        document.fields["place"].geo_point_value.latitude = 1
        with pytest.raises(StoreError, match="geo_point_value"):
            fields_of(document.fields)


NAMES = Names.of("p", "d")
HERE = "projects/p/databases/d/documents/c/1"


class TestWrites:
    def write(self, write):
        (found,) = commit_request([write], NAMES).writes
        return found, type(found).pb(found)

    def test_demand_the_version_that_was_read_or_that_there_is_nothing_or_nothing(self):
        replaced, raw = self.write(ReplaceDocument("c/1", {"a": 1}, "1795317375.654668001"))
        assert (replaced.update.name, bool(replaced.update_mask)) == (HERE, False), "of the whole document"
        assert version_of(raw.current_document.update_time) == "1795317375.654668001"
        _, created = self.write(Create("c/1", {}))
        assert created.current_document.WhichOneof("condition_type") == "exists"
        assert created.current_document.exists is False
        assert self.write(Remove("c/1"))[0].delete == HERE
        for write in (Put("c/1", {}), Remove("c/1")):
            assert not self.write(write)[1].HasField("current_document")

    @pytest.mark.parametrize("version", ["", "0.000000000", "1", "1.5", "-1.000000000", "1.0000000000", "7", "now"])
    def test_over_a_version_of_another_kind_never_reach_the_backend(self, version):
        with pytest.raises(VersionConflict):
            commit_request([ReplaceDocument("c/1", {}, version)], NAMES)


WRITES = [Create("c/1", {}), Create("c/11", {}), ReplaceDocument("c/2", {}, "1"), Put("c/3", {}), Remove("c/4")]


class TestErrors:
    @pytest.mark.parametrize(
        ("error", "suspected"),
        [
            (exceptions.AlreadyExists("already exists: projects/p/databases/(default)/documents/c/11"), WRITES[1:2]),
            (exceptions.AlreadyExists("entity already exists: EntityRef{p=dev~p, path=/c/11}"), WRITES[1:2]),
            (exceptions.AlreadyExists("it exists"), WRITES[:2]),
            (exceptions.FailedPrecondition("versions"), WRITES[2:3]),
            (exceptions.NotFound("no document"), WRITES[2:3]),
            (exceptions.Aborted("contention"), []),
            (exceptions.InvalidArgument("too large"), []),
        ],
    )
    def test_of_a_precondition_name_the_writes_that_may_have_broken_it(self, error, suspected):
        assert suspects(error, WRITES) == suspected

    def test_that_may_pass_are_unavailable_and_others_refusals(self):
        passing = [
            exceptions.ServiceUnavailable(""), exceptions.DeadlineExceeded(""), exceptions.InternalServerError(""),
            exceptions.Unknown(""), exceptions.Aborted(""), exceptions.ResourceExhausted(""), exceptions.Cancelled(""),
            exceptions.RetryError("", exceptions.ServiceUnavailable("")),
        ]  # fmt: skip
        assert {type(translate(error, "a read")) for error in passing} == {StoreUnavailable}
        refused = translate(exceptions.RetryError("", exceptions.PermissionDenied("")), "a read")
        assert (type(refused), str(refused)) == (StoreError, "Firestore refused a read: PERMISSION_DENIED")
        another_mode = exceptions.FailedPrecondition("the database is in another mode")
        assert suspects(another_mode, [Put("c/1", {})]) == []
        assert type(translate(another_mode, "a commit")) is StoreError


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


class TestConnections:
    async def refuses(self, database, told):
        for call in (database.get(["c/1"]), database.commit([Put("c/1", {})])):
            with pytest.raises(StoreUnavailable, match=told):
                await call

    async def test_to_the_emulator_need_no_credentials_and_two_first_uses_share_one(self, nobody, no_credentials):
        connection = FirestoreConnection("demo-nowhere", emulator=nobody)
        clients = await asyncio.gather(*(connection.client() for _ in range(5)))
        await connection.aclose()
        assert len(set(map(id, clients))) == 1

    async def test_to_nobody_are_an_unavailable_store_and_so_is_a_closed_one(self, nobody):
        connection = FirestoreConnection("demo-nowhere", emulator=nobody)
        database = FirestoreDocumentDatabase(connection, Patience(attempt_s=0.3, total_s=0.3))
        await self.refuses(database, "UNAVAILABLE")
        for _ in range(2):
            await database.aclose()
        await self.refuses(database, "closed")

    async def test_to_the_cloud_need_credentials_and_tell_it_the_database(self, no_credentials):
        connection = FirestoreConnection("my-project", "records")
        with pytest.raises(ConfigError, match="no credentials for Firestore"):
            await connection.client()
        await connection.aclose()
        database = "projects/my-project/databases/records"
        assert connection.metadata == (("google-cloud-resource-prefix", database),)
        assert connection.names.document("c/1") == f"{database}/documents/c/1"
        assert connection.names.path(connection.names.document("c/1")) == "c/1"


async def test_operations_are_counted_as_firestore_bills_them_and_answered_as_without_counting(subtests):
    inner = MemoryDocumentDatabase()
    await inner.commit([Put(path, {"n": 1}) for path in ("c/1", "c/2", "c/1/d/1")])
    counted = CountedDatabase(inner)
    writes = [Put("c/3", {}), Create("c/4", {}), Remove("c/2")]
    cases = [
        (lambda: counted.get(["c/1", "c/9", "c/1"]), 3, Operations(reads=2)),
        (lambda: counted.query(Query("c", "n")), 2, Operations(reads=2, queries=1)),
        (lambda: counted.query(Query("none", "n")), 0, Operations(reads=1, queries=1)),
        (lambda: counted.tree("c/1"), 2, Operations(reads=2, queries=1)),
        (lambda: counted.remove_tree("c/1"), 2, Operations(reads=2, deletes=2, commits=1, queries=1)),
        (lambda: counted.remove_tree("c/1"), 0, Operations(reads=1, queries=1)),
        (lambda: counted.commit([]), 0, Operations()),
        (lambda: counted.commit(writes), 3, Operations(writes=2, deletes=1, commits=1)),
    ]
    for doing, number, cost in cases:
        with subtests.test(cost=cost):
            before, answer = counted.done, await doing()
            assert (len(answer) if isinstance(answer, list) else answer) == number
            assert counted.done.since(before) == cost
    before = counted.done
    with pytest.raises(DocumentExists):
        await counted.commit([Put("c/5", {}), Create("c/3", {})])
    assert counted.done.since(before) == Operations(commits=1), "refused, it writes nothing"
