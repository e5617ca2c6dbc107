"""Booking in conversations: over the real stores, with a scripted model. The present is Friday, 27 November, 10:00."""

import asyncio
import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.chat.flows.booking.extractor import EXTRACTOR, ExtractedValues
from functions.chat.flows.booking.flow import CARD
from functions.chat.flows.booking.manifest import NAME, booking, mid_flow
from shared.adapters.documents.mapping import from_document, to_document
from shared.content.catalogue import content
from shared.contracts.booking import BookingCard
from shared.domain.booking.appointment import MOST_OPEN
from shared.domain.booking.calendar import Calendar
from shared.domain.booking.slots import SlotName, Way
from shared.domain.booking.state import MOST_ASKS, BookingStage, BookingState
from shared.domain.counseling.session import Session
from shared.domain.errors import ModelUnavailable, StoreUnavailable
from shared.domain.event import apply_all
from shared.engine.flow import Turn
from shared.engine.runner import AgentRunner
from shared.locale import Locale
from shared.ports.document_writes import Document
from shared.ports.model_settings import ModelSettings
from tests.builders.appointments import AnyonesAppointments, appointment
from tests.builders.sessions import session
from tests.builders.small_service import scope_of
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

DAYS = ("mon", "tue", "wed", "thu", "fri")
CALENDAR = Calendar(
    lengths=(30, 50, 80),
    default_length=50,
    pause=10,
    lead_minutes=120,
    hours={day: ({"opens": "10:00", "closes": "18:00"},) for day in DAYS},
)
NOW = dt.datetime(2026, 11, 27, 10, 0, tzinfo=CALENDAR.tzinfo)
WEDNESDAY = "12월 2일 수요일 오후 3시, 50분 채팅 상담"
DOWN = ModelUnavailable("503")
SETTINGS = {name: ModelSettings(model="m") for name in ("booking_extractor", "booking_asker")}


def found(**values):
    return ExtractedValues(**{**EXTRACTOR.safe_default.model_dump(), **values})


class Talk:
    """One user's conversation; only what is committed lasts."""

    def __init__(self, appointments=None, user="u1", scripts=None, name="c1", **state):
        self.appointments = appointments or AnyonesAppointments(MemoryDocumentDatabase())
        self.flow = booking(content(), self.appointments, CALENDAR).flow
        self.model = ScriptedModel(scripts or {})
        self.state = session(user_id=user, conversation_id=name, created_at=NOW, **state)
        self.outcome, self.now, self.log = None, NOW, []

    async def run(self, text):
        """Run a turn without committing it."""
        clock = SettableClock()
        clock.advance((self.now - clock.now()).total_seconds())
        runner, seq = AgentRunner(self.model, SETTINGS, clock), self.state.seq + 1
        turn = Turn(self.state, seq, f"m{seq}", text, self.now, runner, scope_of(clock))
        outcome = await self.flow.run(turn)
        self.log += [f"{one.agent} → {one.output} ({one.decided_by.value})" for one in turn.scope.ledger.runs]
        return outcome

    async def say(self, text):
        """Run a turn, commit it and return the reply."""
        self.outcome = await self.run(text)
        state = apply_all(self.state, self.outcome.events, NOW)
        state = from_document(Session, Document("sessions/c1", to_document("sessions/c1", state), "1"))
        self.state = state.model_copy(update={"seq": state.seq + 1, "answered_by": NAME})
        return self.outcome.reply

    @property
    def stage(self):
        return self.state.booking.stage

    @property
    def asked(self):
        """The agents whose model was called."""
        return [request.agent for request in self.model.requests]

    @property
    def card(self):
        (data,) = [hook.data for hook in self.outcome.hooks if hook.type == CARD]
        return BookingCard.model_validate(data)

    def hooks(self):
        return [hook.type for hook in self.outcome.hooks if hook.type != CARD]

    async def booked(self):
        found = await self.appointments.of_user(self.state.user_id)
        return [f"{one.starts_at.astimezone(CALENDAR.tzinfo):%m-%d %H:%M}" for one in found if one.booked]


def at(day, hour, minute=0):
    return dt.datetime(2026, 12, day, hour, minute, tzinfo=CALENDAR.tzinfo).astimezone(dt.UTC)


