"""The adapter of Firestore without a backend: values, writes, errors, connections."""

import socket
from datetime import datetime

import pytest
from google.api_core import exceptions
from google.cloud.firestore_v1 import types

from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.database import (
    FirestoreDocumentDatabase,
    Patience,
    commit_request,
    suspects,
    translate,
    version_of,
)
from shared.adapters.firestore.names import Names
from shared.adapters.firestore.values import fields_of, put_fields
from shared.domain.errors import StoreError, StoreUnavailable, VersionConflict
from shared.ports.document_writes import Create, Put, Remove, ReplaceDocument

Document = types.Document.pb()


def stored(data):
    document = Document()
    put_fields(data, document.fields)
    return document.fields


class TestValues:
    def test_under_reserved_field_names_are_stored_under_escaped_names(self):
        data = {"": 1, "__x__": 2, "$": 3, "$x": 4, "__x": 5, "x__": 6, "a.b": 7, "____": 8, "__\n__": 9, "___": 10}
        names = set(stored(data))
        assert names == {"$", "$__x__", "$$", "$$x", "__x", "x__", "a.b", "$____", "$__\n__", "___"}
        assert fields_of(stored(data)) == data

    @pytest.mark.parametrize(
        ("data", "error", "message"),
        [
            ({"n": [2**63]}, ValueError, "64 bits"),
            ({"n": [-(2**63) - 1]}, ValueError, "64 bits"),
            ({"a": [b"bytes"]}, TypeError, "no document value"),
            ({"a": {1: 2}}, TypeError, "field name"),
            ({"a": {"at": datetime(2026, 1, 1)}}, ValueError, "time zone"),  # noqa: DTZ001 - that is the point
        ],
    )
    def test_that_cannot_be_stored_are_refused(self, data, error, message):
        with pytest.raises(error, match=message):
            stored(data)


NAMES = Names.of("p", "d")
HERE = "projects/p/databases/d/documents/c/1"


class TestWrites:
    def write(self, write):
        (found,) = commit_request([write], NAMES).writes
        return found, type(found).pb(found)

    def test_require_the_read_version_or_absence_or_have_no_condition(self):
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
    def test_at_a_malformed_version_raise_a_conflict_without_a_request(self, version):
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
    def test_of_a_precondition_name_the_suspected_writes(self, error, suspected):
        assert suspects(error, WRITES) == suspected

    def test_that_are_transient_become_store_unavailable_and_others_store_error(self):
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
def unused_address():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{bound.getsockname()[1]}"


class TestConnections:
    async def refuses(self, database, message):
        for call in (database.get(["c/1"]), database.commit([Put("c/1", {})])):
            with pytest.raises(StoreUnavailable, match=message):
                await call

    async def test_to_an_unused_address_or_closed_ones_raise_store_unavailable(self, unused_address):
        connection = FirestoreConnection("demo-nowhere", emulator=unused_address)
        database = FirestoreDocumentDatabase(connection, Patience(attempt_s=0.3, total_s=0.3))
        await self.refuses(database, "UNAVAILABLE")
        for _ in range(2):
            await database.aclose()
        await self.refuses(database, "closed")

    def test_to_the_cloud_send_the_database_name(self):
        connection = FirestoreConnection("my-project", "records")
        database = "projects/my-project/databases/records"
        assert connection.metadata == (("google-cloud-resource-prefix", database),)
        assert connection.names.document("c/1") == f"{database}/documents/c/1"
        assert connection.names.path(connection.names.document("c/1")) == "c/1"
