"""Which task the simulated selector takes, and when it says that none fits."""

from functions.chat.flows.counseling.selectors.choices import among
from functions.chat.flows.counseling.selectors.task_selector import TaskChoice
from local.gemini.counsellor.choices import choose_task
from local.gemini.counsellor.prompt import Prompt


def chosen(text: str, *, state: str = "topic_change", allowed: tuple[str, ...] = ("none",)) -> dict[str, object]:
    prompt = f"""<goal>취업 준비를 중심으로 마음을 나눈다.</goal>
<state>{state}</state>
<candidates>
<candidate id="task_part2_1" priority="high" covered="false">취업 준비 들여다보기 — 큰 그림 알기</candidate>
</candidates>
<newest_message>{text}</newest_message>"""
    return dict(choose_task(Prompt(prompt, schema=among(TaskChoice, "task_id", allowed).model_json_schema())))


def test_none_fits_when_the_talk_has_moved_to_what_nothing_planned_holds() -> None:
    choice = chosen("그건 그렇고 엄마가 어제 또 화를 내셨어요.")
    assert choice["task_id"] == "none"
    assert "가족 관계" in str(choice["feedback_to_task_planner"])


def test_a_task_is_taken_when_the_new_topic_is_planned() -> None:
    assert chosen("다른 얘기지만 취업 준비가 너무 힘들어요.")["task_id"] == "task_part2_1"


def test_a_task_is_taken_while_the_topic_stays() -> None:
    assert chosen("엄마가 어제 또 화를 내셨어요.", state="calm")["task_id"] == "task_part2_1"


def test_a_task_is_taken_where_none_is_no_answer() -> None:
    assert chosen("그건 그렇고 엄마가 화를 내셨어요.", allowed=("task_part2_1",))["task_id"] == "task_part2_1"