async def holding(*starts, **rest):
    """Return a conversation of a user who has these bookings."""
    talk = Talk(**rest)
    for number, start in enumerate(starts):
        await talk.appointments.book(appointment("u1", start, name=f"b{number}"), 1)
    return talk


class TestBooking:
    async def test_complete_in_one_message_is_asked_to_be_confirmed_and_nothing_else(self):
        talk = Talk()
        reply = await talk.say("다음 주 수요일 오후 3시에 예약할게요")
        assert reply == f'{WEDNESDAY}, 이렇게 예약할까요? 맞으면 "네", 그만두려면 "아니요"라고 해 주세요.'
        assert (talk.stage, await talk.booked(), mid_flow(talk.state)) == (BookingStage.READY, [], True)
        assert await talk.say("네, 그걸로 해 주세요") == f"{WEDNESDAY} 예약했어요."
        assert (talk.stage, await talk.booked()) == (BookingStage.EXECUTED, ["12-02 15:00"])
        assert (talk.hooks(), talk.asked, mid_flow(talk.state)) == (["booking_confirmed"], [], False)

    async def test_a_phone_session_asks_for_the_number(self):
        talk = Talk()
        assert (
            await talk.say("수요일 3시에 전화 상담 예약할게요") == "전화 상담을 위해 연락받으실 번호를 알려 주시겠어요?"
        )
        assert "(번호 01012345678)" in await talk.say("010-1234-5678이요")
        await talk.say("확정해 주세요")
        (booked,) = await talk.appointments.of_user("u1")
        assert (booked.way, booked.phone_number) == (Way.PHONE, "01012345678")

    async def test_without_a_number_the_session_is_by_chat_and_the_user_is_told(self):
        talk = Talk()
        await talk.say("수요일 3시에 전화 상담 예약할게요")
        reply = await talk.say("번호는 알려드리기 싫어요")
        assert reply.startswith(f"번호 없이도 할 수 있게 채팅 상담으로 바꿨어요. {WEDNESDAY},")

    async def test_a_note_is_repeated_and_kept(self):
        talk = Talk()
        assert "메모 “잠을 못 자요”도 함께" in await talk.say("12월 2일 15시 예약해 주세요 메모: 잠을 못 자요")
        await talk.say("네")
        assert [one.note for one in await talk.appointments.of_user("u1")] == ["잠을 못 자요"]

    async def test_two_in_one_message_are_confirmed_one_by_one(self):
        talk = Talk()
        assert (await talk.say("수요일 3시랑 목요일 4시로 예약해 주세요")).startswith(
            "2건 가운데 1번째예요. 12월 2일 수요일"
        )
        reply = await talk.say("네")
        assert reply.startswith(
            "12월 2일 수요일 오후 3시, 50분 채팅 상담 예약했어요. 2건 가운데 2번째예요. 12월 3일 목요일"
        )
        assert (talk.stage, talk.card.batch_total, talk.card.batch_progress) == (BookingStage.READY, 2, 2)
        assert "하지 않을게요" in await talk.say("아니요")
        assert (talk.stage, await talk.booked()) == (BookingStage.CANCELLED, ["12-02 15:00"])

    @pytest.mark.parametrize("text", ["아니요", "취소", "안 할래요", "no"])
    async def test_a_no_books_nothing(self, text):
        talk = Talk()
        await talk.say("수요일 3시에 예약해 주세요")
        await talk.say(text)
        assert (talk.stage, await talk.booked(), talk.asked) == (BookingStage.CANCELLED, [], [])

    async def test_an_unclear_answer_keeps_it_ready_without_a_model_and_the_third_lets_the_conversation_go_on(self):
        talk = Talk()
        await talk.say("수요일 3시에 예약해 주세요")
        assert (await talk.say("음 글쎄요")).startswith("아직 확정하지 않았어요. 12월 2일")
        await talk.say("괜찮을까요?")
        assert "그대로 둘게요" in await talk.say("잘 모르겠어요")
        assert (talk.stage, mid_flow(talk.state), talk.asked) == (BookingStage.READY, False, [])
        await talk.say("확정할게요")
        assert await talk.booked() == ["12-02 15:00"]

    async def test_a_correction_of_a_ready_request_is_taken_and_confirmed_again(self):
        talk = Talk()
        await talk.say("수요일 3시에 예약해 주세요")
        assert "목요일 오후 3시" in await talk.say("아니요, 목요일로요")
        assert "목요일 오후 4시" in await talk.say("네 그런데 4시로 해 주세요")
        assert (talk.stage, await talk.booked()) == (BookingStage.READY, [])
        await talk.say("네, 4시 좋아요")
        assert await talk.booked() == ["12-03 16:00"]

    async def test_a_time_that_has_passed_before_the_yes_is_not_booked(self):
        talk = Talk(scripts={"booking_asker": DOWN})
        await talk.say("오늘 2시에 예약해 주세요")
        talk.now = NOW + dt.timedelta(hours=3)
        assert "2시간 전에 예약해야 해요" in await talk.say("네")
        assert (talk.stage, await talk.booked()) == (BookingStage.FILLING, [])

    async def test_a_user_who_asks_when_there_is_room_is_told_without_the_extractor(self):
        talk = Talk(scripts={"booking_asker": DOWN})
        await talk.say("예약할게요")
        assert "11월 27일 금요일, 11월 30일 월요일, 12월 1일 화요일에 자리가 있어요" in await talk.say("언제 가능해요?")
        await talk.say("수요일이요")
        assert "12월 2일 수요일에는 오전 10시," in await talk.say("빈 시간이 언제예요?")
        assert set(talk.asked) == {"booking_asker"}

    async def test_english(self):
        talk = Talk(locale=Locale.EN)
        assert await talk.say("I want to book a session") == "Which day would you like?"
        await talk.say("next Wednesday at 3 pm")
        assert await talk.say("yes please") == "Booked: Wednesday, December 2, 3:00 PM, a 50-minute chat session."

    @pytest.mark.parametrize(
        ("text", "moved"),
        [
            ("아니 잠깐 4시로 바꿔 주세요", "12-02 16:00"),
            ("금요일로 옮길게요", "12-04 15:00"),
            ("시간을 한 시간 뒤로 미뤄 주세요", "12-02 16:00"),
            ("30분만 당겨 주세요", "12-02 14:30"),
            ("17일로 바꿀게요", "12-17 15:00"),
            ("move it to 4 pm", "12-02 16:00"),
        ],
    )
    async def test_a_change_right_after_booking_needs_no_noun_and_keeps_what_was_not_named(self, text, moved):
        talk = await holding(at(8, 11))
        await talk.say("수요일 3시에 전화 상담 예약할게요, 010-1234-5678")
        await talk.say("네")
        assert (await talk.say(text)).startswith("12월 2일 수요일 오후 3시 예약을 ")
        await talk.say("네")
        booked = {one.booking_id: one for one in await talk.appointments.of_user("u1") if one.booked}
        changed = next(one for name, one in booked.items() if name != "b0")
        assert f"{changed.starts_at.astimezone(CALENDAR.tzinfo):%m-%d %H:%M}" == moved
        assert (len(booked), changed.phone_number) == (2, "01012345678")

    async def test_thanks_or_a_yes_after_a_booking_are_met_warmly_and_book_nothing(self):
        talk = Talk()
        await talk.say("수요일 3시에 예약해 주세요")
        await talk.say("네")
        for text in ("고마워요", "네", "네, 감사합니다!"):
            assert "잘 잡혀 있어요" in await talk.say(text)
        assert await talk.booked() == ["12-02 15:00"]

    async def test_who_calls_off_the_rest_of_a_batch_is_told_what_stays_booked(self):
        talk = Talk()
        await talk.say("수요일 3시랑 목요일 4시로 예약해 주세요")
        await talk.say("네")
        assert "12월 2일 수요일 오후 3시 예약은 그대로 있어요" in await talk.say("전부 취소해 주세요")
        assert await talk.booked() == ["12-02 15:00"]

    async def test_next_friday_on_a_friday_is_the_next_one_and_cancel_friday_cancels(self):
        talk = Talk(locale=Locale.EN, scripts={"booking_asker": DOWN})
        assert "December 4" in await talk.say("book next friday at 2 pm")
        await talk.say("yes")
        assert (await talk.say("cancel friday")).startswith("Shall I cancel the booking of Friday, December 4")
        assert "or Friday, December 4" in await Talk(locale=Locale.EN, scripts={"booking_asker": DOWN}).say(
            "book friday at 2 pm"
        )
        other = Talk(locale=Locale.EN, scripts={"booking_asker": DOWN})
        await other.say("book friday at 2 pm")
        await other.say("cancel friday")
        assert other.stage is BookingStage.CANCELLED


