"""Behaviour of the reading of Korean typed with the keyboard in English."""

from hypothesis import given
from hypothesis import strategies as st

from shared.safety.keyboard import from_keyboard


def test_keys_are_read_as_the_letters_printed_on_them():
    meant = {
        "wnrrh tlvek": "죽고 싶다",
        "wkgo": "자해",
        "나 wnrrh tlvek": "나 죽고 싶다",
        "dhksqurgl ajfdjwutj": "완벽히 멀어져서",
    }
    assert {typed: from_keyboard(typed) for typed in meant} == meant


def test_what_makes_no_syllables_or_is_too_short_is_left_alone():
    texts = ("", "죽고 싶다", "i want to sleep", "so do go", "hello there", "lol")
    assert {text: from_keyboard(text) for text in texts} == {text: text for text in texts}


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz 가.", max_size=60))
def test_any_text_is_read_without_an_error(text):
    from_keyboard(text)
