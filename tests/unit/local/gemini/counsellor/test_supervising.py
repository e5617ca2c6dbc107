"""The simulated supervisor and reviewer see what is there: good replies, faults, and plans that lead nowhere."""

import pytest

from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.reviewing import review
from local.gemini.counsellor.supervising import supervise
from local.gemini.counsellor.wishes import is_a_goal
from shared.domain.counseling.supervision import SATISFACTORY, Criterion, judge

GOOD = ("회사 일이 너무 힘들어서 잠을 못 자요.", "잠을 못 잔다는 말씀이시군요. 어떤 날이 가장 힘드세요?")
DOUBLE = ("회사 일이 너무 힘들어서 잠을 못 자요.", "잠을 못 주무시는군요. 언제부터예요? 회사에서는 어떠세요?")
PASSED_OVER = ("회사 일이 너무 힘들어서 잠을 못 자요.", "네. 상담은 처음이세요?")
PRESSED = ("그런 얘기는 하고 싶지 않아요.", "그러시군요. 그래도 그때 어떤 마음이었어요?")
RECEIVED = ("그런 얘기는 하고 싶지 않아요.", "지금은 쉬었다 가도 좋아요. 준비되시면 들려주세요.")


def prompt(*turns: tuple[str, str], part: str = "2", before: str = "") -> Prompt:
    lines = "\n".join(f"내담자: {said}\n상담사: {reply}" for said, reply in turns)
    text = f'<session part="{part}"></session>\n{before}<dialogue>\n{lines}\n</dialogue>'
    return Prompt(text)


def total(*turns: tuple[str, str]) -> float:
    scores = supervise(prompt(*turns))["scores"]
    assert isinstance(scores, dict)
    return judge({Criterion(name): int(str(score)) for name, score in scores.items()}).total


@pytest.mark.parametrize("turn", [GOOD, RECEIVED])
def test_a_reply_that_receives_and_asks_one_thing_is_good_enough(turn: tuple[str, str]) -> None:
    assert total(turn) >= SATISFACTORY
    found = supervise(prompt(turn))
    assert (found["needs_improvement"], found["suggested_module"]) == (False, "")


@pytest.mark.parametrize(
    ("turn", "module"),
    [(DOUBLE, "questioning_technique"), (PASSED_OVER, "empathy_expression"), (PRESSED, "resistance_handling")],
)
def test_a_fault_falls_below_seven_and_names_what_would_serve_better(turn: tuple[str, str], module: str) -> None:
    assert total(GOOD, turn) < SATISFACTORY
    found = supervise(prompt(GOOD, turn))
    assert (found["needs_improvement"], found["suggested_module"]) == (True, module)
    assert found["improvements"]


def test_a_fixed_text_is_nobodys_fault() -> None:
    assert total((DOUBLE[0], "(정해진 문구) 지금 안전하세요? 곁에 누가 있으세요?")) >= SATISFACTORY


def test_refusal_upon_refusal_asks_for_another_strategy_where_one_may_be_asked_for() -> None:
    assert supervise(prompt(RECEIVED))["strategy_change"] is False
    found = supervise(prompt(RECEIVED, RECEIVED))
    assert found["strategy_change"] is True
    assert "하고 싶지 않아요" in str(found["strategy"])
    assert supervise(prompt(RECEIVED, RECEIVED, part="1"))["strategy_change"] is False


OPEN = '<task status="in_progress">가장 힘든 점 찾아보기 — 알기</task>\n'


@pytest.mark.parametrize(
    "said", [("모르겠어요", "글쎄요", "모르겠어요"), ("그런 얘기가 아니에요.", "저한테는 와닿지 않아요.")]
)
def test_a_plan_that_stalls_is_called_out_of_reach_in_part_2_alone(said: tuple[str, ...]) -> None:
    turns = [(one, "그러시군요.") for one in said]
    assert review(prompt(*turns, before=OPEN))["feedback_to_task_planner"]
    assert not review(prompt(*turns, before=OPEN, part="1"))["feedback_to_task_planner"]
    assert not review(prompt(GOOD, *turns[:1], before=OPEN))["feedback_to_task_planner"]


@pytest.mark.parametrize(
    ("text", "wished"),
    [
        ("집에 바로 올라갈 수 있으면 좋겠어요.", True),
        ("혼자 걷다 오고 싶어요.", True),
        ("그런 얘기는 하고 싶지 않아요.", False),
        ("말하고 싶지도 않아요.", False),
        ("애 얘기를 먼저 하고 싶습니다.", False),
        ("회사에서 칼퇴하는 게 눈치 보이는 얘기를 하고 싶어요.", False),
        ("오늘은 여기까지 하고 싶어요. 그만할게요.", False),
    ],
)
def test_a_refusal_and_a_topic_are_no_goals(text: str, wished: bool) -> None:
    assert is_a_goal(text) is wished