class TestTheWalkThroughsOfTheGate:
    """The examples of the gate's specification in conversations, with their decision logs (`pytest -rP` prints them).

    The model would like to ask on and on, as in the specification: "예산도 물어보는 게 좋을 것 같아요".
    """

    WANTS_MORE = "예산은 어떻게 되시나요? 어떤 음식이 좋으세요?"

    def talk(self):
        return Talk(scripts={"booking_asker": self.WANTS_MORE, "booking_extractor": found()})

    def printed(self, talk):
        print("\n".join(talk.log))  # noqa: T201 - `-rP` shows the log
        return talk.log

    async def test_one_that_is_missing_is_asked_once_and_what_was_said_is_neither_asked_nor_lost(self):
        talk = self.talk()
        assert await talk.say("다음 주 수요일에 50분 예약") == "몇 시가 좋으세요?"
        assert "12월 2일 수요일 오후 12시 30분, 50분" in await talk.say("12시 30분")
        assert self.printed(talk) == ["booking_gate → FILLING (rule)", "booking_gate → READY (rule)"]
        assert (dict(talk.state.booking.asked), talk.asked) == ({SlotName.TIME: 1}, [])

    async def test_once_carried_out_it_is_never_asked_about_again(self):
        talk = self.talk()
        for text in ("다음 주 수요일 12시 30분 예약", "네", "고마워요", "네"):
            await talk.say(text)
        assert self.printed(talk)[:2] == ["booking_gate → READY (rule)", "booking_gate → EXECUTED (rule)"]
        assert (talk.stage, await talk.booked()) == (BookingStage.EXECUTED, ["12-02 12:30"])
        assert (dict(talk.state.booking.asked), self.WANTS_MORE in talk.outcome.reply) == ({}, False)

    async def test_none_is_an_answer(self):
        talk = self.talk()
        await talk.say("다음 주 수요일 3시 예약, 메모는 없어요")
        assert talk.stage is BookingStage.READY
        assert talk.asked == []

    async def test_the_same_words_again_and_again_end_after_the_bound_with_an_honest_word(self):
        talk = self.talk()
        replies = [await talk.say("을지로, 2명") for _ in range(2)] + [await talk.say("예약할게요")]
        replies += [await talk.say("을지로, 2명") for _ in range(MOST_ASKS)]
        assert talk.stage is BookingStage.FAILED
        assert self.printed(talk)[-1] == "booking_gate → FAILED (rule)"
        assert "아무것도 예약하지 않았어요" in replies[-1]
        assert [reply for reply in replies if "예산" in reply or "음식" in reply] == []


