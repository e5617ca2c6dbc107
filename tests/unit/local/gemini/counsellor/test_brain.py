"""The brain answers every agent within its schema, for any input and deterministically."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from functions.chat.flows.agreement.agents import Sufficiency, ToolPlan, Triage
from functions.chat.flows.booking.extractor import ExtractedValues
from functions.chat.flows.counseling.detectors.message_analysis import MessageAnalysis
from functions.chat.flows.counseling.detectors.task_completion import TaskCompletion
from functions.chat.flows.counseling.detectors.user_state import UserStateReading
from functions.chat.flows.counseling.selectors.module_selector import ModulePick
from functions.chat.flows.counseling.selectors.task_selector import TaskChoice
from functions.chat.flows.counseling.wrap_up import WrapUpAnswer
from functions.chat.flows.routing.intent import Meant
from functions.planner.infer_persona import PersonaGuess
from functions.planner.proposal import PlanProposal
from functions.session_manager.close import ClosingWork
from functions.session_manager.findings import SessionReview
from functions.session_manager.summarize import Summary
from functions.supervisor.judgement import Judgement
from local.gemini.counsellor.brain import ANSWERS, CounsellorBrain, answering
from local.gemini.counsellor.prompt import Prompt
from local.gemini.json_types import JsonObject
from local.gemini.protocol import Content
from shared.content.catalogue import content

SCHEMAS: dict[str, type[BaseModel]] = {
    schema.__name__: schema
    for schema in (
        *(MessageAnalysis, TaskCompletion, UserStateReading, TaskChoice, ModulePick, WrapUpAnswer, PlanProposal),
        *(PersonaGuess, Judgement, SessionReview, Summary, ClosingWork, Meant, Triage, ToolPlan, Sufficiency),
        ExtractedValues,
    )
}
TASK = '<task id="a">\n제목: ㄱ\n바라는 것: ㄱ\n완료 기준: 말했을 때\n</task>'
FRAGMENTS = st.sampled_from(
    [
        *("저는 지훈이에요", "힘들어요", "없어요", "네", "아니요", "모르겠어요", "죽고 싶어요", "왜요?", "요", "ㅠㅠ"),
        *("엄마랑 싸워서 왔어요", "는데", "서요", "<", ">", '<slot name="x" kind="y">', "</newest_message>", " ", "\n"),
        *("🙂", "I can't sleep", "이제 마무리해도 될 것 같아요", "어떻게 해야 할까요?", "말하기 싫어요"),
    ]
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(FRAGMENTS, max_size=8).map(" ".join))


def ask(role: str, prompt: str, system: str = "한국어로 답합니다. 내담자에게 말하지 않고 판단만 합니다.") -> JsonObject:
    answer = CounsellorBrain().answer_json(SCHEMAS[role].model_json_schema(), system, [Content("user", prompt)])
    assert answer is not None
    return answer


def test_the_brain_has_an_answer_for_every_agent_of_the_product():
    found = {answering(schema.model_json_schema()) for schema in SCHEMAS.values()}
    assert found == set(ANSWERS.values())
    assert len(found) == len(SCHEMAS)


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, role=st.sampled_from(sorted(SCHEMAS)))
def test_any_text_gets_an_answer_that_fits_the_schema(text, role):
    prompt = (
        f'{TASK}<slots><slot name="name" kind="name">이름</slot>'
        '<slot name="reason" kind="text">이유</slot></slots><option id="m">ㄱ — ㄴ</option>'
        '<candidate id="t" priority="high" covered="false">ㄱ — ㄴ</candidate><keywords>감정 인식, 자기 이해</keywords>'
        f"<dialogue>\n내담자: {text}\n상담사: {text}\n</dialogue><newest_message>{text}</newest_message>"
    )
    for given_prompt in (prompt, text):
        SCHEMAS[role].model_validate_json(json.dumps(ask(role, given_prompt)))


@pytest.mark.parametrize("role", sorted(SCHEMAS))
def test_every_answer_has_all_schema_fields_before_it_is_fitted(role):
    prompt = Prompt(
        f'{TASK}<slots><slot name="name" kind="name">이름</slot></slots>'
        '<option id="m">ㄱ — ㄴ</option><candidate id="t" priority="high" covered="false">ㄱ — ㄴ</candidate>'
        '<keywords>감정 인식, 자기 이해</keywords><session type="first_session" part="2"></session>'
        '<session_goal id="trust">ㄱ</session_goal><session_goal id="rapport">ㄱ</session_goal>'
        "<dialogue>\n내담자: 저는 지훈이에요. 잠을 못 자서 힘들어요.\n상담사: 말하고 싶은 만큼만 하셔도 괜찮아요.\n"
        "내담자: 네, 팀장님 때문에 불안해요.\n상담사: 네.\n</dialogue>"
        "<newest_message>네, 팀장님 때문에 불안해요.</newest_message>",
        instructions="한국어로 답합니다.",
    )
    schema = SCHEMAS[role]
    answer = answering(schema.model_json_schema())
    assert answer is not None
    said = answer(prompt)
    assert set(schema.model_validate(said).model_dump(by_alias=True)) == set(schema.model_json_schema()["properties"])


@settings(max_examples=60, deadline=None)
@given(
    text=TEXTS, stance=st.sampled_from(["work", "bridge", "propose_wrap_up", "confirm_end", "care", "accompany", ""])
)
def test_any_text_gets_the_same_reply_twice(text, stance):
    system = f'<register>존댓말</register><part number="1">ㄱ</part><stance>{stance}</stance>'
    contents = [Content("user", text), Content("model", "그러셨군요."), Content("user", text)]
    first, second = (CounsellorBrain(7).answer_text(system, contents) for _ in range(2))
    assert first == second
    assert first.strip()


def test_an_unknown_agent_and_an_empty_dialogue_are_left_to_the_generic_answer():
    brain = CounsellorBrain()
    assert brain.answer_json({"type": "object"}, "", [Content("user", "x")]) is None
    assert brain.answer_json(SCHEMAS["Summary"].model_json_schema(), "", []) is None
    assert brain.answer_text("", [])


@pytest.mark.parametrize(
    ("alarm", "wish", "who"),
    [
        ("회사 일이 너무 힘들어서 죽고 싶다는 생각이 들어요", "잠을 푹 자고 싶어요", "내담자"),
        ("I just want to die", "I want to sleep better", "Client"),
    ],
)
def test_words_of_danger_become_no_goal_and_no_plan(alarm, wish, who):
    dialogue = f"<dialogue>\n{who}: {alarm}\n{who}: {wish}\n—: 네\n</dialogue>"
    assert ask("ClosingWork", dialogue)["goals"] == [{"goal": wish, "quote": wish}]
    goal = '<session_goal id="goal_setting" evidence="user">…</session_goal>'
    found = ask("SessionReview", goal + dialogue)["goals"]
    assert found == [{"goal": "goal_setting", "evidence": wish, "answer": "", "met": True}]
    assert not content().text_rules.alarming(str(ask("PlanProposal", dialogue)))
