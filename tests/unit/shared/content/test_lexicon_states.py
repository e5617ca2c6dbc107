"""Emotion and resistance, as words show them."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.user_state import CLEAR_EMOTION, STRONG_EMOTION, EmotionLabel, Resistance

LEXICON = content().lexicon


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("요즘 너무 우울해요", EmotionLabel.SADNESS),
        ("슬퍼요", EmotionLabel.SADNESS),
        ("마음이 아파요", EmotionLabel.SADNESS),
        ("면접 때문에 불안해요", EmotionLabel.ANXIETY),
        ("무서워요", EmotionLabel.ANXIETY),
        ("화가 나요", EmotionLabel.ANGER),
        ("진짜 짜증나", EmotionLabel.ANGER),
        ("제가 한심해요", EmotionLabel.SHAME),
        ("외로워요", EmotionLabel.LONELINESS),
        ("너무힘들어요", EmotionLabel.EXHAUSTION),
        ("지쳤어요", EmotionLabel.EXHAUSTION),
        ("머리가 복잡해요", EmotionLabel.CONFUSION),
        ("말하고 나니 후련해요", EmotionLabel.RELIEF),
        ("오늘은 행복했어요", EmotionLabel.JOY),
        ("I feel so lonely", EmotionLabel.LONELINESS),
        ("I'm anxious about work", EmotionLabel.ANXIETY),
        ("요즘 depressed 해요", EmotionLabel.SADNESS),
    ],
)
def test_a_named_emotion_is_read(text, label):
    feeling = LEXICON.emotion(text)
    assert feeling.label is label
    assert feeling.intensity >= CLEAR_EMOTION


@pytest.mark.parametrize(
    "text",
    [
        "안 슬퍼요",
        "하나도 안 슬퍼요",
        "불안하지 않아요",
        "불안하진 않아요",
        "별로 안 힘들어요",
        "안힘들어요",
        "힘들지 않아요",
        "슬픈 건 아니에요",
        "걱정이 없어요",
        "걱정하지 마세요",
        "걱정 마세요",
        "힘든 거 없어요",
        "화가 안 나요",
        "전화나 문자를 해요",
        "불안정한 직장이에요",
        "엄마가 슬퍼하세요",
        "친구가 힘들어해요",
        "동생이 무서워해요",
        "다행히 시험은 끝났어요",
        "밥을 먹었어요",
        "네",
        "I'm not sad",
        "I don't feel really anxious",
        "I'm not angry at all",
    ],
)
def test_a_denied_or_borrowed_emotion_is_none(text):
    assert LEXICON.emotion(text) == (EmotionLabel.NEUTRAL, 0)


def test_very_and_a_little_change_the_intensity():
    plain = LEXICON.emotion("외로워요").intensity
    assert LEXICON.emotion("너무 외로워요").intensity == plain + 1
    assert LEXICON.emotion("미칠 듯이 외로워요").intensity == plain + 2
    assert LEXICON.emotion("조금 외로워요").intensity == plain - 1


def test_the_strongest_emotion_counts():
    assert LEXICON.emotion("피곤하기도 하고 절망스러워요").label is EmotionLabel.SADNESS


def test_a_great_joy_asks_for_no_regulation():
    assert LEXICON.emotion("미칠 듯이 행복해요").intensity < STRONG_EMOTION


@pytest.mark.parametrize(
    "text",
    [
        "말하기 싫어요",
        "더 말하고 싶지 않아요",
        "대답 안 할래요",
        "왜 자꾸 물어요?",
        "그만 좀 물어보세요",
        "네가 뭘 알아",
        "AI 주제에",
        "상담 같은 거 소용없어요",
        "이런 거 다 쓸데없어요",
        "하나도 도움이 안 돼요",
        "꺼져",
        "똑같은 말만 하네",
        "stop asking me questions",
        "leave me alone",
        "this is useless",
        "you don't understand me",
        "I don't want to talk about it",
    ],
)
def test_open_resistance_is_strong(text):
    assert LEXICON.resistance(text) is Resistance.STRONG


@pytest.mark.parametrize(
    "text",
    [
        "모르겠어요",
        "글쎄요",
        "몰라요",
        "그냥요",
        "별로요",
        "말하기 좀 그래요",
        "꼭 말해야 해요?",
        "이게 도움이 될까요?",
        "나중에 말할게요",
        "idk",
        "whatever",
        "do I have to answer that?",
    ],
)
def test_evasion_is_mild(text):
    assert LEXICON.resistance(text) is Resistance.MILD


@pytest.mark.parametrize(
    "text",
    [
        "엄마랑 말하기 싫어요",
        "친구한테 말하고 싶지 않아요",
        "어떻게 해야 할지 모르겠어요",
        "사는 게 의미 없어요",
        "아빠가 닥쳐라고 소리쳤어요",
        "위기가 닥쳐서 힘들었어요",
        "엄마가 왜 자꾸 물어보는지 답답해요",
        "약이 별로 도움이 안 돼요",
        "회사 일이 힘들어요",
        "그냥 눈물이 나요",
        "친구가 헛소리를 들어요",
        "네",
        "they never leave me alone",
        "my mom won't stop asking",
        "I don't want to talk to my dad",
        "I don't know what to do",
        "you don't know how hard it was",
    ],
)
def test_trouble_with_others_is_no_resistance(text):
    assert LEXICON.resistance(text) is Resistance.NONE