class TestErrors:
    async def test_a_taken_time_is_told_with_the_free_ones_when_the_model_is_down(self):
        talk = Talk(scripts={"booking_asker": DOWN})
        await talk.appointments.book(appointment("other", at(2, 15)), 1)
        reply = await talk.say("수요일 3시에 예약해 주세요")
        assert reply.startswith("그 시각은 벌써 다 찼어요. 12월 2일 수요일에는 오전 10시,")
        assert reply.endswith("몇 시가 좋으세요?")
        assert (talk.outcome.flags, talk.stage) == (("degraded",), BookingStage.FILLING)

    async def test_the_errors_reach_the_asker_which_words_the_question(self):
        words = "토요일에는 상담이 없어요. 평일 가운데 언제가 좋으세요?"
        talk = Talk(scripts={"booking_asker": words})
        assert await talk.say("토요일 3시에 예약해 주세요") == words
        (request,) = talk.model.requests
        assert "<problem>11월 28일 토요일은 상담이 없는 날이에요.</problem>" in request.system
        assert "<fact>가까운 날로는 11월 30일 월요일," in request.system

    @pytest.mark.parametrize("words", ["예약이 완료됐어요. 언제 볼까요?", "알겠어요."])
    async def test_a_question_that_claims_a_booking_or_asks_nothing_is_replaced(self, words):
        talk = Talk(scripts={"booking_asker": words})
        assert (await talk.say("토요일 3시에 예약해 주세요")).startswith("11월 28일 토요일은 상담이 없는 날이에요.")

    async def test_what_the_rules_cannot_read_is_extracted_and_checked_against_the_users_words(self):
        answer = found(date_words="크리스마스 전날", date="2026-12-24", time_words="세 시쯤", time="15:00")
        talk = Talk(scripts={"booking_extractor": answer})
        reply = await talk.say("크리스마스 전날로 상담 예약하고 싶어요")
        assert (reply, talk.asked) == ("몇 시가 좋으세요?", ["booking_extractor"])
        assert talk.state.booking.request.slots.date == dt.date(2026, 12, 24)
        assert talk.state.booking.request.slots.time is None, "the user never said it"

    async def test_no_time_is_booked_on_words_that_name_a_day(self):
        answer = found(time_words="다음 주 화요일", time="14:00")
        talk = Talk(scripts={"booking_extractor": answer})
        assert await talk.say("다음 주 화요일에 애들 재우고 상담받고 싶어요, 예약할게요") == "몇 시가 좋으세요?"

    async def test_an_error_is_told_once_and_another_value_meanwhile_does_not_count_as_a_failed_answer(self):
        talk = Talk(scripts={"booking_extractor": DOWN, "booking_asker": DOWN})
        reply = await talk.say("토요일 3시에 예약해 주세요")
        assert reply.startswith(
            "11월 28일 토요일은 상담이 없는 날이에요. 가까운 날로는 11월 30일 월요일, 12월 1일 화요일"
        )
        told = await talk.say("전화로요")
        assert ("없는 날" in told, "알아듣지 못했" in told) == (False, False)
        assert "없는 날" not in await talk.say("010-1234-5678이요")
        assert "없는 날" not in await talk.say("글쎄요")
        assert talk.stage is BookingStage.FILLING

    async def test_two_days_side_by_side_are_a_choice_and_no_wrong_weekday(self):
        talk = Talk(scripts={"booking_asker": DOWN})
        assert "둘 가운데 하나" in await talk.say("모레 글피 오후에 예약할게요")

    async def test_a_failed_extractor_is_said_to_the_user_and_to_the_asker(self):
        talk = Talk(scripts={"booking_extractor": DOWN, "booking_asker": DOWN})
        await talk.say("예약할게요")
        reply = await talk.say("제 생일 다음다음 날이 괜찮을 것 같기도 해요")
        assert reply.startswith("말씀을 다 알아듣지 못했어요.")
        assert talk.state.booking.parse_error

    async def test_a_slot_is_asked_three_times_at_most_and_then_nothing_is_booked(self):
        talk = Talk(scripts={"booking_extractor": DOWN, "booking_asker": DOWN})
        replies = [await talk.say(text) for text in ("예약할게요", "글쎄요", "아무 때나요", "음 아무 때나 좋은데")]
        assert len(set(replies)) == 4
        assert "아무것도 예약하지 않았어요" in replies[-1]
        assert (talk.stage, mid_flow(talk.state)) == (BookingStage.FAILED, False)

    async def test_a_store_that_does_not_answer_is_told_honestly_and_nothing_is_claimed(self):
        talk = Talk()
        await talk.say("수요일 3시에 예약해 주세요")

        async def unavailable(*_):
            raise StoreUnavailable("down")

        talk.appointments.book = unavailable
        assert "저장하지 못했어요" in await talk.say("네")
        assert (talk.stage, talk.outcome.flags) == (BookingStage.FAILED, ("degraded",))
        talk.appointments.of_user = unavailable
        assert "확인할 수 없어요" in await talk.say("내 예약 보여줘")


