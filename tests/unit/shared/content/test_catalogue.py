"""The content as it ships: every file, the modules, and the reference data."""

import re

import pytest
import yaml

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.content.schemas.age_replies import AgeReplies
from shared.content.schemas.consents import ConsentFile
from shared.content.schemas.goals import GoalFile
from shared.content.schemas.guard_endings import GuardEndings
from shared.content.schemas.instructions import InstructionFile
from shared.content.schemas.lexicon import LexiconFile
from shared.content.schemas.messages import MessageFile
from shared.content.schemas.modules import ModuleFile
from shared.content.schemas.plans import PlanFile
from shared.content.schemas.references import HotlineFile, Rubric
from shared.content.schemas.session_words import SessionWordsFile
from shared.content.schemas.state_words import StateWordsFile
from shared.content.schemas.tasks import MoreFile, TaskFile
from shared.domain.counseling.module import choose
from shared.domain.counseling.persona import PersonaCatalogue
from shared.domain.counseling.task import Part, TaskKind
from shared.domain.counseling.user_state import StateSignal
from shared.locale import Locale

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


def test_every_file_has_a_shape_and_loads():
    # The crisis files have shapes and tests of their own.
    assert {path.name for path in DATA.iterdir() if not path.name.startswith("crisis_")} == set(SHAPES)
    for name, shape in SHAPES.items():
        load_yaml(DATA / name, shape)


def test_a_file_is_read_without_libyaml_too():
    """Its own parser is stricter: it takes no "?" in a plain item of a flow list."""
    refused = {}
    for path in DATA.glob("*.yaml"):
        try:
            list(yaml.parse(path.read_text("utf-8"), yaml.SafeLoader))
        except yaml.YAMLError as error:
            refused[path.name] = str(error)
    assert refused == {}


def test_the_catalogue_reads_a_file_once():
    assert content() is content()
    assert content().lexicon is content().lexicon
    assert content().modules(Locale.KO) is content().modules(Locale.KO)


@pytest.mark.parametrize("locale", Locale)
def test_there_are_the_fifteen_modules(locale):
    modules = content().modules(locale)
    assert len(modules) == 15
    assert {module.id for module in modules} == MODULES
    assert all(6 <= len(module.guidelines) <= 10 for module in modules)


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


def test_every_kind_of_task_has_one_module():
    suited = [kind for module in content().modules(Locale.KO) for kind in module.suits]
    assert sorted(suited) == sorted(TaskKind)


def test_there_are_sixteen_personas_with_keywords_named_in_english():
    personas, plans = content().personas, content().part2_templates
    assert len({persona.type for persona in personas.types}) == 16
    words = {word for persona in personas.types for word in persona.type_specific_keywords} | set(
        personas.common_keywords
    )
    assert words == set(plans.keywords)


def test_the_rubric_has_eight_criteria_and_its_caps():
    rubric = content().rubric
    assert len(rubric.criteria) == 8
    assert [cap.score for cap in rubric.caps] == [2, 5]


def test_korea_109_is_the_first_hotline():
    assert content().hotlines[0].number == "109"


@pytest.mark.parametrize("level", range(1, 6))
@pytest.mark.parametrize("locale", Locale)
def test_a_plan_without_a_model_is_whole(level, locale):
    plan = content().part2_templates.plan(level, ("완벽주의", "자기 비판"), locale)
    assert ("완벽주의" if locale is Locale.KO else "perfectionism") in plan.goal
    assert 3 <= len(plan.tasks) <= 6
    assert len({task.id for task in plan.tasks}) == len(plan.tasks)
    assert {task.part for task in plan.tasks} == {Part.EXPLORATION}
    assert {task.module_id for task in plan.tasks} <= MODULES
    assert not any("{" in text for task in plan.tasks for text in (task.title, task.description, task.target))
    if locale is Locale.EN:
        assert not re.search("[가-힣]", plan.model_dump_json())


def test_a_plan_without_keywords_still_has_words():
    assert "지금의 어려움" in content().part2_templates.plan(1, (), Locale.KO).goal


def test_every_pattern_compiles():
    content().lexicon.compile_all()
