from shared.adapters.documents.mapping import from_document, message_document, to_document, to_json
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.ports.document_database import Document
from tests.fakes.counselling import NOW, session, task


def test_a_session_comes_back_as_it_was():
    state = session(task("a", created_at=NOW), user_info={"n": 0, "b": False, "s": ""})
    assert from_document(Session, Document("sessions/c1", to_document(state), "1")) == state


def test_its_own_times_stay_times_and_nested_ones_are_text():
    data = to_document(session(task("a", created_at=NOW)))
    assert data["expire_at"] > data["created_at"] == NOW
    assert isinstance(data["tasks"][0]["created_at"], str)


def test_what_only_the_document_has_is_left_out_on_reading():
    entry = Message(seq=1, role=Role.USER, text="안녕", created_at=NOW)
    data = message_document(entry, 2, NOW)
    assert (data["position"], data["expire_at"]) == (2, NOW)
    assert from_document(Message, Document("p/1", data, "1"), without=("position", "expire_at")) == entry


def test_exported_fields_are_json():
    assert to_json({"at": NOW, "list": [NOW, 1, None], "deep": {"x": "y"}}) == {
        "at": NOW.isoformat(),
        "list": [NOW.isoformat(), 1, None],
        "deep": {"x": "y"},
    }
