from google.api_core import exceptions

from shared.adapters.firestore.errors import suspects, translate
from shared.domain.errors import StoreError, StoreUnavailable
from shared.ports.document_writes import Create, Put, Remove, ReplaceDocument

WRITES = [Create("c/1", {}), Create("c/11", {}), ReplaceDocument("c/2", {}, "1"), Put("c/3", {}), Remove("c/4")]


def test_the_document_that_exists_is_found_in_the_words_of_the_cloud_and_of_the_emulator():
    cases = [
        "Document already exists: projects/p/databases/(default)/documents/c/11",
        "entity already exists: EntityRef{partitionRef=dev~p, path=/c/11}",
    ]
    assert {
        message: got for message in cases if (got := suspects(exceptions.AlreadyExists(message), WRITES)) != [WRITES[1]]
    } == {}


def test_where_no_document_is_named_every_creation_is_suspected():
    assert suspects(exceptions.AlreadyExists("it exists"), WRITES) == WRITES[:2]


def test_of_another_version_or_none_every_replacement_is_suspected():
    cases = [exceptions.FailedPrecondition("versions"), exceptions.NotFound("no document")]
    assert {error: got for error in cases if (got := suspects(error, WRITES)) != [WRITES[2]]} == {}


def test_of_other_failures_no_write_is_suspected():
    cases = [exceptions.Aborted("contention"), exceptions.InvalidArgument("too large")]
    assert {error: got for error in cases if (got := suspects(error, WRITES)) != []} == {}


def test_a_failed_precondition_without_a_replacement_is_a_refusal():
    error = exceptions.FailedPrecondition("the database is in another mode")
    assert suspects(error, [Put("c/1", {})]) == []
    assert type(translate(error, "a commit")) is StoreError


def test_what_may_go_well_another_time_is_unavailable():
    cases = [
        exceptions.ServiceUnavailable(""), exceptions.DeadlineExceeded(""), exceptions.InternalServerError(""),
        exceptions.Unknown(""), exceptions.Aborted(""), exceptions.ResourceExhausted(""), exceptions.Cancelled(""),
        exceptions.RetryError("", exceptions.ServiceUnavailable("")),
    ]  # fmt: skip
    assert [error for error in cases if not isinstance(translate(error, "a read"), StoreUnavailable)] == []


def test_repetitions_that_ended_in_a_refusal_are_a_refusal():
    error = translate(exceptions.RetryError("", exceptions.PermissionDenied("")), "a read")
    assert type(error) is StoreError
    assert str(error) == "Firestore refused a read: PERMISSION_DENIED"
