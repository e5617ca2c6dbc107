"""Documents and models: how one becomes the other, through all versions of its kind."""

import pytest

from shared.adapters.documents.kinds import KINDS, kind_of
from shared.adapters.documents.mapping import from_document, to_document, to_json
from shared.adapters.documents.versions import DocumentKind
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, TaskKind, TaskStatus
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.domain.errors import ErrorKind as Remedy
from shared.domain.records import AuditEntry
from shared.ports.conversation_documents import View
from shared.ports.document_writes import Document
from tests.fakes.counselling import NOW, session, task
from tests.unit.shared.adapters.documents.stored_kinds import example

HERE, THERE = "sessions/c1", "conversations/c1/messages/1-user"
ENTRY = Message(seq=1, role=Role.USER, text="안녕", created_at=NOW)


class TestMapping:
    def test_a_session_comes_back_as_it_was_under_the_version_of_its_kind(self):
        state = session(task("a", created_at=NOW), user_info={"n": 0, "b": False, "s": ""})
        data = to_document(HERE, state)
        assert from_document(Session, Document(HERE, data, "1")) == state
        assert data["expire_at"] > data["created_at"] == NOW, "its own times stay times, nested ones are text"
        assert isinstance(data["tasks"][0]["created_at"], str)
        assert data["schema_version"] == 1

    def test_what_only_the_document_has_is_left_out_on_reading(self):
        data = to_document(THERE, ENTRY, position=2, expire_at=NOW)
        assert (data["position"], data["expire_at"]) == (2, NOW)
        assert from_document(Message, Document(THERE, data, "1")) == ENTRY

    @pytest.mark.parametrize("beside", [{}, {"expire_at": None}, {"expire_at": NOW.isoformat()}])
    def test_what_would_be_kept_for_ever_is_not_written(self, beside):
        with pytest.raises(ValueError, match=THERE):
            to_document(THERE, ENTRY, **beside)

    def test_exported_fields_are_json(self):
        at = NOW.isoformat()
        exported = to_json({"at": NOW, "list": [NOW, 1, None], "deep": {"x": "y"}})
        assert exported == {"at": at, "list": [at, 1, None], "deep": {"x": "y"}}


def split(data):
    """1 to 2: one name becomes two."""
    first, _, last = data["name"].partition(" ")
    return {**{key: value for key, value in data.items() if key != "name"}, "first": first, "last": last}


def greet(data):
    """2 to 3: needs what the step before has made."""
    return {**data, "greeting": f"안녕하세요, {data['last']}{data['first']}님"}


PEOPLE = DocumentKind((split, greet), beside=frozenset({"position"}))
OLD = {"schema_version": 1, "name": "지우 김", "position": 4}
NEW = {"first": "지우", "last": "김", "greeting": "안녕하세요, 김지우님"}


def fields(kind=PEOPLE, **data):
    return kind.fields(Document("people/p1", data, "7"))


class TestVersions:
    def test_are_taken_to_the_newest_step_by_step_and_what_was_stored_left_as_it_was(self):
        document = Document("people/p1", dict(OLD), "7")
        assert (PEOPLE.newest, PEOPLE.fields(document), document.data) == (3, NEW, OLD)
        for data in (OLD, {"schema_version": 2, "first": "지우", "last": "김"}, {"schema_version": 3, **NEW}):
            assert fields(**data) == NEW

    def test_are_0_in_documents_without_one_where_there_was_one(self):
        kind = DocumentKind((lambda data: {**data, "stamped": True},), oldest=0)
        assert kind.newest == 1
        assert fields(kind, name="지우") == {"name": "지우", "stamped": True}
        with pytest.raises(DocumentUnreadable, match="missing"):
            fields(name="지우 김")

    @pytest.mark.parametrize("version", [4, 2**40])
    def test_newer_than_known_are_refused_and_say_what_to_do(self, version):
        with pytest.raises(DocumentTooNew, match=rf"people/p1 .*version {version}, known up to 3.*deploy") as caught:
            fields(**{**OLD, "schema_version": version})
        assert caught.value.kind is Remedy.RETRYABLE

    @pytest.mark.parametrize("version", [-1, 0, "1", 1.0, True, None, [1], {"v": 1}])
    def test_that_never_were_are_refused(self, version):
        with pytest.raises(DocumentUnreadable, match="people/p1") as caught:
            fields(**{**OLD, "schema_version": version})
        assert caught.value.kind is Remedy.FINAL


