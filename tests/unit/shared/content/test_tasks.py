"""The task templates: which they are, and how they ask."""

import re

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.module import ChoiceCause, choose
from shared.domain.counseling.task import CompletionRule, Part, Task, TaskStatus, rank
from shared.domain.errors import ContentError
from shared.domain.slots import SlotKind, missing, validate
from shared.locale import Locale, Register

SESSION_TYPES = ("first_session", "follow_up", "closing")
EVERY_VOICE = [(locale, register) for locale in Locale for register in Register]
POLITE_ENDING = re.compile(r"(?:요|니다|세요|까요|죠)[.?!]?$")


def every_task():
    return [task for kind in SESSION_TYPES for task in content().templates(kind, Locale.KO, Register.FORMAL)]


@pytest.mark.parametrize("session_type", SESSION_TYPES)
def test_templates_are_pending_tasks_of_part_one_and_three(session_type):
    for voice in EVERY_VOICE:
        tasks = content().templates(session_type, *voice)
        assert all(isinstance(task, Task) and task.status is TaskStatus.PENDING for task in tasks), voice
        assert {task.part for task in tasks} == {Part.OPENING, Part.CLOSING}, voice


def test_every_module_that_a_task_names_exists():
    assert {task.module_id for task in every_task()} <= {module.id for module in content().modules(Locale.KO)}


def test_none_is_no_answer_to_what_is_wished_for():
    wishes = {slot.name for task in every_task() for slot in task.slots if not slot.none_is_answer}
    assert wishes == {"session_goal", "today_focus"}


def test_the_first_session_has_the_fixed_tasks_in_their_order():
    tasks = content().templates("first_session", Locale.KO, Register.FORMAL)
    opening = [task.id for task in rank(tasks, Part.OPENING, wrapping_up=False)]
    closing = [task.id for task in rank(tasks, Part.CLOSING, wrapping_up=True)]
    assert opening == ["task_welcome_1", "task_info_1", "task_rapport_1", "task_persona_1"]
    assert closing == ["task_summary_1", "task_goal_1", "task_next_1", "task_questions_1"]


def test_no_solution_is_offered_while_the_name_and_reason_are_asked():
    task = next(task for task in every_task() if task.id == "task_info_1")
    assert "해결책을 제시하지 말고" in task.restrictions
    assert [slot.name for slot in missing(task.required_slots, {"name": "민수"})] == ["reason"]


def test_none_is_a_full_answer_to_who_is_there():
    task = next(task for task in every_task() if task.id == "task_persona_1")
    slot = next(slot for slot in task.slots if slot.name == "support_people")
    assert validate(slot, "없어요") == "없어요"


def test_a_boolean_is_never_asked_so_that_yes_means_no():
    booleans = [slot for task in every_task() for slot in task.slots if slot.kind is SlotKind.BOOLEAN]
    questions = [question for slot in booleans for question in slot.questions]
    assert [question for question in questions if re.search("처음|없으|않으|아니", question)] == []


def test_slots_are_asked_one_question_at_a_time():
    tasks = [task for kind in SESSION_TYPES for voice in EVERY_VOICE for task in content().templates(kind, *voice)]
    questions = [question for task in tasks for slot in task.slots for question in slot.questions]
    assert [question for question in questions if question.count("?") > 1] == []


def test_casual_questions_are_casual_and_polite_ones_polite():
    for session_type in SESSION_TYPES:
        pairs = [
            (polite, casual)
            for formal, informal in zip(
                content().templates(session_type, Locale.KO, Register.FORMAL),
                content().templates(session_type, Locale.KO, Register.CASUAL),
                strict=True,
            )
            for one, other in zip(formal.slots, informal.slots, strict=True)
            for polite, casual in zip((*one.questions, one.error), (*other.questions, other.error), strict=True)
        ]
        assert [polite for polite, _ in pairs if not POLITE_ENDING.search(polite)] == []
        assert [casual for _, casual in pairs if POLITE_ENDING.search(casual)] == []


def test_a_gate_is_a_gate_and_a_reply_is_none():
    for task in every_task():
        assert (task.completion_rule is CompletionRule.SLOTS) == bool(task.required_slots), task.id


@pytest.mark.parametrize("session_type", ["second_session", "../tasks_closing", ""])
def test_an_unknown_session_type_is_an_error(session_type):
    with pytest.raises(ContentError):
        content().templates(session_type, Locale.KO, Register.FORMAL)


def test_template_tasks_are_chosen_by_their_own_module():
    modules = content().modules(Locale.KO)
    for task in every_task():
        choice = choose(modules, signals=[], task=task, suggested=None, current="rapport_building")
        assert choice.cause is ChoiceCause.TASK
        assert choice.candidates == (task.module_id,)
