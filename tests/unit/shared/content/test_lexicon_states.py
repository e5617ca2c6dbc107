"""Emotion and resistance, as words show them."""

from shared.content.catalogue import content
from shared.domain.counseling.user_state import CLEAR_EMOTION, STRONG_EMOTION, EmotionLabel, Resistance
from tests.support.sentences import sentences

LEXICON = content().lexicon
SAID = sentences("lexicon/states")


def test_a_named_emotion_is_read():
    named = {text: EmotionLabel(label) for label, texts in SAID["emotions"].items() for text in texts}
    assert {text: LEXICON.emotion(text).label for text in named} == named
    assert [text for text in named if LEXICON.emotion(text).intensity < CLEAR_EMOTION] == []


def test_a_denied_or_borrowed_emotion_is_none():
    read = {text: LEXICON.emotion(text) for text in SAID["no_emotion"]}
    assert {text: emotion for text, emotion in read.items() if emotion != (EmotionLabel.NEUTRAL, 0)} == {}


def test_very_and_a_little_change_the_intensity():
    plain = LEXICON.emotion("외로워요").intensity
    assert LEXICON.emotion("너무 외로워요").intensity == plain + 1
    assert LEXICON.emotion("미칠 듯이 외로워요").intensity == plain + 2
    assert LEXICON.emotion("조금 외로워요").intensity == plain - 1


def test_the_strongest_emotion_counts():
    assert LEXICON.emotion("피곤하기도 하고 절망스러워요").label is EmotionLabel.SADNESS


def test_a_great_joy_asks_for_no_regulation():
    assert LEXICON.emotion("미칠 듯이 행복해요").intensity < STRONG_EMOTION


def resistance_read_otherwise(kind):
    read = {text: LEXICON.resistance(text) for text in SAID["resistance"][kind.value]}
    return {text: found for text, found in read.items() if found is not kind}


def test_open_resistance_is_strong():
    assert resistance_read_otherwise(Resistance.STRONG) == {}


def test_evasion_is_mild():
    assert resistance_read_otherwise(Resistance.MILD) == {}


def test_trouble_with_others_is_no_resistance():
    assert resistance_read_otherwise(Resistance.NONE) == {}
