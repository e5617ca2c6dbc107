"""Every usual reason has a plan for every level, at the level's depth, in both languages."""

import re
from itertools import product

import pytest

from shared.content.catalogue import content
from shared.content.reason_plans import reason_plan
from shared.domain.counseling.reason import Reason
from shared.domain.counseling.task import TaskKind
from shared.locale import Locale

LEVELS = content().part2_templates
STEPS = {TaskKind.COPING, TaskKind.GOAL_SETTING}


def plan(reason, level, locale=Locale.KO):
    return reason_plan(content().part2_reasons.of(reason), LEVELS, level, locale)


def texts(made):
    fields = ("title", "description", "target", "completion_criteria", "restrictions")
    return [made.goal, *(getattr(task, field) for task in made.tasks for field in fields)]


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("locale", Locale)
def test_each_level_has_a_whole_plan(reason, locale):
    for level in range(1, 6):
        made = plan(reason, level, locale)
        assert 3 <= len(made.tasks) <= 5
        assert len({task.id for task in made.tasks}) == len({task.title for task in made.tasks}) == len(made.tasks)
        assert {task.module_id for task in made.tasks} <= {module.id for module in content().modules(locale)}
        assert all(texts(made))
        assert "{" not in str(texts(made))
        assert locale is Locale.KO or not re.search("[가-힣]", str(texts(made)))
        assert [text for text in texts(made) if content().text_rules.alarming(text)] == []
        assert [text for text in texts(made) if content().text_rules.instructive(text)] == []


@pytest.mark.parametrize("reason", Reason)
def test_depth_follows_the_level_from_naming_to_a_step(reason):
    kinds = {level: {task.kind for task in plan(reason, level).tasks} for level in range(1, 6)}
    assert kinds[1] <= {TaskKind.EXPLORATION, TaskKind.EMOTION}, "level 1 names"
    assert TaskKind.PATTERN not in kinds[2]
    assert TaskKind.PATTERN in kinds[3], "level 3 looks for the pattern"
    assert kinds[4] & STEPS
    assert kinds[5] & STEPS, "levels 4 and 5 settle on a step"
    assert len({plan(reason, level).goal for level in (1, 3, 5)}) == 3


def test_every_task_bears_its_reasons_caution_and_up_to_level_3_forbids_solutions():
    for reason, level in product(Reason, range(1, 6)):
        caution = content().part2_reasons.of(reason).caution.ko
        for task in plan(reason, level).tasks:
            assert task.restrictions.startswith(caution)
            assert not LEVELS.restriction_left_out(level, task.restrictions, Locale.KO)