class TestBound:
    FULL = tuple(at(day, 11) for day in range(7, 7 + MOST_OPEN))

    @pytest.mark.parametrize(
        ("locale", "texts"),
        [
            (Locale.KO, ("예약하고 싶어요", "5건까지", "내 예약 보여줘", "예약 취소", "예약이 여러 개 있어요.")),
            (
                Locale.EN,
                ("I want to book a session", "have 5", "show my bookings", "cancel a booking", "several bookings"),
            ),
        ],
    )
    async def test_a_user_with_as_many_bookings_as_they_may_have_is_told_so_and_how_to_see_or_cancel_one(
        self, locale, texts
    ):
        talk = await holding(*self.FULL, locale=locale)
        wish, bound, show, cancel, which = texts
        reply = await talk.say(wish)
        assert all(words in reply for words in (bound, show, cancel))
        assert (talk.stage, mid_flow(talk.state), talk.asked) == (BookingStage.FAILED, False, [])
        assert "5. " in await talk.say(show)
        assert which in await talk.say(cancel)

    async def test_of_two_that_are_asked_for_one_is_booked_where_one_has_room_and_a_change_is_always_possible(self):
        talk = await holding(*self.FULL[1:])
        await talk.say("수요일 3시랑 금요일 4시에 예약해 주세요")
        reply = await talk.say("네")
        assert ("예약했어요" in reply, reply.count("5건까지"), "지 않았어요" in reply) == (True, 1, True)
        await talk.say("수요일 예약을 4시로 바꿔 주세요")
        await talk.say("네")
        assert await talk.booked() == ["12-02 16:00", "12-08 11:00", "12-09 11:00", "12-10 11:00", "12-11 11:00"]

    async def test_of_two_conversations_that_confirm_the_last_one_at_once_one_is_told_that_there_is_no_room(self):
        first = await holding(*self.FULL[1:])
        other = Talk(first.appointments, name="c2")
        for talk, hour in ((first, 3), (other, 5)):
            await talk.say(f"수요일 {hour}시에 예약해 주세요")
        await asyncio.gather(first.say("네"), other.say("네"))
        assert sorted([first.stage, other.stage]) == [BookingStage.EXECUTED, BookingStage.FAILED]
        loser = first if first.stage is BookingStage.FAILED else other
        assert "5건까지" in loser.outcome.reply
        assert len(await first.booked()) == MOST_OPEN