def test_a_kind_is_told_by_the_collection_however_deep():
    assert kind_of("conversations/c1/messages/1-user") is KINDS["messages"]
    assert kind_of("sessions/c1/anything/messages").newest == 1


@pytest.mark.parametrize(("kind", "model"), [("messages", Message), ("conversations", View), ("audit", AuditEntry)])
def test_the_first_versions_differ_in_nothing_that_the_model_holds(kind, model):
    assert from_document(model, example(kind, 0)) == from_document(model, example(kind, 1))
    assert KINDS[kind].fields(example(kind, 0)) == KINDS[kind].fields(example(kind, 1))


class TestASessionOfTheEarlierSystem:
    """Version 0: what was covered lay in a list `completed_tasks` beside the tasks."""

    def read(self, without=(), **changes):
        stored = example("sessions", 0)
        data = {name: value for name, value in {**stored.data, **changes}.items() if name not in without}
        return from_document(Session, Document(stored.path, data, "1"))

    def test_has_its_completed_tasks_among_the_others(self):
        session = self.read()
        assert [(task.id, task.status) for task in session.tasks] == [
            ("task_rapport_1", TaskStatus.COMPLETED),
            ("task_info_1", TaskStatus.COMPLETED),
            ("task_info_2", TaskStatus.IN_PROGRESS),
            ("task_goal_1", TaskStatus.PENDING),
        ]
        assert {task.part for task in session.tasks} == {Part.OPENING}
        assert session.tasks[0].title == "편안한 분위기에서 인사 나누기"
        assert session.tasks[0].completed_at is not None
        assert session.tasks[1].title == "task_info_1", "of an id alone nothing else is known"
        assert [task.kind for task in session.tasks if task.module_id == "goal_setting"] == [TaskKind.GOAL_SETTING]
        assert session.task_in_progress == session.tasks[2]

    @pytest.mark.parametrize("entry", ["task_info_2", {"id": "task_info_2", "title": "다른 제목"}])
    def test_does_not_double_a_task_and_takes_it_for_completed(self, entry):
        session = self.read(completed_tasks=[entry])
        assert [task.id for task in session.tasks] == ["task_info_2", "task_goal_1"]
        assert session.task("task_info_2").status is TaskStatus.COMPLETED
        assert session.task("task_info_2").title == "사용자의 현재 상황과 문제 파악하기"
        assert session.current_task is None

    @pytest.mark.parametrize("without", [(), ("completed_tasks",)])
    def test_with_an_empty_list_or_none_keeps_its_tasks_as_they_are(self, without):
        whole = [task.model_dump(mode="json") for task in self.read().tasks[2:]]
        session = self.read(without, tasks=whole, completed_tasks=[])
        assert [task.model_dump(mode="json") for task in session.tasks] == whole
        assert session.current_task == "task_info_2"

    def test_is_not_changed_in_place(self):
        stored = example("sessions", 0)
        KINDS["sessions"].steps[0](stored.data)
        assert stored.data == example("sessions", 0).data

    @pytest.mark.parametrize(
        "changes",
        [
            *({"completed_tasks": value} for value in ([7], [{"title": "비밀이에요"}], ["비밀이에요"], "비밀이에요")),
            {"tasks": "비밀이에요"},
        ],
    )
    def test_with_a_list_that_is_none_is_refused_and_not_quoted(self, changes):
        with pytest.raises(DocumentUnreadable, match=example("sessions", 0).path) as caught:
            self.read(**changes)
        assert "비밀" not in str(caught.value)

    def test_without_who_it_is_of_stays_unreadable(self):
        with pytest.raises(DocumentUnreadable, match="user_id"):
            self.read(("user_id", "consents"))
