import pytest

from shared.adapters.documents.versions import DocumentKind
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.domain.errors import ErrorKind as Remedy
from shared.ports.document_writes import Document


def split(data):
    """1 to 2: one name becomes two."""
    first, _, last = data["name"].partition(" ")
    return {**{key: value for key, value in data.items() if key != "name"}, "first": first, "last": last}


def greet(data):
    """2 to 3: needs what the step before has made."""
    return {**data, "greeting": f"안녕하세요, {data['last']}{data['first']}님"}


KIND = DocumentKind((split, greet), beside=frozenset({"position"}))
OLD = {"schema_version": 1, "name": "지우 김", "position": 4}
NEW = {"first": "지우", "last": "김", "greeting": "안녕하세요, 김지우님"}


def stored(**data):
    return Document("people/p1", data, "7")


def test_each_version_is_taken_to_the_newest_step_by_step():
    assert KIND.newest == 3
    for data in (OLD, {"schema_version": 2, "first": "지우", "last": "김"}, {"schema_version": 3, **NEW}):
        assert KIND.fields(stored(**data)) == NEW


def test_what_was_stored_is_left_as_it_was():
    document = stored(**OLD)
    KIND.fields(document)
    assert document.data == OLD


def test_without_a_version_it_is_of_version_0_where_there_was_one():
    kind = DocumentKind((lambda data: {**data, "stamped": True},), oldest=0)
    assert kind.newest == 1
    assert kind.fields(stored(name="지우")) == {"name": "지우", "stamped": True}


@pytest.mark.parametrize("version", [4, 2**40])
def test_a_newer_version_than_is_known_is_refused_and_says_what_to_do(version):
    with pytest.raises(DocumentTooNew, match=rf"people/p1 .*version {version}, known up to 3.*deploy") as caught:
        KIND.fields(stored(**{**OLD, "schema_version": version}))
    assert caught.value.kind is Remedy.RETRYABLE


def test_a_version_that_never_was_is_refused(subtests):
    for version in (-1, 0, "1", 1.0, True, None, [1], {"v": 1}):
        with subtests.test(version=version):
            with pytest.raises(DocumentUnreadable, match="people/p1") as caught:
                KIND.fields(stored(**{**OLD, "schema_version": version}))
            assert caught.value.kind is Remedy.FINAL


def test_a_missing_version_is_refused_where_there_never_was_a_document_without_one():
    with pytest.raises(DocumentUnreadable, match="missing"):
        KIND.fields(stored(name="지우 김"))
