"""Faulty proposals and slots: which parts are dropped or corrected, and which faults are counted."""

import pytest

from functions.planner.plan_checks import FEWEST_TASKS, MOST_TASKS, Reader, SlotReader
from functions.planner.proposal import ProposalErrors, counted
from shared.content.catalogue import content
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.plans import Fault
from shared.domain.counseling.task import CompletionRule, Part, TaskOrigin, TaskStatus
from shared.domain.ids import TaskId
from shared.domain.slots import SlotKind
from shared.locale import Locale
from tests.builders.plans import KEYWORDS, SAID, proposal, rating, ratings, slot_wording, wording
from tests.builders.sessions import session, slot, task

TEMPLATES = content().part2_templates


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


def test_a_valid_proposal_is_kept_unchanged_without_faults():
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
    "the title of another task": ({"title": " 둘 "}, Fault.DOUBLE_TASK),
}


@pytest.mark.parametrize(("fault", "code"), DROPPED.values(), ids=DROPPED)
def test_an_invalid_task_is_dropped_and_the_others_stay(fault, code):
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


@pytest.mark.parametrize(("fault", "code", "field", "value"), CORRECTED.values(), ids=CORRECTED)
def test_a_correctable_fault_of_a_task_is_corrected_and_counted(fault, code, field, value):
    plan = read(with_first(**fault))
    assert len(plan.tasks) == 3
    assert getattr(plan.tasks[0], field) == value
    assert counted(plan.found) == {code: 1}
    assert reader().wrong(with_first(**fault)) is None


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize(("level", "added"), [(1, True), (3, True), (4, False), (5, False)])
def test_tasks_of_levels_1_to_3_get_the_restriction_against_solutions(level, added, locale):
    plan = read(with_first(restrictions="Listen."), level=level, locale=locale)
    assert (TEMPLATES.restriction.text.at(locale) in (plan.tasks[0].restrictions or "")) is added


def test_long_texts_and_surplus_tasks_are_cut_but_the_levels_restriction_stays():
    restrictions = read(with_first(restrictions="천천히 듣는다. " * 60)).tasks[0].restrictions
    assert restrictions.endswith("해결책을 앞세우지 마세요.")
    assert len(restrictions) <= 300
    assert len(read(with_first(title="긴 제목 " * 40)).tasks[0].title) <= 60
    plan = read(proposal(*(f"과제 {number}" for number in range(9))))
    assert len(plan.tasks) == MOST_TASKS
    assert counted(plan.found) == {Fault.TOO_MANY_TASKS: 3}


def test_english_keywords_of_a_proposal_are_chosen():
    english = proposal(ratings=(rating("Perfectionism", 8, SAID[2]),))
    assert read(english, locale=Locale.EN).chosen == ("완벽주의",)


def test_a_started_or_finished_task_is_not_planned_again_and_a_pending_one_may_be():
    present = (
        task("a", Part.EXPLORATION, title="하나", status=TaskStatus.SUFFICIENT),
        task("b", Part.EXPLORATION, title="둘", status=TaskStatus.IN_PROGRESS),
        task("c", Part.EXPLORATION, title="셋"),
    )
    plan = read(proposal("하나", "둘", "셋"), *present, bounds=(1, 4))
    assert [each.title for each in plan.tasks] == ["셋"]
    assert counted(plan.found) == {Fault.ALREADY_COVERED: 2}


@pytest.mark.parametrize(
    ("goal", "code"), [("", Fault.EMPTY_GOAL), (" \n", Fault.EMPTY_GOAL), ("죽고 싶은 마음을 본다", Fault.ALARMING)]
)
def test_a_plan_without_a_usable_goal_is_invalid(goal, code):
    assert counted(read(proposal(goal=goal)).found) == {code: 1}
    assert "goal is empty" in (reader().wrong(proposal(goal=goal)) or "")


def test_unrated_keywords_are_asked_for_once_and_a_plan_without_any_rating_stays_invalid():
    half = proposal(ratings=ratings()[:4])
    one = reader()
    assert f"not rated: {list(KEYWORDS[4:])}" in (one.wrong(half) or "")
    assert one.wrong(half) is None
    assert counted(one.refused) == {Fault.UNRATED_KEYWORD: 4}
    nothing = proposal(ratings=(rating("축구", 9, SAID[0]),))
    other = reader()
    assert [bool(other.wrong(nothing)) for _ in range(3)] == [True] * 3


def test_the_recorded_faults_hold_no_alarming_text():
    plan = read(with_first(title="죽고 싶은 마음", module_id="죽고 싶다"))
    assert "죽고" not in str(plan.found)


