"""Behaviour of the normaliser."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.safety.normalise import normalise


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ㅈㅏ살", "자살"),
        ("ㅈㅜㄱㄱㅗ싶어", "죽고싶어"),
        ("주ㄱ고싶어", "죽고싶어"),
        ("ㅈr살", "자살"),
        ("죽고싶어어어어어", "죽고싶어"),
        ("죽\u200b고\u2060싶\ufeff어", "죽고싶어"),
        ("죽고😭싶어ㅠㅠㅠ", "죽고 싶어"),
        ("죽고   \n싶어....", "죽고 싶어"),
        ("ＫＩＬＬ ｍｙｓｅｌｆ", "kill myself"),
        ("𝐝𝐢𝐞", "die"),
        ("I DON’T wanna", "i dont wanna"),
        (unicodedata.normalize("NFD", "죽고 싶어"), "죽고 싶어"),
    ],
)
def test_a_disguise_is_undone_in_the_plain_reading(typed, meant):
    assert normalise(typed)[0] == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("죽.고.싶.어", "죽고싶어"),
        ("죽 고 싶 어", "죽고싶어"),
        ("자1살", "자살"),
        ("su1c1de", "suicide"),
        ("s u i c i d e", "suicide"),
    ],
)
def test_what_was_pulled_apart_is_joined_in_the_second_reading(typed, meant):
    assert normalise(typed)[-1] == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("I'm so done... I can't", "im so done. i cant"),
        ("i want to... die", "i want to die"),
        ("im tired\nI want out", "im tired. i want out"),
        ("wanna\ndie", "wanna die"),
        ("I honestly fucking want 2 die", "i want to die"),
        ("2 days ago, my 2 kids", "2 days ago, my 2 kids"),
        ("w/o hope n w/ pain & fear", "without hope and with pain and fear"),
        ("not safe w myself", "not safe with myself"),
        ("gone 2moro", "gone tomorrow"),
        ("so tired. honestly. done", "so tired. done"),
        ("literally", "literally"),
    ],
)
def test_english_is_read_in_full_words_and_whole_sentences(typed, meant):
    assert normalise(typed)[0] == meant


@pytest.mark.parametrize("laughter", ["하ㅋㅋㅋ", "하 ㅠㅠ", "하ㅎㅎ"])
def test_laughter_and_tears_are_no_letters(laughter):
    assert normalise(laughter) == ("하",)


def test_plain_text_has_one_reading():
    assert normalise("오늘은 조금 나아졌어요.") == ("오늘은 조금 나아졌어요.",)


@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text_can_be_normalised(text):
    for reading in normalise(text):
        assert reading == " ".join(reading.split())
        reading.encode()  # no lone surrogate is left


@given(st.text(alphabet="죽고싶어자살ㅈㅏ1. r", max_size=60))
def test_the_plain_reading_has_no_double_space_and_stays_short(text):
    assert len(normalise(text)[0]) <= len(text)
