"""Reading of bookings. The present is Friday, 27 November 2026, 10:00 in Seoul."""

import datetime as dt
import json
import re
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.content.catalogue import content
from shared.content.word_files import load_words
from shared.domain.booking.readings import Answer, RequestKind
from shared.domain.booking.slots import Problem, SlotName
from shared.lexicon.booking.reader import Asked
from shared.lexicon.booking.words_file import BookingWordsFile
from shared.lexicon.lexicon_file import BilingualPhrases, ExemplifiedPhrases

SEOUL = ZoneInfo("Asia/Seoul")
NOW = dt.datetime(2026, 11, 27, 10, 0, tzinfo=SEOUL)
NOTHING = Asked()
READER = content().booking_reader
WORDS = load_words("booking.yaml", BookingWordsFile)
LISTS = [name for name in BookingWordsFile.model_fields if isinstance(getattr(WORDS, name), ExemplifiedPhrases)]


def open_at(_day, time):
    return dt.time(9) <= time < dt.time(18)


def read(text, now=NOW, asked=NOTHING):
    return READER.read(text, now, open_at, asked)


def shown(request):
    """Return a request as short words: `12-03 15:00`, errors by their names."""
    slots, errors = request.slots, request.errors
    parts = [
        slots.date and slots.date.strftime("%m-%d"),
        slots.time and slots.time.strftime("%H:%M"),
        slots.length_minutes and f"{slots.length_minutes}m",
        slots.way and slots.way.value,
        slots.phone_number,
        *(problem.value for problem in errors.values()),
    ]
    return " ".join(part for part in parts if part)


DATES = {
    "오늘": "11-27",
    "글피": "11-30",
    "다음 주 수요일": "12-02",
    "다다음 주 월요일": "12-07",
    "수요일": "12-02",
    "다음 수요일": "12-02",
    "12/3": "12-03",
    "12월 3일": "12-03",
    "12/3(목)에요": "12-03",
    "십이월 삼일": "12-03",
    "30일": "11-30",
    "2026-12-03": "12-03",
    "내년 1월 5일": "01-05",
    "일주일 뒤": "12-04",
    "2주 뒤 수요일": "12-09",
    "사흘 뒤": "11-30",
    "열흘 후에": "12-07",
    "다음 달 3일": "12-03",
    "tomorrow": "11-28",
    "the day after tomorrow": "11-29",
    "Wednesday next week": "12-02",
    "December 3": "12-03",
    "in 3 days": "11-30",
    "수요일(12/2)": "12-02",
    "수요일 말고 목요일": "12-03",
    "어제": "past",
    "11월 20일": "past",
    "13월 2일": "impossible_date",
    "31일": "impossible_date",
    "12월 3일 금요일": "weekday_mismatch",
    "금요일": "which_day",
    "다음 주": "which_day",
    "주말에요": "which_day",
    "수요일부터 금요일까지": "date_range",
    "3~5일": "date_range",
    "매주 수요일": "date_range",
    "수요일이나 목요일": "alternatives",
}
TIMES = {
    "3시": "15:00",
    "세 시요": "15:00",
    "오후 3시 반": "15:30",
    "move it to 4": "16:00",
    "내일 세 시 십오 분": "11-28 15:15",
    "15:30": "15:30",
    "09:30": "09:30",
    "15시": "15:00",
    "낮 12시": "12:00",
    "정오": "12:00",
    "새벽 3시": "03:00",
    "3시 10분 전": "14:50",
    "3 pm": "15:00",
    "half past three": "15:30",
    "12월 2일 3시, 아니 4시요": "12-02 16:00",
    "오전 15시": "impossible_time",
    "3시 75분": "15:00 75m",
    "３시 ３０분": "15:30",
    "8시": "outside_hours",
    "오후에요": "which_time",
    "3시에서 5시 사이": "time_range",
    "3시 이후": "time_range",
    "3시나 4시": "alternatives",
}
OTHERS = {
    "50분": "50m",
    "한 시간": "60m",
    "한 시간 반": "90m",
    "1시간 30분": "90m",
    "an hour and a half": "90m",
    "수요일 3시에 50분": "12-02 15:00 50m",
    "채팅으로요": "chat",
    "전화로 할게요": "phone",
    "전화 말고 채팅으로": "chat",
    "대면으로요": "way_not_offered",
    "내일 2시 전화로, 010-1234-5678": "11-28 14:00 phone 01012345678",
}


@pytest.mark.parametrize(("text", "expected"), [*DATES.items(), *TIMES.items(), *OTHERS.items()])
def test_reads_what_koreans_write(text, expected):
    assert [shown(request) for request in read(text).requests] == [expected]


SEVERAL = {
    "다음 주 수요일 3시랑 금요일 5시": ["12-02 15:00", "12-04 17:00"],
    "수요일이랑 목요일 3시": ["12-02 15:00", "12-03 15:00"],
    "수요일 오전 10시, 오후 2시": ["12-02 10:00", "12-02 14:00"],
    "전화로 수요일 3시, 목요일 4시": ["12-02 15:00 phone", "12-03 16:00 phone"],
    "수요일 예약을 목요일 4시로 바꿔 주세요": ["12-02", "12-03 16:00"],
}


@pytest.mark.parametrize(("text", "expected"), SEVERAL.items())
def test_reads_several_requests_of_one_message(text, expected):
    assert [shown(request) for request in read(text).requests] == expected


