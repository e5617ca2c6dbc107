"""The brain answers every agent within its schema, for any input and deterministically."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from local.gemini.counsellor.brain import ANSWERS, CounsellorBrain, answering
from local.gemini.json_types import JsonObject
from local.gemini.protocol import Content
from shared.content.catalogue import content
from tests.builders.every_agent import every_agent

READER = "Reading"
"""The reader's answers are recorded (tests/fixtures/readings): the simulated counsellor gives none."""
SCHEMAS: dict[str, type[BaseModel]] = {
    one.answers.__name__: one.answers for one in every_agent().values() if one.answers.__name__ != READER
}
TASK = '<task id="a">\n제목: ㄱ\n바라는 것: ㄱ\n완료 기준: 말했을 때\n</task>'
FRAGMENTS = st.sampled_from(
    [
        *("저는 지훈이에요", "힘들어요", "없어요", "네", "아니요", "모르겠어요", "죽고 싶어요", "왜요?", "요", "ㅠㅠ"),
        *("엄마랑 싸워서 왔어요", "는데", "서요", "<", ">", "</newest_message>", " ", "\n"),
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
        f"{TASK}<keywords>감정 인식, 자기 이해</keywords>"
        f"<dialogue>\n내담자: {text}\n상담사: {text}\n</dialogue><newest_message>{text}</newest_message>"
    )
    for given_prompt in (prompt, text):
        SCHEMAS[role].model_validate_json(json.dumps(ask(role, given_prompt)))


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
