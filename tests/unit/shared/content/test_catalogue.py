"""The content as it ships: every file, the modules, the rubric, the words of a user's state, the task templates."""

import re

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.content.schemas.age_replies import AgeReplies
from shared.content.schemas.consents import ConsentFile
from shared.content.schemas.goals import GoalFile
from shared.content.schemas.guard_endings import GuardEndings
from shared.content.schemas.instructions import InstructionFile
from shared.content.schemas.messages import MessageFile
from shared.content.schemas.modules import ModuleFile
from shared.content.schemas.plans import PlanFile
from shared.content.schemas.references import HotlineFile, Rubric
from shared.content.schemas.state_words import FEEDBACK_FIELDS, StateWordsFile
from shared.content.schemas.tasks import MoreFile, TaskFile
from shared.domain.counseling.module import ChoiceCause, choose
from shared.domain.counseling.persona import PersonaCatalogue
from shared.domain.counseling.state_feedback import StateKind
from shared.domain.counseling.task import CompletionRule, Part, TaskKind, rank
from shared.domain.counseling.user_state import StateSignal
from shared.domain.slots import SlotKind, missing, validate
from shared.lexicon.lexicon_file import LexiconFile
from shared.lexicon.session_words_file import SessionWordsFile
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome

MODULES = {
    *("rapport_building", "information_gathering", "goal_setting", "trust_building", "empathy_expression"),
    *("questioning_technique", "resistance_handling", "emotion_regulation", "topic_redirection"),
    *("pattern_exploration", "reframing", "coping_strategy", "summarization", "wrap_up", "crisis_support"),
}
SHAPES = {
    "age_replies.yaml": AgeReplies,
    "guard_endings.yaml": GuardEndings,
    "modules.yaml": ModuleFile,
    "messages.yaml": MessageFile,
    "lexicon.yaml": LexiconFile,
    "part2_templates.yaml": PlanFile,
    "personas.json": PersonaCatalogue,
    "hotlines.json": HotlineFile,
    "supervisor_rubric.json": Rubric,
    "consents.yaml": ConsentFile,
    "goals.yaml": GoalFile,
    "instructions.yaml": InstructionFile,
    "state_words.yaml": StateWordsFile,
    "session_words.yaml": SessionWordsFile,
    "tasks_more.yaml": MoreFile,
    **{f"tasks_{kind}.yaml": TaskFile for kind in ("first_session", "follow_up", "closing")},
}


HANGUL = re.compile(r"[가-힣]")
CODES = [
    *(cause.value for cause in ChoiceCause if cause not in (ChoiceCause.RISK, ChoiceCause.STATE)),
    *(f"state:{signal.value}" for signal in StateSignal if signal is not StateSignal.RISK),
    *(f"risk:{one.value}" for one in CrisisOutcome),
    "risk:risk",
]


def test_every_file_has_a_shape_and_loads():
    # The crisis files have shapes and tests of their own.
    assert {path.name for path in DATA.iterdir() if not path.name.startswith("crisis_")} == set(SHAPES)
    for name, shape in SHAPES.items():
        load_yaml(DATA / name, shape)


@pytest.mark.parametrize("locale", Locale)
def test_there_are_the_fifteen_modules(locale):
    modules = content().modules(locale)
    assert len(modules) == 15
    assert {module.id for module in modules} == MODULES
    assert all(6 <= len(module.guidelines) <= 10 for module in modules)
    suited = [kind for module in modules for kind in module.suits]
    assert sorted(suited) == sorted(TaskKind), "every kind of task has one module"


def test_only_circular_talk_is_a_question_for_the_model():
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


class TestTheWordsOfAState:
    @pytest.mark.parametrize("locale", Locale)
    def test_are_there_for_every_change_of_module_and_feedback_in_the_sessions_language(self, locale):
        words = content().state_words(locale)
        changes = {code: words.module_change(code) for code in CODES}
        assert {code: told for code, told in changes.items() if not told.endswith(".") or code in told} == {}
        feedback = {kind: words.feedback(kind, **dict.fromkeys(FEEDBACK_FIELDS, 3)) for kind in StateKind}
        assert {kind: told for kind, told in feedback.items() if "{" in told} == {}
        every = (changes | feedback).items()
        assert {key: told for key, told in every if bool(HANGUL.search(told)) is not (locale is Locale.KO)} == {}
        assert {words.module_change(code) for code in ("", "nonsense", "state", "state:nonsense")} == {""}


SESSION_TYPES = ("first_session", "follow_up", "closing")
EVERY_VOICE = [(locale, register) for locale in Locale for register in Register]
POLITE_ENDING = re.compile(r"(?:요|니다|세요|까요|죠)[.?!]?$")


def every_task(locale=Locale.KO, register=Register.FORMAL):
    return [task for kind in SESSION_TYPES for task in content().templates(kind, locale, register)]


def slot_of(task_id, name):
    return next(slot for task in every_task() if task.id == task_id for slot in task.slots if slot.name == name)


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


def test_none_is_a_full_answer_to_who_is_there_and_no_answer_to_what_is_wished_for():
    assert validate(slot_of("task_persona_1", "support_people"), "없어요") == "없어요"
    wishes = {slot.name for task in every_task() for slot in task.slots if not slot.none_is_answer}
    assert wishes == {"session_goal", "today_focus"}


def test_slots_are_asked_one_question_at_a_time_and_never_so_that_yes_means_no():
    slots = [slot for voice in EVERY_VOICE for task in every_task(*voice) for slot in task.slots]
    assert [question for slot in slots for question in slot.questions if question.count("?") > 1] == []
    booleans = [question for slot in slots if slot.kind is SlotKind.BOOLEAN for question in slot.questions]
    assert [question for question in booleans if re.search("처음|없으|않으|아니", question)] == []


def test_casual_questions_are_casual_and_polite_ones_polite():
    formal, casual = (
        [
            text
            for task in every_task(register=register)
            for slot in task.slots
            for text in (*slot.questions, slot.error)
        ]
        for register in (Register.FORMAL, Register.CASUAL)
    )
    assert len(formal) == len(casual) > 0
    assert [polite for polite in formal if not POLITE_ENDING.search(polite)] == []
    assert [text for text in casual if POLITE_ENDING.search(text)] == []


def test_a_gate_is_a_gate_and_a_reply_is_none_and_a_task_is_worked_on_by_its_own_module():
    modules = content().modules(Locale.KO)
    for task in every_task():
        assert (task.completion_rule is CompletionRule.SLOTS) == bool(task.required_slots), task.id
        choice = choose(modules, signals=[], task=task, suggested=None, current="rapport_building")
        assert (choice.cause, choice.candidates) == (ChoiceCause.TASK, (task.module_id,))
    assert {task.module_id for task in every_task()} <= {module.id for module in modules}
