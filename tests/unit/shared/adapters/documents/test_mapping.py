import pytest

from shared.adapters.documents.mapping import from_document, to_document, to_json
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.ports.document_writes import Document
from tests.fakes.counselling import NOW, session, task

HERE = "sessions/c1"
THERE = "conversations/c1/messages/1-user"


def test_a_session_comes_back_as_it_was():
    state = session(task("a", created_at=NOW), user_info={"n": 0, "b": False, "s": ""})
    assert from_document(Session, Document(HERE, to_document(HERE, state), "1")) == state


def test_its_own_times_stay_times_and_nested_ones_are_text():
    data = to_document(HERE, session(task("a", created_at=NOW)))
    assert data["expire_at"] > data["created_at"] == NOW
    assert isinstance(data["tasks"][0]["created_at"], str)


def test_it_bears_the_version_of_its_kind():
    assert to_document(HERE, session())["schema_version"] == 1


def test_what_only_the_document_has_is_left_out_on_reading():
    entry = Message(seq=1, role=Role.USER, text="안녕", created_at=NOW)
    data = to_document(THERE, entry, position=2, expire_at=NOW)
    assert (data["position"], data["expire_at"]) == (2, NOW)
    assert from_document(Message, Document(THERE, data, "1")) == entry


def test_what_would_be_kept_for_ever_is_not_written(subtests):
    for beside in ({}, {"expire_at": None}, {"expire_at": NOW.isoformat()}):
        with subtests.test(beside=beside):
            entry = Message(seq=1, role=Role.USER, text="안녕", created_at=NOW)
            with pytest.raises(ValueError, match=THERE):
                to_document(THERE, entry, **beside)


def test_exported_fields_are_json():
    assert to_json({"at": NOW, "list": [NOW, 1, None], "deep": {"x": "y"}}) == {
        "at": NOW.isoformat(),
        "list": [NOW.isoformat(), 1, None],
        "deep": {"x": "y"},
    }
