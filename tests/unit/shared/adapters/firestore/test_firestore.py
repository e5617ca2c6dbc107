"""The adapter of Firestore without a backend: values, writes, errors, connections."""

import socket
from datetime import UTC, datetime, timedelta, timezone

import pytest
from google.api_core import exceptions
from google.cloud.firestore_v1 import types

from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.database import FirestoreDocumentDatabase, Patience
from shared.adapters.firestore.errors import suspects, translate
from shared.adapters.firestore.names import Names
from shared.adapters.firestore.values import fields_of, put_fields
from shared.adapters.firestore.writes import commit_request, version_of
from shared.domain.errors import StoreError, StoreUnavailable, VersionConflict
from shared.ports.document_writes import Create, Put, Remove, ReplaceDocument

Document = types.Document.pb()


def stored(data):
    document = Document()
    put_fields(data, document.fields)
    return document.fields


class TestValues:
    def test_have_other_names_where_firestore_keeps_theirs_for_itself(self):
        data = {"": 1, "__x__": 2, "$": 3, "$x": 4, "__x": 5, "x__": 6, "a.b": 7, "____": 8, "__\n__": 9, "___": 10}
        names = set(stored(data))
        assert names == {"$", "$__x__", "$$", "$$x", "__x", "x__", "a.b", "$____", "$__\n__", "___"}
        assert fields_of(stored(data)) == data

    def test_that_are_moments_come_back_in_utc_to_the_microsecond(self):
        moment = datetime(2026, 11, 1, 9, 0, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
        found = fields_of(stored({"at": moment}))["at"]
        assert (found, found.tzinfo, type(found)) == (moment, UTC, datetime)

    @pytest.mark.parametrize(
        ("data", "error", "told"),
        [
            ({"n": [2**63]}, ValueError, "64 bits"),
            ({"n": [-(2**63) - 1]}, ValueError, "64 bits"),
            ({"a": [b"bytes"]}, TypeError, "no document value"),
            ({"a": {1: 2}}, TypeError, "field name"),
            ({"a": {"at": datetime(2026, 1, 1)}}, ValueError, "time zone"),  # noqa: DTZ001 - that is the point
        ],
    )
    def test_that_cannot_be_stored_are_refused(self, data, error, told):
        with pytest.raises(error, match=told):
            stored(data)


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

    @pytest.mark.parametrize("version", ["", "0.000000000", "1", "-1.000000000"])
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
            (exceptions.Aborted("contention"), []),
        ],
    )
    def test_of_a_precondition_name_the_writes_that_may_have_broken_it(self, error, suspected):
        assert suspects(error, WRITES) == suspected

    def test_that_may_pass_are_unavailable_and_others_refusals(self):
        passing = [
            exceptions.ServiceUnavailable(""), exceptions.DeadlineExceeded(""), exceptions.ResourceExhausted(""),
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


class TestConnections:
    async def refuses(self, database, told):
        for call in (database.get(["c/1"]), database.commit([Put("c/1", {})])):
            with pytest.raises(StoreUnavailable, match=told):
                await call

    async def test_to_nobody_are_an_unavailable_store_and_so_is_a_closed_one(self, nobody):
        connection = FirestoreConnection("demo-nowhere", emulator=nobody)
        database = FirestoreDocumentDatabase(connection, Patience(attempt_s=0.3, total_s=0.3))
        await self.refuses(database, "UNAVAILABLE")
        for _ in range(2):
            await database.aclose()
        await self.refuses(database, "closed")

    def test_to_the_cloud_tell_it_the_database(self):
        connection = FirestoreConnection("my-project", "records")
        database = "projects/my-project/databases/records"
        assert connection.metadata == (("google-cloud-resource-prefix", database),)
        assert connection.names.document("c/1") == f"{database}/documents/c/1"
        assert connection.names.path(connection.names.document("c/1")) == "c/1"
