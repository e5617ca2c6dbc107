import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.errors import EmptyText, TextTooLong
from shared.web.text import clean, clean_message


def test_a_message_is_normalised_and_stripped():
    assert clean_message(" \u1112\u1161\u11ab\u1100\u1173\u11af\r\n\ttext\x00\x07\x85 \n") == "한글\n\ttext"


def test_what_nobody_can_see_is_empty(subtests):
    for text in ("", " \n\t ", "\x00\x01", "\u200b\u200d\ufeff", "\u3164\u2800", "\u202e\u2066", "\ufe0f"):
        with subtests.test(text=text), pytest.raises(EmptyText):
            clean_message(text)


def test_one_visible_sign_is_a_message():
    assert [text for text in ("?", "ㅠ", "🙂", "👩‍👩‍👧", "é", "⠓") if not clean_message(text)] == []


def test_the_limit_counts_after_normalising():
    assert clean_message("\u1112\u1161\u11ab" * 4000) == "한" * 4000
    with pytest.raises(TextTooLong) as caught:
        clean_message("가" * 4001)
    assert (caught.value.length, caught.value.limit) == (4001, 4000)
    with pytest.raises(TextTooLong):
        clean_message(" " * 16_001)


def test_stacked_marks_are_cut_and_cost_no_time():
    began = time.process_time()
    cleaned = clean_message("a" + "\u0301" * 8000 + "\u0316" * 7000)
    assert len(cleaned) <= 31
    assert time.process_time() - began < 0.5


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text):
    assert clean(clean(text)) == clean(text)
