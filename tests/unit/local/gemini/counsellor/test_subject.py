"""What the simulated planner makes a plan about, and how a person is spoken to about themselves."""

import pytest

from local.gemini.counsellor.clauses import gist
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.subject import centre, subject

HOME = "남편이 다음 주에도 다녀오라고 먼저 말해 줬어요. 남편한테 애 맡기고 걷다 왔어요."
FOCUS = "회사에서 칼퇴하는 게 눈치 보이는 얘기를 하고 싶어요."


def prompt(*said: str, before: str = "") -> Prompt:
    lines = "\n".join(f"내담자: {one}" for one in said)
    return Prompt(f"{before}<dialogue>\n{lines}\n상담사: 네.\n</dialogue>")


def test_the_focus_of_today_goes_before_what_was_told_most() -> None:
    known = f"<known>\n- 오늘의 초점: {FOCUS}\n</known>\n"
    assert subject(prompt(HOME, FOCUS), ()) == "가까운 사람과의 관계"
    focused = prompt(HOME, FOCUS, before=known)
    assert subject(focused, ()) == "회사 일"
    assert "칼퇴" in centre(focused, ())


@pytest.mark.parametrize("kind", ["no_fitting_task", "topic_change"])
def test_a_new_topic_is_the_one_that_the_feedback_names_else_the_newest_words(kind: str) -> None:
    asked = f"<feedback>\n- task_selector/{kind}: 화제가 가족 관계 쪽으로 옮겨 갔어요.\n</feedback>\n"
    assert subject(prompt("취업 준비가 불안해요", before=asked), (kind,)) == "가족 관계"
    silent = f"<feedback>\n- user_state/{kind}: 화제가 바뀌었어요.\n</feedback>\n"
    said = ("취업이 걱정이에요", "취업 면접이 불안해요", "잠도 못 자요", "새벽까지 뒤척여요")
    assert subject(prompt(*said, before=silent), (kind,)) == "잠 못 드는 밤"


def test_any_other_feedback_stays_with_the_goal() -> None:
    goal = "<goal>가까운 사람과의 관계를 둘러싼 마음을 나눈다.</goal>\n"
    assert (
        subject(prompt("며칠 잠을 못 잤어요", "잠이 안 와요", before=goal), ("resistance",)) == "가까운 사람과의 관계"
    )


def test_what_was_said_about_safety_is_no_subject() -> None:
    assert subject(prompt("빚 때문에 괴로워요", "(안전 확인) 아내가 옆방에 있어요"), ()) == "돈 걱정"


def test_words_too_short_to_say_what_it_is_about_are_no_centre() -> None:
    assert centre(prompt("그러고 나면 저도 속상하고요."), ()) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("친정 엄마는 저를 키울 때 더 힘들었다고만 하세요.", "친정 엄마는 유진 님을 키울 때"),
        ("애가 제 눈치를 봐요.", "애가 유진 님 눈치를"),
        ("결국 다 제 탓이에요.", "다 유진 님 탓이라"),
    ],
)
def test_a_person_is_told_their_words_with_their_name_and_quoted_with_their_own_i(text: str, said: str) -> None:
    assert said in gist(text, called="유진 님").said
    assert "유진" not in gist(text).said
