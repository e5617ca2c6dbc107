"""The content as it ships: every file, the modules, the rubric, the words of a user's state, the task templates."""

import re
from functools import cached_property
from itertools import product
from pathlib import Path

import pytest

from shared.content.catalogue import DATA, Content, content
from shared.content.conditions import load_conditions
from shared.content.schemas.consents import Operator
from shared.content.schemas.state_words import FEEDBACK_FIELDS
from shared.content.word_files import load_answers
from shared.domain.counseling.module import CRISIS_MODULE, ChoiceCause
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.state_feedback import StateKind
from shared.domain.counseling.task import CompletionRule, Part, TaskKind, rank
from shared.domain.counseling.user_state import StateSignal
from shared.domain.slots import SlotKind, validate
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.situation import Situation as ReplySituation

HANGUL = re.compile(r"[가-힣]")
EARLIER_MODULES = {
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
    load_answers.cache_clear()
    load_conditions.cache_clear()
    monkeypatch.setattr(
        Path, "read_text", lambda path, *given, **how: loaded.add(path) or read_text(path, *given, **how)
    )
    for name, attribute in vars(Content).items():
        if isinstance(attribute, cached_property):
            getattr(catalogue, name)
    for kind in SessionType:
        catalogue.templates(kind, Locale.KO, Register.FORMAL)
    assert load_conditions().conditions
    assert catalogue.agreements.standards
    assert catalogue.agreements.vocabulary.words
    for locale in Locale:
        catalogue.agreements.service(locale, Operator(name="운영자", contact="연락처"))
    assert {path for path in DATA.rglob("*") if path.is_file()} - loaded == set()


@pytest.mark.parametrize("locale", Locale)
class TestTheModules:
    def test_cover_every_kind_of_task_and_every_persona(self, locale):
        modules = content().modules(locale)
        ids = {module.id for module in modules}
        assert ids > EARLIER_MODULES
        assert {"process_orientation", "motivational_interviewing", "cbt_basics", "grief_support"} < ids
        assert all(6 <= len(module.guidelines) <= 10 for module in modules)
        assert {kind for module in modules for kind in module.suits} == {*TaskKind}
        persona_modules = {one for persona in content().personas.types for one in persona.modules}
        assert persona_modules < ids - {CRISIS_MODULE}

    def test_have_examples_in_both_registers_with_one_question_at_most(self, locale):
        for module in content().modules(locale):
            formal, casual = (module.examples[register] for register in (Register.FORMAL, Register.CASUAL))
            assert (len(formal), len(casual)) == (2, 2)
            assert all(line.count("?") <= 1 for line in (*formal, *casual))
            if locale is Locale.KO:
                sentences = [re.split(r"(?<=[.?])\s", line) for line in formal]
                assert all(POLITE_ENDING.search(one) for line in sentences for one in line), module.id
                spoken = [one for line in casual for one in re.split(r"(?<=[.?])\s", line)]
                assert not [one for one in spoken if POLITE_ENDING.search(one)], module.id
            else:
                assert not HANGUL.search(" ".join((*formal, module.when, module.when_not)))


@pytest.mark.parametrize(
    ("locale", "register"), [(Locale.KO, Register.FORMAL), (Locale.KO, Register.CASUAL), (Locale.EN, None)]
)
def test_the_guard_passes_every_example(locale, register):
    guard = OutputGuard(content().guard_rules, ReplySituation(register), str)
    lines = [line for one in content().modules(locale) for line in one.examples[register or Register.FORMAL]]
    assert [line for line in lines if guard.over(line).text != line] == []


def test_part_1_of_a_first_session_has_no_module_that_works_on_a_problem():
    usable = {one.id for one in content().modules(Locale.KO) if one.applies(SessionType.FIRST_SESSION, Part.OPENING)}
    assert not usable & {"cbt_basics", "thought_record", "behavioral_activation", "problem_solving", "coping_strategy"}
    assert usable >= {"process_orientation", "rapport_building", "grounding_breathing", "resistance_handling"}


class TestStateWords:
    @pytest.mark.parametrize("locale", Locale)
    def test_exist_for_every_module_change_and_feedback_in_the_sessions_language(self, locale):
        words = content().state_words(locale)
        changes = {code: words.module_change(code) for code in CODES}
        reasons = {code: words.module_reason(code) for code in CODES}
        assert {code: told for code, told in reasons.items() if not told or "_" in told or ":" in told} == {}
        assert {code: told for code, told in changes.items() if not told.endswith(".") or code in told} == {}
        feedback = {kind: words.feedback(kind, **dict.fromkeys(FEEDBACK_FIELDS, 3)) for kind in StateKind}
        assert {kind: told for kind, told in feedback.items() if "{" in told} == {}
        every = (changes | feedback | {f"in short {code}": told for code, told in reasons.items()}).items()
        assert {key: told for key, told in every if bool(HANGUL.search(told)) is not (locale is Locale.KO)} == {}
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
    assert opening == ["task_welcome_1", "task_info_1", "task_rapport_1", "task_process_1", "task_persona_1"]
    assert closing == ["task_summary_1", "task_goal_1", "task_next_1", "task_questions_1"]


def test_the_first_session_explains_how_it_goes_in_two_sentences_and_one_question():
    for locale, register in product(Locale, Register):
        templates = content().templates("first_session", locale, register)
        task = next(task for task in templates if task.kind is TaskKind.ORIENTATION)
        for question in task.required_slots[0].questions:
            assert len(re.findall(r"[.?!](?=\s|$)", question)) == 3
            assert (question.count("?"), question[-1]) == (1, "?")


def test_none_is_an_answer_to_every_slot_but_session_goal_and_today_focus():
    (people,) = [slot for slot in every_slot() if slot.name == "support_people"]
    assert validate(people, "없어요", content().answers) == "없어요"
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
    modules = {one.id: one for one in content().modules(Locale.KO)}
    for task in every_task():
        assert (task.completion_rule is CompletionRule.SLOTS) == bool(task.required_slots), task.id
    for kind in SessionType:
        for task in content().templates(kind, Locale.KO, Register.FORMAL):
            assert modules[task.module_id].applies(kind, task.part), (kind, task.id)
