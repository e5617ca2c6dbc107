import pytest

from shared.domain.counseling.module import CRISIS_MODULE, ChoiceCause, choose
from shared.domain.counseling.task import TaskKind
from shared.domain.counseling.user_state import StateSignal
from tests.fakes.counselling import module, task

MODULES = [
    module("calm", suits=(TaskKind.EXPLORATION,)),
    module("ask", suits=(TaskKind.EXPLORATION, TaskKind.PERSONA)),
    module("soothe", answers=(StateSignal.STRONG_EMOTION,)),
    module("circle_1", answers=(StateSignal.CIRCULAR,)),
    module("circle_2", answers=(StateSignal.CIRCULAR,)),
    module("hinted"),
    module("crisis_support", answers=(StateSignal.RISK,)),
]


def chosen(*signals, one=None, suggested=None, current="calm"):
    choice = choose(MODULES, signals=signals, task=one, suggested=suggested, current=current)
    return choice.candidates, choice.cause


EXPLORE = task(kind=TaskKind.EXPLORATION, module_id="unknown")


def test_risk_goes_before_everything():
    found = chosen(StateSignal.CIRCULAR, StateSignal.RISK, one=task(module_id="hinted"), suggested="hinted")
    assert found == ((CRISIS_MODULE,), ChoiceCause.RISK)


def test_then_the_most_pressing_state_that_a_module_answers():
    found = chosen(StateSignal.RESISTANCE, StateSignal.STRONG_EMOTION, StateSignal.CIRCULAR, suggested="hinted")
    assert found == (("soothe",), ChoiceCause.STATE)


def test_a_state_that_several_modules_answer_is_a_question():
    assert chosen(StateSignal.CIRCULAR) == (("circle_1", "circle_2"), ChoiceCause.STATE)


def test_the_current_module_is_kept_while_it_serves_the_state():
    assert chosen(StateSignal.CIRCULAR, current="circle_2") == (("circle_2",), ChoiceCause.STATE)


def test_then_the_supervisors_suggestion():
    assert chosen(one=task(module_id="ask"), suggested="hinted") == (("hinted",), ChoiceCause.SUPERVISION)


def test_an_unknown_suggestion_is_passed_over():
    assert chosen(one=task(module_id="ask"), suggested="hypnosis") == (("ask",), ChoiceCause.TASK)


def test_then_the_tasks_own_module():
    assert chosen(one=task(kind=TaskKind.EXPLORATION, module_id="ask")) == (("ask",), ChoiceCause.TASK)


def test_then_those_that_suit_the_kind_of_task():
    assert chosen(one=EXPLORE, current="hinted") == (("calm", "ask"), ChoiceCause.TASK)
    assert chosen(one=EXPLORE, current="ask") == (("ask",), ChoiceCause.TASK)


@pytest.mark.parametrize("one", [None, task(kind=TaskKind.SUMMARY, module_id="unknown")])
def test_then_the_current_one(one):
    assert chosen(one=one, current="hinted") == (("hinted",), ChoiceCause.CURRENT)


def test_a_state_that_no_module_answers_changes_nothing():
    assert chosen(StateSignal.TOPIC_CHANGE, current="hinted") == (("hinted",), ChoiceCause.CURRENT)
