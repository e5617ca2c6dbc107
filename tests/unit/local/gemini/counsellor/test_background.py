"""What the simulated planner, supervisor, reviewer and summariser see in a talk."""

import re

import pytest

from functions.session_manager.prompting import PROMPTS
from functions.session_manager.summarize import LONGEST_SUMMARY, Summary, SummaryInput
from local.gemini.counsellor.brain import CounsellorBrain
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.reviewing import review
from local.gemini.counsellor.subject import centre, subject
from local.gemini.counsellor.supervising import supervise
from local.gemini.counsellor.wishes import is_a_goal
from local.gemini.protocol import Content
from shared.domain.counseling.supervision import SATISFACTORY, Criterion, judge
from shared.locale import Locale
from shared.prompts.catalogue import Prompt as PromptFile
from shared.services.counseling.dialogue import Line

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
def test_a_reply_that_receives_and_asks_one_thing_is_good_enough(turn):
    assert total(turn) >= SATISFACTORY
    found = supervise(prompt(turn))
    assert (found["needs_improvement"], found["suggested_module"]) == (False, "")


@pytest.mark.parametrize(
    ("turn", "module"),
    [(DOUBLE, "questioning_technique"), (PASSED_OVER, "empathy_expression"), (PRESSED, "resistance_handling")],
)
def test_a_fault_falls_below_seven_and_names_what_would_serve_better(turn, module):
    assert total(GOOD, turn) < SATISFACTORY
    found = supervise(prompt(GOOD, turn))
    assert (found["needs_improvement"], found["suggested_module"]) == (True, module)
    assert found["improvements"]


def test_a_fixed_text_is_nobodys_fault():
    assert total((DOUBLE[0], "(정해진 문구) 지금 안전하세요? 곁에 누가 있으세요?")) >= SATISFACTORY


def test_refusal_upon_refusal_asks_for_another_strategy_where_one_may_be_asked_for():
    assert supervise(prompt(RECEIVED))["strategy_change"] is False
    found = supervise(prompt(RECEIVED, RECEIVED))
    assert found["strategy_change"] is True
    assert "하고 싶지 않아요" in str(found["strategy"])
    assert supervise(prompt(RECEIVED, RECEIVED, part="1"))["strategy_change"] is False


OPEN = '<task status="in_progress">가장 힘든 점 찾아보기 — 알기</task>\n'


@pytest.mark.parametrize(
    "said", [("모르겠어요", "글쎄요", "모르겠어요"), ("그런 얘기가 아니에요.", "저한테는 와닿지 않아요.")]
)
def test_a_plan_that_stalls_is_called_out_of_reach_in_part_2_alone(said):
    turns = [(one, "그러시군요.") for one in said]
    assert review(prompt(*turns, before=OPEN))["feedback_to_task_planner"]
    assert not review(prompt(*turns, before=OPEN, part="1"))["feedback_to_task_planner"]
    assert not review(prompt(GOOD, *turns[:1], before=OPEN))["feedback_to_task_planner"]


@pytest.mark.parametrize(
    ("text", "wished"),
    [
        *(("집에 바로 올라갈 수 있으면 좋겠어요.", True), ("혼자 걷다 오고 싶어요.", True)),
        *(("그런 얘기는 하고 싶지 않아요.", False), ("말하고 싶지도 않아요.", False)),
        *(("애 얘기를 먼저 하고 싶습니다.", False), ("회사에서 칼퇴하는 게 눈치 보이는 얘기를 하고 싶어요.", False)),
        ("오늘은 여기까지 하고 싶어요. 그만할게요.", False),
    ],
)
def test_a_refusal_and_a_topic_are_no_goals(text, wished):
    assert is_a_goal(text) is wished


HOME = "남편이 다음 주에도 다녀오라고 먼저 말해 줬어요. 남편한테 애 맡기고 걷다 왔어요."
FOCUS = "회사에서 칼퇴하는 게 눈치 보이는 얘기를 하고 싶어요."


