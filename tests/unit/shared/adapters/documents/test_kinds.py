"""What each real upcaster does."""

import pytest

from shared.adapters.documents.kinds import KINDS, kind_of
from shared.adapters.documents.mapping import from_document
from shared.domain.conversation import Message
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, TaskKind, TaskStatus
from shared.domain.errors import DocumentUnreadable
from shared.domain.records import AuditEntry
from shared.ports.conversation_documents import View
from shared.ports.document_writes import Document
from tests.unit.shared.adapters.documents.stored_kinds import example


def test_a_kind_is_told_by_the_collection_however_deep():
    assert kind_of("conversations/c1/messages/1-user") is KINDS["messages"]
    assert kind_of("sessions/c1/anything/messages").newest == 1


def test_an_audit_entry_of_version_0_expires_as_if_it_were_written_today():
    fields = KINDS["audit"].steps[0](example("audit", 0).data)
    assert fields["expire_at"] == example("audit", 1).data["expire_at"]


@pytest.mark.parametrize(("kind", "model"), [("messages", Message), ("conversations", View), ("audit", AuditEntry)])
def test_the_first_versions_differ_in_nothing_that_the_model_holds(kind, model):
    assert from_document(model, example(kind, 0)) == from_document(model, example(kind, 1))


class TestASessionOfTheEarlierSystem:
    """Version 0: what was covered lay in a list `completed_tasks` beside the tasks."""

    @pytest.fixture
    def stored(self):
        return example("sessions", 0)

    def read(self, stored, **changes):
        return from_document(Session, Document(stored.path, {**stored.data, **changes}, "1"))

    def test_has_its_completed_tasks_among_the_others(self, stored):
        session = self.read(stored)
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
    def test_does_not_double_a_task_and_takes_it_for_completed(self, stored, entry):
        session = self.read(stored, completed_tasks=[entry])
        assert [task.id for task in session.tasks] == ["task_info_2", "task_goal_1"]
        assert session.task("task_info_2").status is TaskStatus.COMPLETED
        assert session.task("task_info_2").title == "사용자의 현재 상황과 문제 파악하기"
        assert session.current_task is None

    @pytest.mark.parametrize("without", [True, False])
    def test_with_an_empty_list_or_none_keeps_its_tasks_as_they_are(self, stored, without):
        whole = [task.model_dump(mode="json") for task in self.read(stored).tasks[2:]]
        data = {**stored.data, "tasks": whole, "completed_tasks": []}
        if without:
            del data["completed_tasks"]
        session = from_document(Session, Document(stored.path, data, "1"))
        assert [task.model_dump(mode="json") for task in session.tasks] == whole
        assert session.current_task == "task_info_2"

    def test_is_not_changed_in_place(self, stored):
        before = example("sessions", 0).data
        KINDS["sessions"].steps[0](stored.data)
        assert stored.data == before

    def test_with_a_list_that_is_none_is_refused_and_not_quoted(self, subtests):
        cases = [
            {"completed_tasks": [7]},
            {"completed_tasks": [{"title": "비밀이에요"}]},
            {"completed_tasks": ["비밀이에요"]},
            {"completed_tasks": "비밀이에요"},
            {"tasks": "비밀이에요"},
        ]
        for changes in cases:
            with subtests.test(changes=changes):
                stored = example("sessions", 0)
                with pytest.raises(DocumentUnreadable, match=stored.path) as caught:
                    self.read(stored, **changes)
                assert "비밀" not in str(caught.value)

    def test_without_who_it_is_of_stays_unreadable(self, stored):
        data = {name: value for name, value in stored.data.items() if name not in {"user_id", "consents"}}
        with pytest.raises(DocumentUnreadable, match="user_id"):
            from_document(Session, Document(stored.path, data, "1"))
