import pytest

from shared.adapters.firestore.names import Names
from shared.adapters.firestore.writes import commit_request, version_of
from shared.domain.errors import VersionConflict
from shared.ports.document_writes import Create, Put, Remove, ReplaceDocument

NAMES = Names.of("p", "d")
PREFIX = "projects/p/databases/d/documents"


def written(write):
    (found,) = commit_request([write], NAMES).writes
    return found


def test_a_replacement_is_of_the_whole_document_under_its_version():
    found = written(ReplaceDocument("c/1", {"a": 1}, "1795317375.654668001"))
    assert found.update.name == f"{PREFIX}/c/1"
    assert not found.update_mask
    assert version_of(type(found).pb(found).current_document.update_time) == "1795317375.654668001"


def test_a_creation_demands_that_there_is_nothing():
    found = type(written(Create("c/1", {}))).pb(written(Create("c/1", {})))
    assert found.current_document.WhichOneof("condition_type") == "exists"
    assert found.current_document.exists is False


@pytest.mark.parametrize("write", [Put("c/1", {}), Remove("c/1")])
def test_a_put_and_a_removal_demand_nothing(write):
    found = written(write)
    assert not type(found).pb(found).HasField("current_document")


def test_a_removal_names_the_document():
    assert written(Remove("c/1")).delete == f"{PREFIX}/c/1"


def test_a_version_of_another_kind_never_reaches_the_backend(subtests):
    for version in ("", "0.000000000", "1", "1.5", "-1.000000000", "1.0000000000", "7", "now"):
        with subtests.test(version=version), pytest.raises(VersionConflict):
            commit_request([ReplaceDocument("c/1", {}, version)], NAMES)
