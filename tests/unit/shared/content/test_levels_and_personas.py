"""Levels, personas and keywords say what the design document says of them, word by word."""

from itertools import product

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.task import TaskKind
from shared.locale import Locale

FOCUS = {
    1: ("라포 형성", "문제 인식"),
    2: ("감정 탐색", "상황 파악"),
    3: ("패턴 인식", "원인 파악"),
    4: ("행동 변화", "대처 전략"),
    5: ("문제 해결", "유지"),
}
"""The column 집중 영역."""
REACH = {
    1: {TaskKind.EXPLORATION, TaskKind.EMOTION},
    2: {TaskKind.EXPLORATION, TaskKind.EMOTION},
    3: {TaskKind.EXPLORATION, TaskKind.PATTERN},
    4: {TaskKind.COPING, TaskKind.GOAL_SETTING},
    5: {TaskKind.EXPLORATION, TaskKind.COPING},
}
"""What the tasks of a level are about: its depth as the column 설명 has it."""
CORE = {1: "힘든", 2: "장면", 3: "되풀이되는", 4: "해 볼", 5: "이어"}
"""What a level's goal turns on, and its tasks with it."""
WITHOUT_SOLUTIONS = (1, 2, 3)
SOLUTIONS = {Locale.KO: "해결책", Locale.EN: "solutions"}
OWN_KEYWORDS = {
    "Type_A": ("완벽주의", "자기 비판", "스트레스 관리", "목표 설정"),
    "Type_B": ("갈등 회피", "감정 표현", "자기 주장", "경계 설정"),
    "Type_C": ("의존성", "자기 결정", "자기 효능감", "독립성"),
}
NAMES = {"Type_A": "완벽주의 성향", "Type_B": "회피 성향", "Type_C": "의존 성향"}
COMMON_KEYWORDS = ("감정 인식", "자기 이해", "대인 관계", "자기 돌봄")
LEVELS = pytest.mark.parametrize("level", FOCUS)


@LEVELS
def test_a_levels_depth_names_its_focus(level):
    depth = content().part2_templates.depth(level, Locale.KO)
    assert all(focus in depth for focus in FOCUS[level])
    others = [focus for other, foci in FOCUS.items() if other != level for focus in foci]
    assert not [focus for focus in others if focus in depth.partition(".")[0]]


@LEVELS
def test_a_levels_goal_and_tasks_go_as_deep_as_the_level_and_no_deeper(level):
    plan = content().part2_templates.plan(level, ("완벽주의",), Locale.KO)
    assert {task.kind for task in plan.tasks} == REACH[level]
    assert CORE[level] in plan.goal
    assert [task for task in plan.tasks if CORE[level] in task.title + task.description + task.target]


def test_before_the_level_of_change_every_task_forbids_solutions():
    for level, locale in product(WITHOUT_SOLUTIONS, Locale):
        tasks = content().part2_templates.plan(level, (), locale).tasks
        lacking = [task.title for task in tasks if SOLUTIONS[locale] not in (task.restrictions or "")]
        assert (level, locale, lacking) == (level, locale, [])


def test_the_types_that_the_document_words_bear_its_words():
    personas = {type_: content().personas.find(type_) for type_ in OWN_KEYWORDS}
    assert {type_: persona.name_ko for type_, persona in personas.items()} == NAMES
    assert {type_: tuple(one.type_specific_keywords) for type_, one in personas.items()} == OWN_KEYWORDS


def test_the_common_keywords_are_the_documents():
    assert tuple(content().personas.common_keywords) == COMMON_KEYWORDS
