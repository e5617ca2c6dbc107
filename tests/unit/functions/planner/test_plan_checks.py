"""A table over proposals: what is wrong with each, what of it remains, and what is counted."""

from functions.planner.plan_checks import FEWEST_TASKS, MOST_TASKS, Reader
from functions.planner.proposal_errors import counted
from shared.content.catalogue import content
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.plans import Fault
from shared.domain.counseling.task import CompletionRule, Part, TaskOrigin, TaskStatus
from shared.domain.ids import TaskId
from shared.locale import Locale
from tests.fakes.counselling import session, slot, task
from tests.fakes.plans import KEYWORDS, SAID, proposal, rating, ratings, slot_wording, wording


def reader(*tasks, level=1, bounds=(FEWEST_TASKS, MOST_TASKS), **fields):
    persona = persona_of(content().personas, "Type_A", level)
    return Reader(
        content=content(),
        session=session(*tasks, user_persona=persona, **fields),
        persona=persona,
        words="\n".join(SAID),
        bounds=bounds,
        make_id=lambda number: TaskId(f"task_part2_{number}"),
        origin=TaskOrigin.PLANNER,
    )


def read(given, *tasks, **more):
    return reader(*tasks, **more).read(given)


def with_first(**fault):
    return proposal(tasks=(wording("하나").model_copy(update=fault), wording("둘"), wording("셋")))


def test_a_sound_proposal_stands_as_it_is_and_nothing_is_counted():
    plan = read(proposal())
    assert reader().wrong(proposal()) is None
    assert (plan.goal, plan.chosen, plan.found) == ("발표 앞의 마음을 함께 살펴본다", ("완벽주의", "자기 비판"), ())
    assert [str(each.id) for each in plan.tasks] == ["task_part2_1", "task_part2_2", "task_part2_3"]
    assert {each.completion_rule for each in plan.tasks} == {CompletionRule.JUDGED}


DROPPED = {
    "an unknown kind": ({"kind": "surgery"}, Fault.UNKNOWN_KIND),
    "no kind": ({"kind": ""}, Fault.UNKNOWN_KIND),
    "a kind of Part 3": ({"kind": "summary"}, Fault.UNKNOWN_KIND),
    "no title": ({"title": " "}, Fault.EMPTY_TEXT),
    "no description": ({"description": ""}, Fault.EMPTY_TEXT),
    "no target": ({"target": "\n"}, Fault.EMPTY_TEXT),
    "no criteria": ({"completion_criteria": " "}, Fault.EMPTY_TEXT),
    "an alarming title": ({"title": "죽고 싶은 마음"}, Fault.ALARMING),
    "alarming criteria": ({"completion_criteria": "I want to die, they said"}, Fault.ALARMING),
    "the title of another": ({"title": " 둘 "}, Fault.DOUBLE_TASK),
}


def test_a_task_that_does_not_hold_is_dropped_and_the_others_stay(subtests):
    for fault, code in DROPPED.values():
        with subtests.test(fault=fault, code=code):
            plan = read(with_first(**fault))
            assert {each.title for each in plan.tasks} >= {"둘", "셋"}
            assert len(plan.tasks) == 2
            assert counted(plan.found) == {code: 1, Fault.TOO_FEW_TASKS: 1}
            assert "valid tasks" in (reader().wrong(with_first(**fault)) or "")


CORRECTED = {
    "an unknown priority": ({"priority": "urgent"}, Fault.UNKNOWN_PRIORITY, "priority", "medium"),
    "an unknown module": (
        {"module_id": "hypnosis", "kind": "coping"}, Fault.UNKNOWN_MODULE, "module_id", "coping_strategy",
    ),
    "no module": ({"module_id": ""}, Fault.UNKNOWN_MODULE, "module_id", "empathy_expression"),
    "a module that is never planned": (
        {"module_id": "crisis_support"}, Fault.UNKNOWN_MODULE, "module_id", "empathy_expression",
    ),
    "a long text": ({"target": "감정 알기 " * 90}, Fault.CUT, "completion_rule", "judged"),
    "no restrictions": ({"restrictions": ""}, Fault.RESTRICTION_ADDED, "restrictions", "해결책을 앞세우지 마세요."),
    "restrictions without the level's": (
        {"restrictions": "감정을 평가하지 않는다."}, Fault.RESTRICTION_ADDED, "restrictions",
        "감정을 평가하지 않는다. 해결책을 앞세우지 마세요.",
    ),
    "alarming restrictions": (
        {"restrictions": "죽고 싶다는 말을 꺼내지 않는다"}, Fault.RESTRICTION_ADDED, "restrictions",
        "해결책을 앞세우지 마세요.",
    ),
}  # fmt: skip


