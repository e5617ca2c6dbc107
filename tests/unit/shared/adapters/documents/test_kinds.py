"""Documents and models: how one becomes the other, through all versions of its kind."""

import pytest

from shared.adapters.documents.kinds import KINDS
from shared.adapters.documents.mapping import from_document, to_document
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, TaskKind, TaskStatus
from shared.domain.errors import DocumentUnreadable
from shared.domain.errors import ErrorKind as Remedy
from shared.domain.records import AuditEntry
from shared.ports.conversation_documents import View
from shared.ports.document_writes import Document
from tests.builders.sessions import NOW, session, task
from tests.unit.shared.adapters.documents.stored_kinds import example

HERE, THERE = "sessions/c1", "conversations/c1/messages/1-user"
ENTRY = Message(seq=1, role=Role.USER, text="안녕", created_at=NOW)


class TestMapping:
    def test_a_session_is_stored_with_its_version_and_read_back_unchanged(self):
        state = session(task("a", created_at=NOW), user_info={"n": 0, "b": False, "s": ""})
        data = to_document(HERE, state)
        assert from_document(Session, Document(HERE, data, "1")) == state
        assert data["expire_at"] > data["created_at"] == NOW, "its own times stay times, nested ones are text"
        assert isinstance(data["tasks"][0]["created_at"], str)
        assert data["schema_version"] == 3

    @pytest.mark.parametrize("more", [{}, {"expire_at": None}, {"expire_at": NOW.isoformat()}])
    def test_a_document_without_an_expiry_time_is_not_written(self, more):
        with pytest.raises(ValueError, match=THERE):
            to_document(THERE, ENTRY, **more)


@pytest.mark.parametrize("version", [-1, "1", True, None])
def test_an_unknown_version_is_refused(version):
    stored = example("sessions", 1)
    with pytest.raises(DocumentUnreadable, match=stored.path) as caught:
        from_document(Session, Document(stored.path, {**stored.data, "schema_version": version}, "1"))
    assert caught.value.kind is Remedy.FINAL


@pytest.mark.parametrize(("kind", "model"), [("messages", Message), ("conversations", View), ("audit", AuditEntry)])
def test_versions_0_and_1_are_read_as_the_same_model(kind, model):
    assert from_document(model, example(kind, 0)) == from_document(model, example(kind, 1))
    assert KINDS[kind].fields(example(kind, 0)) == KINDS[kind].fields(example(kind, 1))


def test_a_session_of_version_1_has_the_code_of_its_module_change_apart_and_its_keywords_whole():
    read = from_document(Session, example("sessions", 1))
    assert (read.module_change_code, read.module_change_reason) == ("risk:crisis", None)
    persona = read.user_persona
    assert persona.keywords == (*persona.type_specific_keywords, *persona.common_keywords)
    written = to_document(HERE, read)["user_persona"]
    assert len(written["keywords"]) == 8
    assert from_document(Session, example("sessions", 2)).module_change_reason == "위험 신호 감지"


class TestASessionOfTheEarlierSystem:
    """Version 0: what was covered lay in a list `completed_tasks` beside the tasks."""

    def read(self, **changes):
        stored = example("sessions", 0)
        return from_document(Session, Document(stored.path, {**stored.data, **changes}, "1"))

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
        assert session.tasks[1].title == "task_info_1", "an entry that is only an id has no other title"
        assert [task.kind for task in session.tasks if task.module_id == "goal_setting"] == [TaskKind.GOAL_SETTING]
        assert session.task_in_progress == session.tasks[2]

    @pytest.mark.parametrize("entry", ["task_info_2", {"id": "task_info_2", "title": "다른 제목"}])
    def test_with_a_task_in_both_lists_has_it_once_as_completed(self, entry):
        session = self.read(completed_tasks=[entry])
        assert [task.id for task in session.tasks] == ["task_info_2", "task_goal_1"]
        assert session.task("task_info_2").status is TaskStatus.COMPLETED
        assert session.task("task_info_2").title == "사용자의 현재 상황과 문제 파악하기"
        assert session.current_task is None

    @pytest.mark.parametrize(
        "changes",
        [
            *({"completed_tasks": value} for value in ([7], [{"title": "비밀이에요"}], ["비밀이에요"], "비밀이에요")),
            {"tasks": "비밀이에요"},
        ],
    )
    def test_with_a_malformed_list_is_refused_and_not_quoted(self, changes):
        with pytest.raises(DocumentUnreadable, match=example("sessions", 0).path) as caught:
            self.read(**changes)
        assert "비밀" not in str(caught.value)
