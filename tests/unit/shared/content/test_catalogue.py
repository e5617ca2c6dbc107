"""The content as it ships: every file, the modules, the rubric, the words of a user's state, the task templates."""

import re
from functools import cached_property
from itertools import product
from pathlib import Path

import pytest

from shared.content.catalogue import DATA, Content, content
from shared.content.schemas.state_words import FEEDBACK_FIELDS
from shared.domain.counseling.module import ChoiceCause, choose
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.state_feedback import StateKind
from shared.domain.counseling.task import CompletionRule, Part, TaskKind, rank
from shared.domain.counseling.user_state import StateSignal
from shared.domain.slots import SlotKind, missing, validate
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome

MODULES = {
    *("rapport_building", "information_gathering", "goal_setting", "trust_building", "empathy_expression"),
    *("questioning_technique", "resistance_handling", "emotion_regulation", "topic_redirection"),
    *("pattern_exploration", "reframing", "coping_strategy", "summarization", "wrap_up", "crisis_support"),
}
CODES = [
    *(cause.value for cause in ChoiceCause if cause not in (ChoiceCause.RISK, ChoiceCause.STATE)),
    *(f"state:{signal.value}" for signal in StateSignal if signal is not StateSignal.RISK),
    *(f"risk:{one.value}" for one in CrisisOutcome),
    "risk:risk",
]


def test_the_catalogue_loads_every_content_file(monkeypatch):
    loaded, read_text, catalogue = set(), Path.read_text, Content()
    monkeypatch.setattr(
        Path, "read_text", lambda path, *given, **how: loaded.add(path) or read_text(path, *given, **how)
    )
    for name, attribute in vars(Content).items():
        if isinstance(attribute, cached_property):
            getattr(catalogue, name)
    for kind in SessionType:
        catalogue.templates(kind, Locale.KO, Register.FORMAL)
    assert set(DATA.iterdir()) - loaded == set()


@pytest.mark.parametrize("locale", Locale)
def test_the_fifteen_modules_exist_and_every_kind_of_task_has_one(locale):
    modules = content().modules(locale)
    assert sorted(module.id for module in modules) == sorted(MODULES)
    assert all(6 <= len(module.guidelines) <= 10 for module in modules)
    suited = [kind for module in modules for kind in module.suits]
    assert sorted(suited) == sorted(TaskKind), "every kind of task has one module"


def test_only_circular_talk_has_more_than_one_candidate_module():
    modules = content().modules(Locale.KO)
    candidates = {
        signal: set(choose(modules, signals=[signal], task=None, suggested=None, current="wrap_up").candidates)
        for signal in StateSignal
    }
    assert candidates == {
        StateSignal.RISK: {"crisis_support"},
        StateSignal.RESISTANCE: {"resistance_handling"},
        StateSignal.STRONG_EMOTION: {"emotion_regulation"},
        StateSignal.TOPIC_CHANGE: {"topic_redirection"},
        StateSignal.CIRCULAR: {"reframing", "pattern_exploration"},
        StateSignal.CLEAR_EMOTION: {"empathy_expression"},
        StateSignal.EMOTION_CHANGE: {"empathy_expression"},
        StateSignal.EASED: {"empathy_expression"},
    }


@pytest.mark.parametrize("locale", Locale)
def test_every_module_change_and_feedback_has_state_words_in_the_sessions_language(locale):
    words = content().state_words(locale)
    changes = {code: words.module_change(code) for code in CODES}
    assert {code: text for code, text in changes.items() if not text.endswith(".") or code in text} == {}
    feedback = {kind: words.feedback(kind, **dict.fromkeys(FEEDBACK_FIELDS, 3)) for kind in StateKind}
    assert {kind: text for kind, text in feedback.items() if "{" in text} == {}
    every = (changes | feedback).items()
    assert {key: text for key, text in every if bool(re.search("[가-힣]", text)) is not (locale is Locale.KO)} == {}
    assert {words.module_change(code) for code in ("", "nonsense", "state", "state:nonsense")} == {""}


POLITE_ENDING = re.compile(r"(?:요|니다|세요|까요|죠)[.?!]?$")


def every_task(locale=Locale.KO, register=Register.FORMAL):
    return [task for kind in SessionType for task in content().templates(kind, locale, register)]


def every_slot(*voice):
    return [slot for task in every_task(*voice) for slot in task.slots]


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


def test_none_is_an_answer_to_every_slot_but_session_goal_and_today_focus():
    (people,) = [slot for slot in every_slot() if slot.name == "support_people"]
    assert validate(people, "없어요") == "없어요"
    assert {slot.name for slot in every_slot() if not slot.none_is_answer} == {"session_goal", "today_focus"}


def test_a_slot_question_asks_one_thing_and_a_boolean_one_is_not_negated():
    slots = [slot for voice in product(Locale, Register) for slot in every_slot(*voice)]
    assert [question for slot in slots for question in slot.questions if question.count("?") > 1] == []
    booleans = [question for slot in slots if slot.kind is SlotKind.BOOLEAN for question in slot.questions]
    assert [question for question in booleans if re.search("처음|없으|않으|아니", question)] == []


def test_slot_questions_and_error_texts_keep_their_register():
    formal, casual = (
        [text for slot in every_slot(Locale.KO, register) for text in (*slot.questions, slot.error)]
        for register in (Register.FORMAL, Register.CASUAL)
    )
    assert len(formal) == len(casual) > 0
    assert [polite for polite in formal if not POLITE_ENDING.search(polite)] == []
    assert [text for text in casual if POLITE_ENDING.search(text)] == []


def test_a_task_is_gated_by_its_required_slots_and_handled_by_its_own_module():
    modules = content().modules(Locale.KO)
    for task in every_task():
        assert (task.completion_rule is CompletionRule.SLOTS) == bool(task.required_slots), task.id
        choice = choose(modules, signals=[], task=task, suggested=None, current="rapport_building")
        assert (choice.cause, choice.candidates) == (ChoiceCause.TASK, (task.module_id,))
    assert {task.module_id for task in every_task()} <= {module.id for module in modules}
