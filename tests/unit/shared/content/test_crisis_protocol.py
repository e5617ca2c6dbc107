"""The protocol says what it must, and nothing that it must not."""

import re
from itertools import pairwise, product
from pathlib import Path

import pytest

from shared.content.crisis_protocol import (
    asks_resources,
    protocol,
    protocol_reply,
    resource_block,
    resources,
    says_safe,
)
from shared.content.schemas.crisis import Replies
from shared.domain.locale import Locale, Register
from shared.domain.safety.levels import CrisisOutcome

_CONTENT = Path(__file__).parents[4] / "shared" / "content"
_ANSWERED = [outcome for outcome in CrisisOutcome if outcome is not CrisisOutcome.NONE]
_VOICES = [(Locale.KO, Register.FORMAL), (Locale.KO, Register.CASUAL), (Locale.EN, Register.FORMAL)]
_CASES = list(product(_ANSWERED, _VOICES, range(4)))


def _reply(outcome, voice, variant, minor=False):
    return protocol_reply(outcome, *voice, variant, minor=minor)


@pytest.mark.parametrize(("outcome", "voice"), list(product(_ANSWERED, _VOICES)))
def test_the_same_text_never_comes_twice_running(outcome, voice):
    for before, after in pairwise(range(9)):
        assert _reply(outcome, voice, before) != _reply(outcome, voice, after)


@pytest.mark.parametrize(("outcome", "voice", "variant"), _CASES)
def test_a_reply_asks_directly_and_shows_109_first(outcome, voice, variant):
    text = _reply(outcome, voice, variant)
    assert "?" in text
    numbers = re.findall(r"\b(?:109|1577-0199|988|1388)\b", text)
    assert numbers[:2] == ["109", "1577-0199"]
    assert "{" not in text


@pytest.mark.parametrize(("outcome", "voice", "variant"), _CASES)
def test_a_reply_names_no_means_asks_no_promise_and_ends_nothing(outcome, voice, variant):
    text = _reply(outcome, voice, variant)
    means = r"약을|수면제|칼|손목|목을|뛰어내|옥상|번개탄|한강|pills?\b|knife|\brope|jump|overdose|razor"
    promise = r"약속|맹세|promise|swear"
    ending = r"상담을? (?:종료|마치|끝)|여기까지|대화를 (?:종료|마치|끝)|end (?:the|this) (?:session|talk)|안녕히"
    diagnosis = r"우울증|진단|장애|diagnos|disorder"
    assert not re.search("|".join((means, promise, ending, diagnosis)), text, re.IGNORECASE)


@pytest.mark.parametrize(("outcome", "variant"), list(product(_ANSWERED, range(4))))
def test_a_korean_reply_keeps_its_register(outcome, variant):
    formal = _reply(outcome, (Locale.KO, Register.FORMAL), variant)
    casual = _reply(outcome, (Locale.KO, Register.CASUAL), variant)
    # What the user is told to say to somebody else stands in quotation marks, in the register of that talk.
    spoken = re.sub(r'"[^"]*"|·.*', "", casual)
    assert not re.search(r"(?:요|니다|세요|시겠어요|까요)[.?!]", spoken)
    assert re.search(r"요[.?]", formal)


def test_minors_also_get_the_youth_line():
    assert "1388" in _reply(CrisisOutcome.CRISIS, _VOICES[0], 0, minor=True)
    assert "1388" not in _reply(CrisisOutcome.CRISIS, _VOICES[0], 0, minor=False)


@pytest.mark.parametrize("outcome", [CrisisOutcome.IMMINENT, CrisisOutcome.HARM_TO_OTHERS])
def test_when_life_is_in_danger_now_the_emergency_numbers_are_shown(outcome):
    lines = [one.number for one in resources(Locale.KO, minor=False, imminent=True)]
    assert lines == ["109", "1577-0199", "119", "112"]
    assert "구급·구조 119" in _reply(outcome, _VOICES[0], 0)


def test_no_reply_exists_for_no_finding():
    with pytest.raises(KeyError):
        _reply(CrisisOutcome.NONE, _VOICES[0], 0)


@pytest.mark.parametrize("voice", _VOICES)
def test_the_follow_through_block_holds_every_resource(voice):
    block = resource_block(*voice, minor=True, imminent=True)
    assert all(one.number in block for one in resources(voice[0], minor=True, imminent=True))


def test_every_outcome_has_three_texts_in_every_voice():
    for outcome in Replies.model_fields:
        variants = getattr(protocol().replies, outcome)
        for texts in (variants.ko, variants.ko_casual, variants.en):
            assert len(set(texts)) == len(texts) >= 3


def test_a_retired_number_appears_nowhere_in_content():
    # Korea's former suicide line, replaced by 109 on 2024-01-01 (hotlines.json).
    for path in _CONTENT.rglob("*"):
        if path.suffix in {".yaml", ".json", ".py", ".j2"}:
            assert not re.search(r"(?<!\d)1393(?!\d)", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    "text",
    [
        "지금은 괜찮아요",
        "안전해요",
        "이제 죽고 싶은 생각은 없어요",
        "안 죽을게요",
        "많이 진정됐어요",
        "나 이제 괜찮아",
        "죽고 싶지 않아요",
        "I am safe now",
        "I won't hurt myself",
        "I'm not suicidal",
    ],
)
def test_the_user_says_that_they_are_safe(text):
    assert says_safe(text)


@pytest.mark.parametrize(
    "text",
    [
        "괜찮아요",
        "안 괜찮아요",
        "괜찮은 척해요",
        "안전하지 않아요",
        "나는 괜찮은데 죽고 싶어",
        "네",
        "괜찮아질까요?",
        "I'm not safe",
        "I'm fine now but I want to die",
        "I don't feel safe",
    ],
)
def test_politeness_a_negation_or_a_crisis_is_no_word_of_safety(text):
    assert not says_safe(text)


@pytest.mark.parametrize(
    "text",
    [
        "상담 전화번호 알려주세요",
        "어디에 전화하면 돼요?",
        "도움 받을 수 있는 곳이 어디예요",
        "번호 다시 알려줘",
        "상담 전화 있어요?",
        "전에 상담 받아 봤는데 번호 좀 다시 알려 주세요",
        "예전에 상담센터 다닌 적 있는데 지금 전화할 수 있는 번호 있나요?",
        "엄마한테 전화해도 안 받아요 도움 받을 곳 있어요?",
        "도움 받을 수 있는 사람 있나요?",
        "어디에도 말할 데가 없는데 누구한테 연락하면 돼요?",
        "who can I call?",
    ],
)
def test_the_user_asks_for_resources(text):
    assert asks_resources(text)


@pytest.mark.parametrize("text", ["친구 전화번호를 잊었어요", "오늘 힘들었어요", "call me later"])
def test_other_numbers_are_no_request_for_resources(text):
    assert not asks_resources(text)


@pytest.mark.parametrize(
    "text",
    [
        "예전에 상담 전화해 본 적 있어요",
        "네, 작년에 학교 상담 센터에서 두 번 받아 봤어요",
        "상담센터에 다닌 적이 있어요",
        "정신건강복지센터에 상담 받으러 갔었어요",
        "상담 기관은 처음이에요",
        "도움 받을 수 있는 친구가 있어요",
        "누구한테 말하기가 어려워요",
        "I called a hotline once last year",
    ],
)
def test_what_one_has_done_or_has_is_no_request_for_resources(text):
    assert not asks_resources(text)
