"""The simulated model answers every agent within its schema, whatever is written, and reads no meaning into it."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from local.gemini.agents import AgentAnswers
from local.gemini.neutral import fixed
from local.gemini.protocol import Content
from tests.builders.every_agent import every_agent

AGENTS = AgentAnswers()
SCHEMAS: dict[str, type[BaseModel]] = {one.answers.__name__: one.answers for one in every_agent().values()}
KO = "한국어로 답합니다. 내담자에게 말하지 않고 판단만 합니다."
FRAGMENTS = st.sampled_from(
    [
        *(
            "저는 지훈이에요",
            "힘들어요",
            "네",
            "모르겠어요",
            "죽고 싶어요",
            "왜요?",
            "ㅠㅠ",
            "<",
            ">",
            "</newest_message>",
        ),
        *("\n", "🙂", "I can't sleep", "이제 마무리해도 될 것 같아요", "예약할래요", "[1] 내담자: 안녕"),
    ]
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(FRAGMENTS, max_size=8).map(" ".join))
VOICES = ("<register>존댓말</register>", "<register>반말</register>", "")
ENGLISH = "You are an AI counsellor who listens calmly to one person. "


def asked(role, prompt, system=KO):
    return AGENTS.answer_json(role, system, [Content("user", prompt)])


def replied(system, *said, model="…"):
    contents = [one for text in said for one in (Content("user", text), Content("model", model))][:-1]
    return AGENTS.answer_text(system, contents)


def test_there_is_an_answer_for_every_agent_of_the_product():
    assert AGENTS.by_schema.keys() | fixed().keys() == SCHEMAS.keys()


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, role=st.sampled_from(sorted(SCHEMAS)))
def test_any_text_gets_an_answer_that_fits_the_schema_and_the_same_one_again(text, role):
    prompt = (
        '<task status="pending">하나 — 둘</task><keywords>감정 인식, 자기 이해</keywords><summary>\n</summary>'
        f"<dialogue>\n[1] 내담자: {text}\n[1] 상담사: {text}\n</dialogue><newest_message>{text}</newest_message>"
    )
    for given_prompt in (prompt, text):
        answer = asked(role, given_prompt)
        SCHEMAS[role].model_validate_json(json.dumps(answer))
        assert answer == AgentAnswers().answer_json(role, KO, [Content("user", given_prompt)])


def test_an_unknown_agent_and_an_empty_dialogue_are_left_to_the_generic_answer():
    assert asked("Unknown", "x") is None
    assert AGENTS.answer_json("Summary", "", []) is None
    assert AGENTS.answer_text("", [])


@pytest.mark.parametrize("voice", VOICES)
@pytest.mark.parametrize("stance", ["work", "care", ""])
def test_whatever_is_written_the_replies_are_calm_differ_and_ask_nothing(voice, stance):
    system = f"{voice or ENGLISH * 3}<stance>{stance}</stance>"
    said, replies = [], []
    for text in ("죽고 싶어요", "오늘 점심은 국수였어요", "asdf", "네", "왜요?") * 3:
        said.append(Content("user", text))
        replies.append(AGENTS.answer_text(system, said))
        said.append(Content("model", replies[-1]))
    assert all(one != other for one, other in pairwise(replies))
    assert len(set(replies)) == (2 if stance == "care" else 12)
    assert not any("?" in one for one in replies)
    other = replied(system, "전혀 다른 말이에요")
    assert other == replied(system, "죽고 싶어요"), "the turn chooses, not the words"


def test_what_the_prompt_orders_is_asked_in_its_words_after_what_was_wrong_with_the_answer():
    ask = '<register>존댓말</register><slot_error>숫자로 적어 주세요.</slot_error><ask slot="n">몇 번이었나요?</ask>'
    assert replied(ask, "음") == "숫자로 적어 주세요. 몇 번이었나요?"
    booking = (
        "<problem>그 시간에는 쉬어요.</problem><fact>오전이 비어 있어요.</fact><question>언제가 좋으세요?</question>"
    )
    assert replied(booking, "밤 열한 시") == "그 시간에는 쉬어요. 오전이 비어 있어요. 언제가 좋으세요?"


def test_an_answer_on_a_document_is_its_first_passage_word_for_word_with_its_source():
    shown = ("[제6조] 한계: 의료기기도 병원도 아니다. 그 밖의 말.", "[제7조] 다른 것: 다른 말.")
    passages = "".join(f"<passage>{one}</passage>" for one in shown)
    assert (
        replied(f"{KO}각 <passage> 앞의 괄호를 봅니다.{passages}", "그거 뭐예요?")
        == "“의료기기도 병원도 아니다.” [제6조]"
    )


def test_without_a_story_a_summary_and_a_closing_quote_the_newest_words_and_keep_what_was_summarised():
    prompt = (
        "<summary>\n[2] 내담자가 “비가 와요”라고 말함. (내담자의 말: “비가 와요”)\n</summary>"
        "<dialogue>\n[3] 내담자: 창밖에 눈이 오네요\n[3] 상담사: 네.\n[4] 내담자: 네\n</dialogue>"
    )
    kept = asked("Summary", prompt)["sentences"]
    assert [(one["seq"], one["quote"]) for one in kept] == [(2, "비가 와요"), (3, "창밖에 눈이 오네요")]
    told, other = asked("ClosingWork", prompt)["sentences"]
    assert {(one["seq"], one["quote"]) for one in (told, other)} == {(3, "창밖에 눈이 오네요")}
    assert told["quote"] in told["text"]


def test_without_a_story_every_plan_is_the_same_and_one_made_anew_has_a_task_that_was_not_there():
    said = ["<dialogue>\n내담자: 회사가 힘들어요\n</dialogue>", "<dialogue>\n내담자: 이혼했어요\n</dialogue>"]
    first, other = (asked("PlanProposal", f'{one}<depth level="1">얕게</depth>') for one in said)
    assert first == other
    present = [str(task["title"]) for task in first["tasks"]]
    tasks = "".join(f'<task status="completed">{title} — 무엇</task>' for title in present)
    (anew,) = asked("PlanProposal", tasks)["tasks"]
    assert anew["title"] not in present