def test_what_can_be_corrected_is_corrected(subtests):
    for fault, code, field, value in CORRECTED.values():
        with subtests.test(fault=fault, code=code, field=field, value=value):
            plan = read(with_first(**fault))
            assert len(plan.tasks) == 3
            assert getattr(plan.tasks[0], field) == value
            assert counted(plan.found) == {code: 1}
            assert reader().wrong(with_first(**fault)) is None


def test_the_levels_that_explore_forbid_solutions(subtests):
    for level, added in ((1, True), (3, True), (4, False), (5, False)):
        for locale in Locale:
            with subtests.test(level=level, added=added, locale=locale):
                plan = read(with_first(restrictions="Listen."), level=level, locale=locale)
                rule = content().part2_templates.restriction.text.at(locale)
                assert (rule in (plan.tasks[0].restrictions or "")) is added


def test_long_restrictions_do_not_push_the_levels_out():
    told = read(with_first(restrictions="천천히 듣는다. " * 60)).tasks[0].restrictions
    assert told.endswith("해결책을 앞세우지 마세요.")
    assert len(told) <= 300


def test_what_is_too_much_is_dropped():
    plan = read(proposal(*(f"과제 {number}" for number in range(9))))
    assert len(plan.tasks) == MOST_TASKS
    assert counted(plan.found) == {Fault.TOO_MANY_TASKS: 3}


def test_what_is_under_way_or_done_is_not_planned_again_and_what_waits_may_be():
    present = (
        task("a", Part.EXPLORATION, title="하나", status=TaskStatus.SUFFICIENT),
        task("b", Part.EXPLORATION, title="둘", status=TaskStatus.IN_PROGRESS),
        task("c", Part.EXPLORATION, title="셋"),
    )
    plan = read(proposal("하나", "둘", "셋"), *present, bounds=(1, 4))
    assert [each.title for each in plan.tasks] == ["셋"]
    assert counted(plan.found) == {Fault.ALREADY_COVERED: 2}


def test_without_a_goal_a_plan_does_not_hold(subtests):
    for goal, code in (("", Fault.EMPTY_GOAL), (" \n", Fault.EMPTY_GOAL), ("죽고 싶은 마음을 본다", Fault.ALARMING)):
        with subtests.test(goal=goal):
            assert counted(read(proposal(goal=goal)).found) == {code: 1}
            assert "goal is empty" in (reader().wrong(proposal(goal=goal)) or "")


def test_keywords_left_unrated_are_asked_for_once_and_then_forgone():
    half = proposal(ratings=ratings()[:4])
    one = reader()
    assert f"not rated: {list(KEYWORDS[4:])}" in (one.wrong(half) or "")
    assert one.wrong(half) is None
    assert counted(one.refused) == {Fault.UNRATED_KEYWORD: 4}
    nothing = proposal(ratings=(rating("축구", 9, SAID[0]),))
    other = reader()
    assert [bool(other.wrong(nothing)) for _ in range(3)] == [True] * 3


def test_nothing_of_an_alarming_text_stands_in_what_is_counted():
    plan = read(with_first(title="죽고 싶은 마음", module_id="죽고 싶다"))
    assert "죽고" not in str(plan.found)


def test_a_task_with_slots_is_complete_when_they_are_filled():
    plan = read(with_first(slots=(slot_wording(),)), task(required_slots=(slot("name"),)))
    first, second, _ = plan.tasks
    assert first.completion_rule is CompletionRule.SLOTS
    assert [each.name for each in first.required_slots] == ["since_when"]
    assert second.completion_rule is CompletionRule.JUDGED
    assert plan.found == ()