class TestConcurrency:
    async def test_one_of_two_who_confirm_the_same_time_gets_it_and_the_other_is_asked_for_another(self):
        first = Talk(scripts={"booking_asker": DOWN})
        other = Talk(first.appointments, "u2", {"booking_asker": DOWN}, "c2")
        for talk in (first, other):
            await talk.say("수요일 3시에 예약해 주세요")
        await asyncio.gather(first.say("네"), other.say("네"))
        assert sorted([first.stage, other.stage]) == [BookingStage.EXECUTED, BookingStage.FILLING]
        loser = first if first.stage is BookingStage.FILLING else other
        assert "벌써 다 찼어요" in loser.outcome.reply
        await loser.say("4시요")
        await loser.say("네")
        assert await loser.booked() == ["12-02 16:00"]

    async def test_a_repeated_turn_of_the_confirmation_books_once(self):
        talk = Talk()
        await talk.say("수요일 3시에 예약해 주세요")
        await talk.run("네")
        await talk.say("네")
        assert (talk.stage, await talk.booked()) == (BookingStage.EXECUTED, ["12-02 15:00"])


@pytest.mark.parametrize(
    ("asked", "chosen", "when"),
    [
        ("예약하고 싶어요, 가능한 날이 언제예요?", "두 번째 걸로", "11월 30일"),
        ("예약하고 싶어요, 가능한 날이 언제예요?", "첫번째 날 3시요", "11월 27일 금요일 오후 3시"),
        ("다음 주 수요일에 예약할게요, 몇 시에 가능해요?", "맨 앞에 거로 할게요", "12월 2일 수요일 오전 10시"),
        ("다음 주 수요일에 예약할게요, 몇 시에 가능해요?", "마지막 걸로요", "12월 2일 수요일 오후 4시"),
    ],
)
async def test_a_day_or_a_time_is_chosen_by_its_place_among_those_offered(asked, chosen, when):
    talk = Talk()
    await talk.say(asked)
    reply = await talk.say(chosen)
    known = talk.state.booking.request.whole
    assert when in reply or f"{known.date.month}월 {known.date.day}일" == when
    assert not talk.state.booking.parse_error


