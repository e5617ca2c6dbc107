from local.demo.answering import Answers, Situation
from local.demo.client import Client
from shared.contracts.chat import StateSnapshot

CALM = {"level": "none", "resources": []}


def situation(heard="어떻게 지내세요?", turn=1, **state):
    fields = {
        "status": "active",
        "part": 1,
        "task": {"id": "task_info_1", "title": "이름 나누기"},
        "module": "trust_building",
        "progress": 0,
        "plan_status": "none",
        "wrap_up": None,
        "risk": CALM,
        **state,
    }
    return Situation(heard, StateSnapshot.model_validate(fields), turn)


def answers(*rules):
    return Answers(Client.model_validate({"name": "a", "title": "가", "about": "나", "rules": list(rules)}))


def rule(*say, again=False, **when):
    return {"when": when, "say": list(say), "again": again}


def test_the_first_rule_that_fits_speaks():
    talk = answers(rule("이름이요", hears="이름"), rule("네"), rule("늦었어요"))
    assert talk.next(situation()) == "네"


def test_lines_are_said_in_order_and_then_the_next_rule_speaks():
    talk = answers(rule("하나", "둘"), rule("셋"))
    assert [talk.next(situation()) for _ in range(4)] == ["하나", "둘", "셋", None]


def test_a_moment_holds_when_everything_it_asks_for_does(subtests):
    cases = [
        ({"hears": "이름|성함"}, {"heard": "성함이 어떻게 되세요?"}, {"heard": "어떠세요?"}),
        ({"task": "task_info"}, {}, {"task": None}),
        ({"task": "나누기$"}, {}, {"task": {"id": "task_goal_1", "title": "목표"}}),
        ({"part": 2}, {"part": 2}, {"part": 3}),
        (
            {"proposes": "end"},
            {"wrap_up": {"stage": "proposed", "aim": "end"}},
            {"wrap_up": {"stage": "suggested", "aim": "end"}},
        ),
        (
            {"proposes": "wrap_up"},
            {"wrap_up": {"stage": "proposed", "aim": "wrap_up"}},
            {"wrap_up": {"stage": "proposed", "aim": "end"}},
        ),
        ({"in_crisis": True}, {"risk": {"level": "imminent"}}, {"risk": {"level": "concern"}}),
        ({"in_crisis": False}, {}, {"risk": {"level": "crisis"}}),
        ({"from_turn": 3}, {"turn": 3}, {"turn": 2}),
        ({"part": 2, "hears": "어떻"}, {"part": 2}, {"part": 2, "heard": "네"}),
    ]
    for when, fitting, unfitting in cases:
        with subtests.test(when=when, fitting=fitting, unfitting=unfitting):
            assert answers(rule("네", **when)).next(situation(**fitting)) == "네"
            assert answers(rule("네", **when)).next(situation(**unfitting)) is None
