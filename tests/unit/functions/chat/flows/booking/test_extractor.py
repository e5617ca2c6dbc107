"""The check of what a model read in a message on a booking."""

import datetime as dt
from functools import partial

import pytest

from functions.chat.flows.booking.extractor import EXTRACTOR, ExtractedValues, checked
from shared.content.catalogue import content

NOW = dt.datetime(2026, 11, 27, 10, 0, tzinfo=content().booking_calendar.tzinfo)
RULES = partial(content().booking_reader.read, now=NOW, open_at=content().booking_calendar.open_at)


def taken(slot, words, value):
    said = {f"{slot}_words": words, slot: value}
    answer = ExtractedValues(**{**EXTRACTOR.safe_default.model_dump(), **said})
    return not checked(answer, f"음 {words}요", NOW.date(), RULES).empty


@pytest.mark.parametrize(
    ("slot", "words", "wrong", "right"),
    [
        ("time", "네 시", "14:00", "16:00"),
        ("time", "half past four", "16:00", "16:30"),
        ("time", "세 시랑 다섯 시 사이", "15:00", None),
        ("date", "다음 주 화요일", "2026-12-02", "2026-12-01"),
        ("date", "12월 첫 금요일", "2026-12-11", "2026-12-04"),
        ("way", "전화로", "chat", "phone"),
    ],
)
def test_a_value_that_its_own_words_contradict_is_left_out_and_one_that_they_mean_is_taken(slot, words, wrong, right):
    assert not taken(slot, words, wrong)
    assert right is None or taken(slot, words, right)


def test_words_that_the_rules_cannot_read_may_mean_what_the_model_says():
    assert taken("date", "크리스마스 전날", "2026-12-24")
    assert taken("time", "십칠 시", "17:00")
