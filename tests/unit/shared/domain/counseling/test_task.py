from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.counseling.module import CRISIS_MODULE, ChoiceCause, choose
from shared.domain.counseling.task import Part, Priority, TaskKind, TaskOrigin, TaskStatus, part_covered, rank
from shared.domain.counseling.user_state import StateSignal
from tests.builders.sessions import module, session, task

STATUS_ORDER = [TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.SUFFICIENT]
PRIORITY_ORDER = [Priority.HIGH, Priority.MEDIUM, Priority.LOW]
FIELDS = {"part": Part, "status": TaskStatus, "priority": Priority, "origin": TaskOrigin}
some_fields = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in FIELDS.items()})
some_tasks = st.lists(some_fields, max_size=12).map(
    lambda found: [task(f"t{number}", **fields) for number, fields in enumerate(found)]
)


def ranked(tasks, part=Part.OPENING, *, wrapping_up=False):
    return [one.id for one in rank(tasks, part, wrapping_up=wrapping_up)]


class TestRank:
    def test_puts_the_wrap_up_tasks_first_while_wrapping_up(self):
        tasks = [task("explore", 2, priority="high"), task("wrap", 2, priority="low", origin="wrap_up")]
        assert ranked(tasks, Part.EXPLORATION, wrapping_up=True) == ["wrap", "explore"]
        assert ranked(tasks, Part.EXPLORATION) == ["explore", "wrap"]

    @given(some_tasks, st.sampled_from(Part))
    def test_orders_the_open_tasks_by_status_then_priority_then_creation(self, tasks, part):
        found = rank(tasks, part, wrapping_up=False)
        chosen = {one.id for one in tasks if one.part == part and one.status is not TaskStatus.COMPLETED}
        assert {one.id for one in found} == chosen

        def key(one):
            return STATUS_ORDER.index(one.status), PRIORITY_ORDER.index(one.priority), tasks.index(one)

        assert all(key(first) < key(second) for first, second in pairwise(found))


def test_a_part_is_covered_when_all_its_tasks_are_sufficient_or_completed():
    done = task("a", status="sufficient")
    assert part_covered([done, task("b", status="completed"), task("c", Part.CLOSING)], Part.OPENING)
    for waiting in (task("b"), task("b", status="in_progress")):
        assert not part_covered([done, waiting], Part.OPENING)
    assert not part_covered([done], Part.EXPLORATION), "a part without tasks"


def test_progress_is_a_third_a_part_by_covered_tasks_and_one_for_an_ended_session():
    def progress(part, *statuses):
        tasks = [task(f"t{number}", part, status=status) for number, status in enumerate(statuses)]
        return session(*tasks, current_part=part).progress

    assert (progress(1), progress(1, "pending", "sufficient"), progress(1, "sufficient")) == (0.0, 0.167, 0.333)
    assert (progress(2), progress(2, "completed", "in_progress")) == (0.333, 0.5)
    assert progress(3, "sufficient", "sufficient") == session(status="completed", current_part=1).progress == 1.0
    assert session(status="completed").ended
    assert not session(status="wrapping_up").ended


MODULES = [
    module("calm", suits=(TaskKind.EXPLORATION,)),
    module("ask", suits=(TaskKind.EXPLORATION, TaskKind.PERSONA)),
    module("soothe", answers=(StateSignal.STRONG_EMOTION,)),
    module("circle_1", answers=(StateSignal.CIRCULAR,)),
    module("circle_2", answers=(StateSignal.CIRCULAR,)),
    module("hinted"),
    module("crisis_support", answers=(StateSignal.RISK,)),
]
CIRCULAR, STRONG, RESISTANCE = StateSignal.CIRCULAR, StateSignal.STRONG_EMOTION, StateSignal.RESISTANCE
EXPLORE = task(kind=TaskKind.EXPLORATION, module_id="unknown")


def chosen(*signals, one=None, suggested=None, current="calm"):
    choice = choose(MODULES, signals=signals, task=one, suggested=suggested, current=current)
    return choice.candidates, choice.cause


def test_risk_decides_the_module_first_and_then_the_most_pressing_signal():
    found = chosen(CIRCULAR, StateSignal.RISK, one=task(module_id="hinted"), suggested="hinted")
    assert found == ((CRISIS_MODULE,), ChoiceCause.RISK)
    assert chosen(RESISTANCE, STRONG, CIRCULAR, suggested="hinted") == (("soothe",), ChoiceCause.STATE)
    assert chosen(CIRCULAR) == (("circle_1", "circle_2"), ChoiceCause.STATE), "with several candidates a model is asked"
    assert chosen(CIRCULAR, current="circle_2") == (("circle_2",), ChoiceCause.STATE), "the current one is kept"


def test_next_come_the_supervisors_suggestion_the_tasks_module_and_those_of_its_kind():
    assert chosen(one=task(module_id="ask"), suggested="hinted") == (("hinted",), ChoiceCause.SUPERVISION)
    assert chosen(one=task(module_id="ask"), suggested="hypnosis") == (("ask",), ChoiceCause.TASK)
    assert chosen(one=task(kind=TaskKind.EXPLORATION, module_id="ask")) == (("ask",), ChoiceCause.TASK)
    assert chosen(one=EXPLORE, current="hinted") == (("calm", "ask"), ChoiceCause.TASK)
    assert chosen(one=EXPLORE, current="ask") == (("ask",), ChoiceCause.TASK)


def test_otherwise_the_current_module_is_kept():
    current = ("hinted",), ChoiceCause.CURRENT
    assert chosen(current="hinted") == current
    assert chosen(one=task(kind=TaskKind.SUMMARY, module_id="unknown"), current="hinted") == current
    assert chosen(StateSignal.TOPIC_CHANGE, current="hinted") == current, "a state that no module answers"
