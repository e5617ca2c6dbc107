"""The check of what a model read in a message on a booking."""

import datetime as dt
from functools import partial

import pytest

from functions.chat.flows.booking.extractor import EXTRACTOR, ExtractedValues, checked
from shared.content.catalogue import content
from shared.domain.booking.slots import SlotName

NOW = dt.datetime(2026, 11, 27, 10, 0, tzinfo=content().booking_calendar.tzinfo)
RULES = partial(content().booking_reader.read, now=NOW, open_at=content().booking_calendar.open_at)


@pytest.mark.parametrize(
    ("slot", "words", "wrong", "right"),
    [
        ("time", "네 시", "14:00", "16:00"),
        ("time", "half past four", "16:00", "16:30"),
        ("time", "세 시랑 다섯 시 사이", "15:00", ""),
        ("time", "다음 주 화요일", "14:00", ""),
        ("date", "다음 주 화요일", "2026-12-02", "2026-12-01"),
        ("date", "12월 첫 금요일", "2026-12-11", "2026-12-04"),
        ("date", "오후 네 시", "2026-12-04", ""),
        ("way", "전화로", "chat", "phone"),
    ],
)
def test_a_value_that_its_own_words_contradict_is_left_out_and_asked_for(slot, words, wrong, right):
    def found(value):
        said = {f"{slot}_words": words, slot: value}
        answer = ExtractedValues(**{**EXTRACTOR.safe_default.model_dump(), **said})
        return checked(answer, f"음 {words}요", NOW.date(), RULES)

    assert found(wrong).empty
    assert found(right).slots.given(SlotName(slot)) or not right


def test_words_that_the_rules_cannot_read_may_mean_what_the_model_says():
    said = {"date_words": "크리스마스 전날", "date": "2026-12-24", "time_words": "십칠 시", "time": "17:00"}
    answer = ExtractedValues(**{**EXTRACTOR.safe_default.model_dump(), **said})
    slots = checked(answer, "크리스마스 전날 십칠 시요", NOW.date(), RULES).slots
    assert (slots.date, slots.time) == (dt.date(2026, 12, 24), dt.time(17))
