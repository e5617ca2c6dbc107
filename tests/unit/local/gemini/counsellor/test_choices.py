"""Which task the simulated selector takes, and when it says that none fits."""

from local.gemini.counsellor.choices import choose_task
from local.gemini.counsellor.prompt import Prompt

REFUSING = 'task_id는 아래 후보의 id 그대로. 어느 것도 맞지 않으면 "none"을 쓰고 무엇이 빠졌는지 한국어로 적습니다.'
NOT_REFUSING = "task_id는 아래 후보의 id 그대로. 고른 까닭을 한국어 한 문장으로 적습니다."


def chosen(text: str, *, state: str = "topic_change", told: str = REFUSING) -> dict[str, object]:
    prompt = f"""<goal>취업 준비를 중심으로 마음을 나눈다.</goal>
<state>{state}</state>
<candidates>
<candidate id="task_part2_1" priority="high" covered="false">취업 준비 들여다보기 — 큰 그림 알기</candidate>
</candidates>
<newest_message>{text}</newest_message>"""
    return dict(choose_task(Prompt(prompt, told=told)))


def test_none_fits_when_the_talk_has_moved_to_what_nothing_planned_holds() -> None:
    choice = chosen("그건 그렇고 엄마가 어제 또 화를 내셨어요.")
    assert choice["task_id"] == "none"
    assert "가족 관계" in str(choice["feedback_to_task_planner"])


def test_a_task_is_taken_when_the_new_topic_is_planned() -> None:
    assert chosen("다른 얘기지만 취업 준비가 너무 힘들어요.")["task_id"] == "task_part2_1"


def test_a_task_is_taken_while_the_topic_stays() -> None:
    assert chosen("엄마가 어제 또 화를 내셨어요.", state="calm")["task_id"] == "task_part2_1"


def test_a_task_is_taken_where_none_is_no_answer() -> None:
    assert chosen("그건 그렇고 엄마가 화를 내셨어요.", told=NOT_REFUSING)["task_id"] == "task_part2_1"
