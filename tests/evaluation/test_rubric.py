"""The rubric accepts good plans and finds each planted fault."""

from shared.content.catalogue import content
from shared.domain.counseling.task import TaskKind
from shared.locale import Locale
from tests.evaluation.cases import cases
from tests.evaluation.rubric import LONGEST_GOAL, MadePlan, judge

CASES = {case.id: case for case in cases()}
QUOTING = "‘실수할까 봐 걱정돼서 밤에 잠이 안 온다’는 이야기를 중심으로 마음을 함께 나눈다."
EXPLORING = CASES["sleepless_at_work"]


def good(case):
    """A plan from the templates, with two expected keywords."""
    made = content().part2_templates.plan(case.level, case.expected[:2], Locale.KO)
    return MadePlan(made.goal, case.expected[:2], made.tasks)


def with_task(plan, **fields):
    first, *rest = plan.tasks
    return MadePlan(plan.goal, plan.keywords, (first.model_copy(update=fields), *rest))


def with_goal(plan, goal):
    return MadePlan(goal, plan.keywords, plan.tasks)


def broken(case, plan):
    return {verdict.criterion for verdict in judge(case, plan) if not verdict.holds}


def test_a_good_plan_passes():
    assert {case.id: found for case in CASES.values() if (found := broken(case, good(case)))} == {}
    quoting = with_goal(good(EXPLORING), QUOTING)
    assert broken(EXPLORING, quoting) == set(), "a goal may quote the client instead of naming a keyword"


PLANTED = {
    "no goal": (lambda plan: with_goal(plan, " "), "one short sentence"),
    "a long goal": (lambda plan: with_goal(plan, "완벽주의 " + "가" * LONGEST_GOAL), "one short sentence"),
    "a wrong keyword": (lambda plan: MadePlan(plan.goal, ("완벽주의", "이별과 상실"), plan.tasks), "fitting keywords"),
    "five keywords": (lambda plan: MadePlan(plan.goal, ("완벽주의",) * 5, plan.tasks), "fitting keywords"),
    "a made up subject": (lambda plan: with_task(plan, title="부모님과의 일 나누기"), "nothing made up"),
    "a diagnosis": (lambda plan: with_goal(plan, "완벽주의에서 온 우울증을 살핀다"), "no diagnosis"),
    "a solving goal": (lambda plan: with_goal(plan, "완벽주의를 극복할 방법을 정한다"), "as deep as the level"),
    "a coping kind": (lambda plan: with_task(plan, kind=TaskKind.COPING), "as deep as the level"),
    "a missing restriction": (lambda plan: with_task(plan, restrictions=None), "level's restriction"),
    "two tasks": (lambda plan: MadePlan(plan.goal, plan.keywords, plan.tasks[:2]), "three to six tasks"),
    "an unobservable end": (lambda plan: with_task(plan, completion_criteria="마음이 편안해지면"), "observable ends"),
}


def test_a_planted_fault_is_found_and_nothing_else(subtests):
    for fault, (plant, criterion) in PLANTED.items():
        with subtests.test(fault=fault):
            assert broken(EXPLORING, plant(good(EXPLORING))) == {criterion}


def test_every_case_expects_known_keywords_and_forbids_only_unsaid_subjects(subtests):
    for case in CASES.values():
        with subtests.test(case=case):
            assert set(case.expected) <= set(content().part2_templates.keywords)
            assert case.type is None or content().personas.find(case.type) is not None
            said = case.words + "".join(exchange.counselor for exchange in case.dialogue)
            assert not [word for word in case.forbidden if word in said]