def told(*said: str, before: str = "") -> Prompt:
    lines = "\n".join(f"내담자: {one}" for one in said)
    return Prompt(f"{before}<dialogue>\n{lines}\n상담사: 네.\n</dialogue>")


def test_the_focus_of_today_goes_before_what_was_told_most():
    known = f"<known>\n- 오늘의 초점: {FOCUS}\n</known>\n"
    assert subject(told(HOME, FOCUS), ()) == "가까운 사람과의 관계"
    focused = told(HOME, FOCUS, before=known)
    assert subject(focused, ()) == "회사 일"
    assert "칼퇴" in centre(focused, ())


@pytest.mark.parametrize("kind", ["no_fitting_task", "topic_change"])
def test_a_new_topic_is_the_one_that_the_feedback_names_else_the_newest_words(kind):
    asked = f"<feedback>\n- task_selector/{kind}: 화제가 가족 관계 쪽으로 옮겨 갔어요.\n</feedback>\n"
    assert subject(told("취업 준비가 불안해요", before=asked), (kind,)) == "가족 관계"
    silent = f"<feedback>\n- user_state/{kind}: 화제가 바뀌었어요.\n</feedback>\n"
    said = ("취업이 걱정이에요", "취업 면접이 불안해요", "잠도 못 자요", "새벽까지 뒤척여요")
    assert subject(told(*said, before=silent), (kind,)) == "잠 못 드는 밤"


def test_any_other_feedback_stays_with_the_goal():
    goal = "<goal>가까운 사람과의 관계를 둘러싼 마음을 나눈다.</goal>\n"
    assert subject(told("며칠 잠을 못 잤어요", "잠이 안 와요", before=goal), ("resistance",)) == "가까운 사람과의 관계"


def test_what_was_said_about_safety_is_no_subject():
    assert subject(told("빚 때문에 괴로워요", "(안전 확인) 아내가 옆방에 있어요"), ()) == "돈 걱정"


def test_words_too_short_to_say_what_it_is_about_are_no_centre():
    assert centre(told("그러고 나면 저도 속상하고요."), ()) == ""


PROMPT = PromptFile(PROMPTS, "summarizer", 1, SummaryInput)
SAID = {
    Locale.KO: (
        *("팀장님이 무서워요", "잠을 못 자서 힘들어요. 3.5시간 잤어요", "동생이랑 싸워서 속상해요"),
        "팀장님이 무서워요",
    ),
    Locale.EN: ("I am scared of my boss", "I can't sleep and feel tired", "I am sad about my brother", "I am scared"),
}
HEARD = Line(speaker="counselor", text="네.")
KNOWN = {Locale.KO: {"이름": "지우", "상담 경험": "아니요"}, Locale.EN: {"name": "Jiwoo", "earlier counselling": "no"}}


def summaries(locale, rounds):
    """Let each summary fold the same things said anew into the one before."""
    summary, brain = "", CounsellorBrain()
    for number in range(rounds):
        lines = tuple(Line(speaker="user", text=f"{text} ({number})") for text in SAID[locale])
        given = SummaryInput(limit=LONGEST_SUMMARY, summary=summary, known=KNOWN[locale], lines=(*lines, *lines, HEARD))
        rendered = PROMPT.render(locale, given)
        answer = brain.answer_json(Summary.model_json_schema(), rendered.system, [Content("user", rendered.user)])
        summary = str(answer["summary"])
        yield summary


@pytest.mark.parametrize("locale", Locale)
def test_no_entry_stands_twice_and_all_stays_within_the_limit(locale):
    for summary in summaries(locale, 12):
        quotes = re.findall(r"“[^”]*”", summary)
        assert len(quotes) == len(set(quotes))
        assert len(summary) <= LONGEST_SUMMARY
        for label, value in KNOWN[locale].items():
            assert summary.count(f"{label}: “{value}”") == 1