async def test_what_was_offered_for_one_day_is_no_offer_for_another():
    talk = Talk()
    for text in ("다음 주 수요일에 예약할게요, 몇 시에 가능해요?", "목요일로 할게요", "첫 번째요"):
        await talk.say(text)
    assert (talk.stage, talk.card.slots.time) == (BookingStage.FILLING, None)


class TestExistingBookings:
    @pytest.mark.parametrize(
        "refused", ["예약을 밤 11시로 옮겨 주세요", "예약을 25시로 바꿔 주세요", "move my booking to 9 pm"]
    )
    async def test_a_refused_time_of_a_change_keeps_its_day(self, refused):
        talk = await holding(at(2, 15))
        await talk.say(refused)
        assert (talk.card.missing, str(talk.card.slots.date)) == ((SlotName.TIME,), "2026-12-02")
        assert "12월 2일 수요일 오후 4시" in await talk.say("4시요")
        await talk.say("네")
        assert await talk.booked() == ["12-02 16:00"]

    @pytest.mark.parametrize("asked", ["예약 취소할게요", "예약을 4시로 바꿔 줘", "예약을 바꾸고 싶어요"])
    @pytest.mark.parametrize("kept", ["아니요, 예약은 그대로 둘게요", "그대로 두기"])
    async def test_who_leaves_a_booking_as_it_is_keeps_it(self, asked, kept):
        talk = await holding(at(2, 15))
        await talk.say(asked)
        assert await talk.say(kept) == "예약은 그대로 둘게요."
        assert (talk.stage, await talk.booked()) == (BookingStage.CANCELLED, ["12-02 15:00"])

    async def test_are_listed_and_one_is_cancelled_by_its_number_after_a_yes(self):
        talk = await holding(at(2, 15), at(3, 16))
        assert await talk.say("내 예약 보여줘") == (
            f"잡혀 있는 예약이에요.\n1. {WEDNESDAY}\n2. 12월 3일 목요일 오후 4시, 50분 채팅 상담"
        )
        assert (await talk.say("2번 취소해 주세요")).startswith("12월 3일 목요일 오후 4시 예약을 취소할까요?")
        assert len(await talk.booked()) == 2
        assert await talk.say("네") == "12월 3일 목요일 오후 4시 예약을 취소했어요."
        assert (await talk.booked(), talk.hooks()) == (["12-02 15:00"], ["booking_cancelled"])

    @pytest.mark.parametrize(
        ("answer", "left"),
        [("취소해 주세요", 0), ("네", 0), ("아니요", 1), ("예약해 주세요", 1), ("취소하지 마세요", 1)],
    )
    async def test_to_the_question_whether_to_cancel_the_word_cancel_is_a_yes(self, answer, left):
        talk = await holding(at(2, 15))
        await talk.say("예약 취소할게요")
        await talk.say(answer)
        assert len(await talk.booked()) == left

    async def test_of_several_the_user_is_asked_which(self):
        talk = await holding(at(2, 15), at(3, 16), scripts={"booking_asker": DOWN})
        reply = await talk.say("예약 취소할게요")
        assert reply.startswith("예약이 여러 개 있어요. 잡혀 있는 예약이에요.\n1. ")
        assert "12월 2일" in await talk.say("첫 번째요")
        assert talk.stage is BookingStage.READY

    async def test_all_are_cancelled_one_by_one(self):
        talk = await holding(at(2, 15), at(3, 16))
        assert (await talk.say("예약 전부 취소해 주세요")).startswith("2건 가운데 1번째예요.")
        await talk.say("네")
        await talk.say("네")
        assert await talk.booked() == []

    @pytest.mark.parametrize(
        ("text", "moved"),
        [
            ("예약을 목요일 4시로 바꿔 주세요", "12-03 16:00"),
            ("예약을 목요일로 옮겨 주세요", "12-03 15:00"),
            ("수요일 예약을 4시로 바꿔 주세요", "12-02 16:00"),
            ("수요일 예약을 금요일 11시로 바꿔 주세요", "12-04 11:00"),
            ("예약 시간을 3시 반으로 미뤄 주세요", "12-02 15:30"),
        ],
    )
    async def test_one_is_moved_after_a_yes(self, text, moved):
        talk = await holding(at(2, 15))
        assert (await talk.say(text)).startswith("12월 2일 수요일 오후 3시 예약을 ")
        assert await talk.booked() == ["12-02 15:00"]
        await talk.say("네")
        assert (await talk.booked(), talk.hooks()) == ([moved], ["booking_changed"])

    async def test_without_any_there_is_nothing_to_cancel(self):
        talk = Talk()
        assert await talk.say("예약 취소해 주세요") == "잡혀 있는 예약이 없어요."
        assert (talk.stage, mid_flow(talk.state)) == (BookingStage.INIT, False)

    async def test_another_users_booking_is_never_seen_or_touched(self):
        talk = await holding(at(2, 15), user="u2")
        assert await talk.say("내 예약 보여줘") == "잡혀 있는 예약이 없어요."

    async def test_ones_own_time_is_not_booked_twice(self):
        talk = await holding(at(2, 15), scripts={"booking_asker": DOWN})
        assert "이미 잡아 두신" in await talk.say("수요일 3시에 예약해 주세요")


