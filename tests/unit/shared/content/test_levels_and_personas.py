"""Levels, personas and keywords match the design document; plans made without a model are complete."""

import re
from itertools import product

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.task import Part
from shared.domain.slots import SlotKind
from shared.locale import Locale, Register

PLANS, PERSONAS = content().part2_templates, content().personas
FOCUS = {
    1: ("라포 형성", "문제 인식"),
    2: ("감정 탐색", "상황 파악"),
    3: ("패턴 인식", "원인 파악"),
    4: ("행동 변화", "대처 전략"),
    5: ("문제 해결", "유지"),
}
"""The column 집중 영역."""
WITHOUT_SOLUTIONS = (1, 2, 3)
SOLUTIONS = {Locale.KO: "해결책", Locale.EN: "solutions"}
DESIGNED_TYPES = {
    "Type_A": ("완벽주의 성향", ("완벽주의", "자기 비판", "스트레스 관리", "목표 설정")),
    "Type_B": ("회피 성향", ("갈등 회피", "감정 표현", "자기 주장", "경계 설정")),
    "Type_C": ("의존 성향", ("의존성", "자기 결정", "자기 효능감", "독립성")),
}


@pytest.mark.parametrize("level", FOCUS)
def test_a_levels_depth_names_its_own_focus_and_no_others(level):
    depth = PLANS.depth(level, Locale.KO)
    assert all(focus in depth for focus in FOCUS[level])
    others = [focus for other, foci in FOCUS.items() if other != level for focus in foci]
    assert not [focus for focus in others if focus in depth.partition(".")[0]]


def test_every_task_of_levels_one_to_three_forbids_solutions():
    for level, locale in product(WITHOUT_SOLUTIONS, Locale):
        tasks = PLANS.plan(level, (), locale).tasks
        lacking = [task.title for task in tasks if SOLUTIONS[locale] not in (task.restrictions or "")]
        assert (level, locale, lacking) == (level, locale, [])
        left_out = [one.title for one in tasks if PLANS.restriction_left_out(level, one.restrictions or "", locale)]
        assert left_out == []
    assert PLANS.restriction.upto == max(WITHOUT_SOLUTIONS)


def test_the_restriction_is_added_to_a_task_that_lacks_it():
    left_out = {
        ("", Locale.KO): True,
        ("감정을 평가하지 않는다.", Locale.KO): True,
        ("해결책 제시 금지", Locale.KO): False,
        ("조언하지 않는다", Locale.KO): False,
        ("Only listen.", Locale.EN): True,
        ("No Solutions yet.", Locale.EN): False,
    }
    assert {case: bool(PLANS.restriction_left_out(1, *case)) for case in left_out} == left_out


@pytest.mark.parametrize("level", range(1, 6))
@pytest.mark.parametrize("locale", Locale)
def test_a_plan_without_a_model_is_complete(level, locale):
    plan = PLANS.plan(level, ("완벽주의", "자기 비판"), locale)
    assert ("완벽주의" if locale is Locale.KO else "perfectionism") in plan.goal
    assert 3 <= len(plan.tasks) <= 6
    assert len({task.id for task in plan.tasks}) == len(plan.tasks)
    assert {task.part for task in plan.tasks} == {Part.EXPLORATION}
    assert {task.module_id for task in plan.tasks} <= {module.id for module in content().modules(locale)}
    assert "{" not in str([(task.title, task.description, task.target) for task in plan.tasks])
    assert locale is Locale.KO or not re.search("[가-힣]", plan.model_dump_json())
    assert "지금의 어려움" in PLANS.plan(level, (), Locale.KO).goal, "without keywords the goal has a text, too"


def test_there_are_sixteen_personas_whose_keywords_all_have_english_names():
    assert len({persona.type for persona in PERSONAS.types}) == 16
    words = {word for persona in PERSONAS.types for word in persona.type_specific_keywords}
    assert words | {*PERSONAS.common_keywords} == set(PLANS.keywords)


@pytest.mark.parametrize("locale", Locale)
def test_each_persona_has_its_own_lines_on_how_to_talk_without_a_diagnosis(locale):
    lines = {persona.type: persona.how_to_talk(locale) for persona in PERSONAS.types}
    assert len({line for one in lines.values() for line in one}) == sum(len(one) for one in lines.values())
    told = " ".join(line for one in lines.values() for line in one)
    assert bool(re.search("[가-힣]", told)) is (locale is Locale.KO)
    assert not re.search("진단|장애|환자|치료|disorder|patient|diagnos", told)


def test_the_types_of_the_design_document_have_its_names_and_keywords():
    found = [PERSONAS.find(type_) for type_ in DESIGNED_TYPES]
    assert {one.type: (one.name_ko, tuple(one.type_specific_keywords)) for one in found} == DESIGNED_TYPES
    assert tuple(PERSONAS.common_keywords) == ("감정 인식", "자기 이해", "대인 관계", "자기 돌봄")


def test_the_error_text_of_a_slot_lists_its_choices_or_bounds():
    for register in Register:
        error_text = PLANS.slot_error(SlotKind.CHOICE, ("가끔", "매일"), (None, None), Locale.KO, register)
        assert "가끔, 매일" in error_text
        assert ("괜찮아요" in error_text) is (register is Register.FORMAL)
        assert "0에서 10" in PLANS.slot_error(SlotKind.INTEGER, (), (0, 10), Locale.KO, register)
        for bounds in ((0, None), (None, 10), (None, None)):
            error_text = PLANS.slot_error(SlotKind.INTEGER, (), bounds, Locale.KO, register)
            assert "{" not in error_text
            assert "None" not in error_text
