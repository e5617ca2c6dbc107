"""The gate and the stages: the examples of the gate's specification, and its bounds on random answers."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.content.catalogue import content
from shared.domain.booking import steps
from shared.domain.booking.calendar import Calendar
from shared.domain.booking.events import BookingConfirmed, BookingExecuted, BookingUpdated
from shared.domain.booking.readings import ReadRequest, RequestKind
from shared.domain.booking.slots import BookingSlots, Problem, SlotName, Way
from shared.domain.booking.state import MOST_ASKS, BookingRequest, BookingStage, BookingState, gate_open, missing
from shared.domain.booking.validation import Situation
from shared.domain.slots import gate_open as slots_gate_open
from shared.domain.slots import missing as slots_missing
from shared.lexicon.booking.reader import Asked
from tests.builders.sessions import session, slot

DAYS = ("mon", "tue", "wed", "thu", "fri")
CALENDAR = Calendar(
    lengths=(30, 50), default_length=50, hours={day: ({"opens": "10:00", "closes": "18:00"},) for day in DAYS}
)
NOW = dt.datetime(2026, 11, 27, 10, 0, tzinfo=CALENDAR.tzinfo)
SITUATION = Situation(CALENDAR, NOW, CALENDAR.tzinfo)
READER = content().booking_reader


def hear(state, text, situation=SITUATION):
    """Take a message in: a new batch, or an answer."""
    asked = Asked(state.last_asked, state.days, state.face)
    reading = READER.read(text, NOW, CALENDAR.open_at, asked)
    if not state.stage.open:
        state = steps.begun(state, steps.new_requests(RequestKind.BOOK, reading.requests, 1))
    state = steps.declined(state) if reading.declines else steps.filled(state, reading.first)
    return steps.settled(state, situation)


class TestTheGatesExamples:
    @pytest.mark.parametrize(
        ("slots", "left"),
        [
            (BookingSlots(date=dt.date(2026, 12, 2), time=dt.time(15)), ()),
            (BookingSlots(date=dt.date(2026, 12, 2)), (SlotName.TIME,)),
            (BookingSlots(time=dt.time(0)), (SlotName.DATE,)),
            (BookingSlots(), (SlotName.DATE, SlotName.TIME)),
        ],
    )
    def test_the_rule_alone_says_what_is_missing(self, slots, left):
        request = BookingRequest(request_id="1-0", slots=slots)
        assert missing(request) == left
        assert gate_open(request) is not bool(left)

    @pytest.mark.parametrize(
        ("confirmed", "left"),
        [
            ({"location": "을지로", "datetime": "12시 30분", "party_size": 2}, []),
            ({"location": "을지로", "party_size": 2}, ["datetime"]),
            ({"location": "을지로", "datetime": "12시 30분", "party_size": 0}, []),
            ({"location": "없어요", "datetime": "12시 30분", "party_size": 2}, []),
            ({}, ["location", "datetime", "party_size"]),
        ],
    )
    def test_the_lunch_of_the_specification(self, confirmed, left):
        required = [slot(name) for name in ("location", "datetime", "party_size")]
        assert [one.name for one in slots_missing(required, confirmed)] == left
        assert slots_gate_open(required, confirmed) is not bool(left)

    def test_without_required_slots_the_gate_is_open(self):
        request = BookingRequest(request_id="1-0", kind=RequestKind.CANCEL, slots=BookingSlots(target="b1"))
        assert gate_open(request)

    def test_zero_and_none_are_values(self):
        slots = BookingSlots(time=dt.time(0), length_minutes=0, note="")
        assert all(slots.given(one) for one in (SlotName.TIME, SlotName.LENGTH, SlotName.NOTE))
        assert not slots.given(SlotName.WAY)
        assert BookingSlots(note="").over(BookingSlots(note="잠")).note == ""


def test_a_phone_session_needs_a_number_and_one_by_chat_does_not():
    state = hear(BookingState(), "12/1 3시 전화로 예약")
    assert (state.stage, state.last_asked) == (BookingStage.FILLING, SlotName.PHONE_NUMBER)
    assert hear(state, "010-1234-5678").stage is BookingStage.READY
    declined = hear(state, "안 알려 드릴래요")
    assert (declined.stage, declined.request.slots.way) == (BookingStage.READY, Way.CHAT)


def test_an_error_of_a_number_that_is_not_needed_any_more_is_not_told():
    state = hear(hear(BookingState(), "12/1 3시 전화로 예약"), "010-12")
    assert state.slot_errors == {SlotName.PHONE_NUMBER: Problem.BAD_PHONE_NUMBER}
    state = hear(state, "그냥 채팅으로 할게요")
    assert (state.stage, dict(state.slot_errors)) == (BookingStage.READY, {})


def test_declining_what_no_booking_can_do_without_calls_it_off_honestly():
    state = hear(hear(BookingState(), "예약할게요"), "안 알려 드릴래요")
    assert (state.stage, state.finished[-1].problem) == (BookingStage.CANCELLED, Problem.DATE_NEEDED)


def test_an_invalid_value_is_told_and_asked_for_again():
    state = hear(BookingState(), "12월 5일 3시")
    assert (state.stage, dict(state.slot_errors)) == (BookingStage.FILLING, {SlotName.DATE: Problem.CLOSED_DAY})
    state = hear(state, "12월 2일이요")
    assert (state.stage, dict(state.slot_errors)) == (BookingStage.READY, {})


def test_a_length_that_is_not_offered_is_told_and_the_default_stands():
    state = hear(BookingState(), "12월 2일 3시 두 시간")
    assert (state.stage, dict(state.slot_errors)) == (BookingStage.READY, {SlotName.LENGTH: Problem.LENGTH_NOT_OFFERED})
    assert state.request.slots.length_minutes is None
    assert hear(state, "30분").slot_errors == {}


def test_several_requests_are_confirmed_one_by_one_from_ready_only():
    state = hear(BookingState(), "다음 주 수요일 3시랑 목요일 4시 예약")
    assert (state.batch_total, state.batch_progress) == (2, 1)
    assert steps.executed(state, "b1") is state, "not confirmed yet"
    state = steps.executed(steps.confirmed(state), "b1")
    assert (state.stage, state.batch_total, state.batch_progress) == (BookingStage.FILLING, 2, 2)
    assert steps.confirmed(state) is state, "not ready yet"
    state = steps.settled(state, SITUATION)
    assert state.request.slots.date == dt.date(2026, 12, 3)
    state = steps.executed(steps.confirmed(state), "b2")
    assert (state.stage, [one.booking_id for one in state.finished]) == (BookingStage.EXECUTED, ["b1", "b2"])


def test_a_time_that_another_took_meanwhile_is_asked_for_again():
    state = steps.rejected(steps.confirmed(hear(BookingState(), "다음 주 수요일 3시")), Problem.TAKEN)
    state = steps.settled(state, SITUATION)
    assert (state.stage, state.last_asked) == (BookingStage.FILLING, SlotName.TIME)
    assert hear(state, "4시요").stage is BookingStage.READY


class TestEvents:
    READY = hear(BookingState(), "다음 주 수요일 3시")

    def test_nothing_is_executed_that_was_not_confirmed(self):
        ready = session(booking=self.READY)
        assert BookingExecuted(request_id="1-0", booking_id="b").apply(ready, NOW) is ready
        confirmed = BookingConfirmed(request_id="1-0").apply(ready, NOW)
        assert confirmed.booking.stage is BookingStage.CONFIRMED
        done = BookingExecuted(request_id="1-0", booking_id="b").apply(confirmed, NOW)
        assert done.booking.stage is BookingStage.EXECUTED

    def test_an_event_about_another_request_changes_nothing(self):
        ready = session(booking=self.READY)
        assert BookingConfirmed(request_id="9-0").apply(ready, NOW) is ready

    def test_an_update_confirms_nothing(self):
        ready = session(booking=self.READY)
        assert BookingUpdated(booking=steps.confirmed(self.READY)).apply(ready, NOW) is ready


PLAIN = "네|아니요|몰라요|글쎄요|없어요|0|아무 때나요|그냥 넘어가 주세요|전화로요|채팅이요|010-1|010-1234-5678"
TIMES = "다음 주|주말이요|어제|2/30|3시에서 5시|수요일|12월 2일|3시|15:30|두 시간|새벽 3시|수요일이나 목요일|오후요"
WHOLE = ("메모는 없어요", "을지로, 2명, 12시 30분")
ANSWERS = st.sampled_from([*PLAIN.split("|"), *TIMES.split("|"), *WHOLE]) | st.text(max_size=20)


@given(st.lists(ANSWERS, min_size=1, max_size=40))
def test_no_answers_lead_into_an_endless_loop(answers):
    state = steps.begun(BookingState(), steps.new_requests(RequestKind.BOOK, [ReadRequest()], 1))
    questions = dict.fromkeys(SlotName, 0)
    for answer in answers:
        state = hear(state, answer)
        if state.stage is not BookingStage.FILLING:
            break
        questions[state.last_asked] += 1
        assert not state.request.whole.given(state.last_asked), "what is given is not asked for"
    assert max(questions.values()) <= MOST_ASKS + len(SlotName), "each slot excuses once"
    if len(answers) > MOST_ASKS * 3:
        assert state.stage in (BookingStage.READY, BookingStage.CANCELLED, BookingStage.FAILED)
