"""A client whose state changes: the simulated detector and selectors lead the product to another module and plan."""

import pytest

from functions.chat.flows.counseling.selectors.choices import among
from functions.chat.flows.counseling.selectors.task_selector import TaskChoice
from local.gemini.counsellor.choices import choose_task
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.state import read_state
from shared.domain.counseling.background_events import PlanMade
from tests.fakes.counselling import task
from tests.unit.local.gemini.counsellor.conversation import Conversation

SCHEMA = among(TaskChoice, "task_id", ("work", "mother", "none")).model_json_schema()


@pytest.fixture
def conversation():
    """A conversation in a planned Part 2 about work."""
    made = Conversation()
    tasks = (task("work", 2, title="회사 일 들여다보기"), task("feeling", 2, title="그때의 마음에 이름 붙이기"))
    plan = PlanMade(goal="회사 일을 중심으로", keywords=(), tasks=tasks)
    made.state = plan.apply(made.state, made.clock.now())
    made.say("요즘 회사에서 팀장님이 자꾸 일을 떠넘기세요")
    return made


def test_who_resists_is_met_and_the_plan_is_asked_for_anew(conversation):
    conversation.say("말하기 싫어요. 왜 자꾸 물어보세요?")
    state = conversation.state
    assert (state.current_module, state.module_change_reason) == ("resistance_handling", "state:resistance")
    assert "resistance" in state.state_feedback
    assert state.replans == 1


def test_who_goes_in_a_circle_is_met_and_the_plan_is_asked_for_anew(conversation):
    for _ in range(2):
        conversation.say("팀장님이 맨날 저한테만 야근을 시켜서 억울하고 화가 나요")
    state = conversation.state
    assert state.user_state.circular
    assert "circular" in state.state_feedback
    assert state.replans == 1


def test_who_goes_in_a_circle_calmly_is_met_by_a_technique_for_it(conversation):
    for _ in range(2):
        conversation.say("회의 때마다 팀장님이 제 자료를 처음부터 다시 만들라고 하세요")
    assert conversation.state.current_module in {"pattern_exploration", "reframing"}


def test_who_jumps_to_what_nothing_planned_holds_is_followed_and_the_plan_is_asked_for_anew(conversation):
    conversation.say("그건 그렇고 엄마가 어제 전화로 저를 나무라셨어요.")
    state = conversation.state
    assert (state.current_module, state.module_change_reason) == ("topic_redirection", "state:topic_change")
    assert state.replans == 1


def test_whose_feeling_rises_sharply_is_steadied_and_the_plan_is_asked_for_anew(conversation):
    conversation.say("절망스러워요. 정말 너무 절망스러워요.")
    state = conversation.state
    assert state.current_module == "emotion_regulation"
    assert "emotion_change" in state.state_feedback


def chosen(text, *candidates, state="calm"):
    listed = "\n".join(candidates)
    prompt = f"""<goal>회사 일을 중심으로</goal>
<state>{state}</state>
<candidates>
{listed}
</candidates>
<newest_message>{text}</newest_message>"""
    return dict(choose_task(Prompt(prompt, schema=SCHEMA)))


WORK = '<candidate id="work" priority="low" covered="{}"{}>회사 일 들여다보기 — 알기</candidate>'
MOTHER = '<candidate id="mother" priority="high" covered="{}"{}>가족 관계 들여다보기 — 알기</candidate>'
CURRENT = ' current="true"'


def test_a_covered_task_is_taken_for_who_says_that_they_come_back_to_it():
    found = chosen("아까 말한 엄마 얘기로 돌아가고 싶어요.", WORK.format("true", ""), MOTHER.format("true", ""))
    assert (found["task_id"], found["return_quote"]) == ("mother", "아까 말한 엄마 얘기로 돌아가고 싶어요")


@pytest.mark.parametrize(
    "text", ["오늘은 집에 있었어요.", "엄마가 전화를 하셨어요.", "아까 말한 시험 얘기를 더 할게요."]
)
def test_none_is_taken_for_who_does_not(text):
    assert chosen(text, WORK.format("true", ""), MOTHER.format("true", ""))["task_id"] == "none"


@pytest.mark.parametrize(
    ("state", "task_id"), [("resistance", "work"), ("circular", "mother"), ("topic_change", "mother")]
)
def test_the_present_task_is_kept_unless_the_talk_circles_or_left_it(state, task_id):
    found = chosen("엄마가 전화를 하셨어요.", WORK.format("false", CURRENT), MOTHER.format("false", ""), state=state)
    assert found["task_id"] == task_id


@pytest.mark.parametrize(
    ("emotion", "intensity", "text", "change"),
    [
        ("neutral", 0, "너무 절망스러워요", "rise"),
        ("joy", 5, "슬퍼요", "turned"),
        ("sadness", 6, "이제는 마음이 후련해요", "eased"),
        ("anger", 5, "화가 나요", "none"),
        ("anger", 5, "집에 있었어요", "none"),
    ],
)
def test_the_change_of_emotion_is_read_against_the_newest_reading(emotion, intensity, text, change):
    earlier = f'<reading turn="1" emotion="{emotion}" intensity="{intensity}" resistance="none">calm</reading>'
    found = read_state(Prompt(f"<earlier>\n{earlier}\n</earlier>\n<newest_message>{text}</newest_message>"))
    assert found["emotion_change"] == change


def test_without_an_earlier_reading_there_is_no_change():
    assert read_state(Prompt("<newest_message>너무 절망스러워요</newest_message>"))["emotion_change"] == "none"