class TestShortAnswersToWhatWasAsked:
    def test_a_weekday_is_one_of_the_days_left_open(self):
        asked = Asked(SlotName.DATE, read("다음 주").first.days)
        assert [shown(read(text, asked=asked).first) for text in ("목요일이요", "3일이요")] == ["12-03", "12-03"]
        two = Asked(SlotName.DATE, read("금요일").first.days)
        assert [shown(read(text, asked=two).first) for text in ("다음 주요", "이번 주")] == ["12-04", "11-27"]

    def test_a_part_of_the_day_completes_the_hour_left_open(self):
        def always(_day, _time):
            return True

        first = READER.read("10시", NOW, always).first
        assert first.errors == {SlotName.TIME: Problem.WHICH_TIME}
        assert shown(READER.read("오후요", NOW, always, Asked(SlotName.TIME, (), first.face)).first) == "22:00"

    def test_digits_that_are_no_phone_number_are_told_only_when_one_was_asked_for(self):
        assert shown(read("010-12", asked=Asked(SlotName.PHONE_NUMBER)).first) == "bad_phone_number"
        assert read("010-12").empty

    def test_a_number_can_be_declined(self):
        asked = Asked(SlotName.PHONE_NUMBER)
        for text in ("번호는 알려주기 싫어요", "없어요", "안 알려 드릴래요"):
            assert read(text, asked=asked).declines
        assert not read("010-1234-5678", asked=asked).declines

    def test_none_is_a_note(self):
        assert read("없어요", asked=Asked(SlotName.NOTE)).first.slots.note == ""
        assert read("메모는 없어요").first.slots.note == ""
        assert read("메모: 12월 3일에 있던 일").first.slots.note == "12월 3일에 있던 일"
        assert read("없어요").empty


@pytest.mark.parametrize("name", LISTS)
def test_a_list_finds_its_examples_and_nothing_like_them(name):
    phrases = getattr(WORDS, name)
    patterns = [re.compile(WORDS.join(BilingualPhrases(ko=(one,))), re.IGNORECASE) for one in phrases.all]
    whole = {"confirms": Answer.CONFIRM, "cancels": Answer.CANCEL, "cancels_all": Answer.CANCEL_ALL}

    def found(text):
        if name in whole:
            return READER.answers.answer(text) is whole[name]
        if name in {"between_range", "confirms_cancelling", "books", "thanks", "asks_plainly", "cannot_come"}:
            return any(pattern.fullmatch(text.strip(" ?!.")) for pattern in patterns)
        start = name in {"rejects", "open_ended", "between_joins"}
        return any(pattern.match(text) if start else pattern.search(text) for pattern in patterns)

    assert [text for text in phrases.examples if not found(text)] == []
    assert [text for text in phrases.others if found(text)] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("다음 예약 잡고 싶어요", RequestKind.BOOK),
        ("예약을 금요일로 옮겨 주세요", RequestKind.CHANGE),
        ("예약 취소할게요", RequestKind.CANCEL),
        ("요즘 잠이 안 와요", None),
    ],
)
def test_the_wish_is_read_and_claims_the_message(text, kind):
    assert read(text).kind is kind
    assert READER.answers.claims(text) is (kind is not None)


def test_a_long_message_is_not_claimed():
    assert not READER.answers.claims("요즘 너무 힘들어서 잠도 못 자고 " * 6 + "예약하고 싶어요")


class TestProperties:
    @given(st.text(max_size=60))
    def test_any_text_is_read_without_an_error(self, text):
        read(text)

    @given(st.dates(dt.date(2026, 11, 27), dt.date(2027, 9, 1)), st.times(dt.time(0), dt.time(23, 59)))
    def test_a_whole_date_and_time_is_read_back(self, day, time):
        time = time.replace(second=0, microsecond=0)
        text = f"{day.year}년 {day.month}월 {day.day}일 {time.hour:02}:{time.minute:02}"
        slots = read(text).first.slots
        assert slots.date == day
        if time.hour > 12 or time.hour < 10:
            assert slots.time == time

    @given(st.integers(0, 13), st.integers(0, 33))
    def test_a_month_and_day_is_a_date_from_today_on_or_an_error(self, month, day):
        request = read(f"{month}월 {day}일").first
        assert (request.slots.date is None) == (SlotName.DATE in request.errors)
        if request.slots.date:
            assert (request.slots.date.month, request.slots.date.day) == (month, day)
            assert request.slots.date >= NOW.date()

    @given(st.dates(dt.date(2024, 1, 1), dt.date(2030, 12, 31)), st.integers(0, 6), st.integers(0, 2))
    def test_a_weekday_of_a_named_week_is_in_that_week_or_past(self, today, weekday, weeks):
        now = dt.datetime.combine(today, dt.time(10), SEOUL)
        word = ("이번 주", "다음 주", "다다음 주")[weeks] + f" {'월화수목금토일'[weekday]}요일"
        request = read(word, now=now).first
        expected = today + dt.timedelta(days=weekday - today.weekday(), weeks=weeks)
        assert request.slots.date == (expected if expected >= today else None)
        assert (request.errors.get(SlotName.DATE) is Problem.PAST) == (expected < today)


@pytest.mark.parametrize("locale", ["ko", "en"])
def test_what_the_cards_buttons_say_reaches_booking_from_any_service(locale):
    card = json.loads(Path(f"web/locales/{locale}.json").read_text(encoding="utf-8"))["booking"]
    assert all(READER.claims(card[said]) for said in ("confirm_said", "stop_said", "keep_said", "confirm_cancel_said"))
    assert all(READER.answers.answer(card["keep_said"], cancelling=one) is Answer.CANCEL for one in (True, False))
    assert READER.answers.answer(card["confirm_cancel_said"], cancelling=True) is Answer.CONFIRM
    assert READER.answers.wish(card["stop_said"]) is RequestKind.CANCEL