async def test_the_card_shows_the_request_and_its_errors():
    talk = Talk(scripts={"booking_asker": DOWN})
    await talk.say("토요일 3시에 예약해 주세요")
    card = talk.card
    assert (card.stage, [one.value for one in card.missing]) == (BookingStage.FILLING, ["date"])
    assert [(one.slot, one.text) for one in card.slot_errors] == [("date", "11월 28일 토요일은 상담이 없는 날이에요.")]
    assert (card.slots.time, card.slots.length_minutes, card.zone) == (dt.time(15), 50, "Asia/Seoul")


async def test_a_user_who_asks_whether_it_is_human_gets_the_notice():
    talk = Talk()
    assert (await talk.say("사람이에요?")).startswith(content().messages(Locale.KO).text("ai_notice"))


async def test_times_are_of_the_users_own_zone_and_a_wrong_zone_is_the_calendars():
    for zone, hour in (("Asia/Tokyo", 15), ("Europe/Berlin", 7), ("Nowhere/At_All", 15)):
        talk = Talk(booking=BookingState(zone=zone))
        await talk.say(f"수요일 {'오전' if hour < 12 else '오후'} {hour % 12}시에 예약해 주세요")
        await talk.say("네")
        assert await talk.booked() == ["12-02 15:00"], zone


ALL = ("다 취소해 주세요", "예약 전부 취소해 주세요")
SHORT = "3시|아니요|네|취소|글쎄요|2번|없어요|오후요|다음 주요|전화로요|010-1234-5678|12월 2일|수요일 3시"
WHOLE = "예약할게요|내 예약 보여줘|예약 취소해 주세요|예약을 목요일로 바꿔 주세요|그냥 넘어가 주세요"
MORE = "빈 시간이 언제예요?|목요일이랑 금요일 4시"
SAID = st.lists(
    st.sampled_from([*SHORT.split("|"), *WHOLE.split("|"), *MORE.split("|"), *ALL]) | st.text(max_size=15), max_size=14
)


@settings(deadline=None, max_examples=12)
@given(SAID)
def test_whatever_is_said_the_flow_answers_and_only_a_yes_changes_the_calendar(texts):
    async def run():
        talk = Talk(scripts={"booking_asker": DOWN, "booking_extractor": DOWN})
        for text in texts:
            before, ready = await talk.booked(), talk.stage is BookingStage.READY
            assert await talk.say(text)
            assert talk.card.stage is talk.stage
            assert talk.stage is not BookingStage.CONFIRMED
            if await talk.booked() != before:
                assert ready
                assert text.startswith("네") or text in ("예약할게요", "취소", "예약 취소해 주세요", *ALL)
            assert max([0, *talk.state.booking.asked.values()]) <= MOST_ASKS

    asyncio.run(run())