def test_a_task_with_slots_has_the_completion_rule_slots():
    plan = read(with_first(slots=(slot_wording(),)), task(required_slots=(slot("name"),)))
    first, second, _ = plan.tasks
    assert first.completion_rule is CompletionRule.SLOTS
    assert [each.name for each in first.required_slots] == ["since_when"]
    assert second.completion_rule is CompletionRule.JUDGED
    assert plan.found == ()


BEFORE = (
    task(required_slots=(slot("name", label="이름"),), optional_slots=(slot("sleep", label="잠"),), status="completed"),
)


def read_slots(*given, **fields):
    tally = ProposalErrors(content().text_rules)
    state = session(*BEFORE, user_info={"name": "민지"}, **fields)
    return SlotReader(TEMPLATES, state, tally).read(given), counted(tally.found)


def test_a_valid_slot_is_kept_unchanged():
    (found,), faults = read_slots(slot_wording(questions=("언제부터 그러셨어요?", "처음은 언제였나요？")))
    assert (found.name, found.kind, found.label) == ("since_when", SlotKind.TEXT, "시작된 때")
    assert found.questions == ("언제부터 그러셨어요?", "처음은 언제였나요？")
    assert faults == {}


CHOICES = ("거의 매일", "가끔")
DROPPED_SLOTS = {
    "an unknown kind": ({"kind": "date"}, Fault.SLOT_KIND),
    "the kind of a name": ({"kind": "name"}, Fault.SLOT_KIND),
    "no label": ({"label": " "}, Fault.SLOT_TEXT),
    "no question": ({"questions": ()}, Fault.SLOT_TEXT),
    "a question without a question mark": ({"questions": ("말해 주세요.",)}, Fault.SLOT_TEXT),
    "a question that is too long": ({"questions": ("정말 " * 60 + "그런가요?",)}, Fault.SLOT_TEXT),
    "no choices": ({"kind": "choice", "choices": ()}, Fault.SLOT_CHOICES),
    "one choice": ({"kind": "choice", "choices": ("네", " 네 ", "")}, Fault.SLOT_CHOICES),
    "the name of a known slot": ({"name": "name"}, Fault.SLOT_KNOWN),
    "the label of a known slot": ({"name": "who", "label": " 이 름"}, Fault.SLOT_KNOWN),
    "an alarming question": ({"questions": ("죽고 싶다는 생각은 언제부터 했어요?",)}, Fault.ALARMING),
    "an alarming choice": ({"kind": "choice", "choices": ("죽고 싶어요", "아니요")}, Fault.ALARMING),
}


@pytest.mark.parametrize(("fault", "code"), DROPPED_SLOTS.values(), ids=DROPPED_SLOTS)
def test_an_invalid_slot_is_dropped_and_counted(fault, code):
    assert read_slots(slot_wording(**fault)) == ((), {code: 1})


CORRECTED_SLOTS = {
    "a name in camel case": ({"name": "sinceWhen"}, "since_when", Fault.SLOT_RENAMED),
    "a name with spaces": ({"name": " Since when? "}, "since_when", Fault.SLOT_RENAMED),
    "a Korean name": ({"name": "언제부터"}, "detail", Fault.SLOT_RENAMED),
    "a name that begins with digits": ({"name": "2nd time"}, "nd_time", Fault.SLOT_RENAMED),
    "a name that is too long": ({"name": "a" * 90}, "a" * 40, Fault.SLOT_RENAMED),
    "the name of an unfilled slot": ({"name": "sleep"}, "sleep_2", Fault.SLOT_RENAMED),
    "choices of a text slot": ({"choices": CHOICES}, "since_when", Fault.SLOT_CHOICES),
    "a minimum above the maximum": (
        {"kind": "integer", "minimum": 9, "maximum": 1}, "since_when", Fault.SLOT_BOUNDS,
    ),
    "a long label": ({"label": "가" * 90}, "since_when", Fault.CUT),
}  # fmt: skip


@pytest.mark.parametrize(("fault", "name", "code"), CORRECTED_SLOTS.values(), ids=CORRECTED_SLOTS)
def test_a_correctable_fault_of_a_slot_is_corrected_and_counted(fault, name, code):
    (found,), faults = read_slots(slot_wording(**fault))
    assert (found.name, faults) == (name, {code: 1})
    assert (found.choices, found.minimum, found.maximum) == ((), None, None)


def test_slots_of_one_name_are_numbered_and_the_third_slot_is_dropped():
    given = [slot_wording(label=label) for label in ("처음", "다음", "마지막")]
    found, faults = read_slots(*given)
    assert [each.name for each in found] == ["since_when", "since_when_2"]
    assert faults == {Fault.SLOT_RENAMED: 2, Fault.TOO_MANY_SLOTS: 1}
