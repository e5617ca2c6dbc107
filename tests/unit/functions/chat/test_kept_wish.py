"""A wish for a booking beside a feeling, in a counselling conversation: heard first, offered again once."""

import asyncio

import pytest

from functions.chat.flows.booking.manifest import booking
from shared.domain.booking.state import BookingStage
from tests.builders.answers import reads
from tests.builders.appointments import AnyonesAppointments
from tests.builders.routed_talk import RoutedTalk
from tests.builders.talk import Talk
from tests.fakes.memory_database import MemoryDocumentDatabase

WISH = "다음 주 화요일 2시에 예약하고 요즘 너무 우울하고 잠도 못 자요"
OFFER = "아까 말씀하신 예약"


class Routed(RoutedTalk):
    """A talk among counselling and booking, as composed; the counsellor always says the same."""

    def __init__(self, reply="많이 지치셨겠어요.", **opened):
        said = Talk(**opened)
        said.model.scripts["counselor"] = reply
        self.appointments = AnyonesAppointments(MemoryDocumentDatabase())
        super().__init__(said, booking(said.content, self.appointments))

    async def told(self, text):
        """Say something; return the service that answered and its reply."""
        name, outcome = await self.say(text)
        return name, outcome.reply

    @property
    def booking(self):
        return self.talk.state.booking


async def test_the_feeling_is_heard_first_and_the_wish_offered_once_and_taken_up_with_its_day_and_time():
    routed = Routed()
    name, reply = await routed.told(WISH)
    assert (name, OFFER in reply, routed.booking.wish is not None) == ("counseling", False, True)
    assert OFFER not in (await routed.told("회사에서 매일 혼나요"))[1]
    assert OFFER in (await routed.told("그래도 동료가 도와줘서 버텨요"))[1]
    name, reply = await routed.told("네")
    assert (name, routed.booking.stage, "화요일 오후 2시" in reply) == ("booking", BookingStage.READY, True)
    assert routed.booking.wish is None


async def test_beside_a_question_of_the_counsellor_the_offer_asks_nothing_and_a_yes_answers_the_counsellor():
    routed = Routed(
        [
            f"많이 지치셨겠어요. {asked}"
            for asked in ("언제부터요?", "무엇이 제일 힘드세요?", "누가 곁에 있어요?", "네?")
        ]
    )
    for text in (WISH, "두 달쯤 됐어요", "팀이 바뀌고부터요"):
        _, reply = await routed.told(text)
    assert reply.count("?") == 1
    assert OFFER in reply
    assert (await routed.told("네"))[0] == "counseling"
    assert (await routed.told("예약할게요"))[0] == "booking"
    assert routed.booking.stage is BookingStage.READY


async def test_a_wish_that_the_reader_alone_hears_beside_a_feeling_is_kept():
    routed = Routed()
    routed.talk.model.scripts["reader"] = reads("wants_booking", feeling=("sadness", 9))
    name, _ = await routed.told("요즘 너무 무너지는데 다음 주에 자리 하나 있을까요")
    assert (name, routed.booking.wish is not None) == ("counseling", True)


@pytest.mark.parametrize("no", ["아니요", "예약 안 할래요", "나중에 할게요"])
async def test_a_decline_drops_it(no):
    routed = Routed()
    for text in (WISH, "회사에서 매일 혼나요", "그래도 동료가 도와줘서 버텨요"):
        await routed.told(text)
    await routed.told(no)
    assert routed.booking.wish is None
    assert OFFER not in (await routed.told("오늘은 좀 나아요"))[1]


async def test_it_waits_while_the_user_is_in_danger_or_distressed():
    routed = Routed()
    for text in (WISH, "죽고 싶어요", "몰라요", "그냥요"):
        assert OFFER not in (await routed.told(text))[1]
    routed = Routed()
    routed.talk.model.scripts["reader"] = reads(feeling=("sadness", 9))
    for text in (WISH, "매일 울어요", "숨이 막혀요"):
        assert OFFER not in (await routed.told(text))[1]


async def test_a_request_in_work_that_a_feeling_interrupts_is_offered_again_and_a_yes_to_that_books_nothing():
    routed = Routed()
    await routed.told("다음 주 화요일 2시에 상담 예약할게요")
    assert routed.booking.stage is BookingStage.READY
    for text in ("어제 엄마가 돌아가셨어요", "아직 실감이 안 나요", "그래도 동생이 곁에 있어요"):
        name, reply = await routed.told(text)
        assert name == "counseling"
    assert OFFER in reply
    assert "이렇게 예약할까요?" in (await routed.told("네"))[1]
    assert routed.booking.stage is BookingStage.READY


async def test_danger_that_the_model_hears_late_in_a_confirmation_books_nothing(monkeypatch):
    routed = Routed()
    at_once = routed.talk.model.generate

    async def late(request):
        await asyncio.sleep(0.05)
        return await at_once(request)

    monkeypatch.setattr(routed.talk.model, "generate", late)
    await routed.told("다음 주 화요일 2시에 상담 예약할게요")
    yes = "네, 확정해 주세요"
    routed.talk.model.scripts["reader"] = reads(danger="own_crisis", quote=yes)
    assert (await routed.told(yes))[0] == "counseling"
    assert (await routed.appointments.of_user("u1"), routed.booking.stage) == ((), BookingStage.READY)


async def test_under_14_nothing_is_booked_what_was_in_work_is_dropped_and_the_age_is_answered():
    routed = Routed()
    await routed.told("다음 주 화요일 2시에 상담 예약할게요")
    name, reply = await routed.told("저 13살이에요")
    assert (name, routed.booking.stage, "보호자의 동의" in reply) == ("counseling", BookingStage.INIT, True)
    for text in ("네", "확정할게요", "내일 2시에 예약해 주세요"):
        assert (await routed.told(text))[0] == "counseling"
    assert routed.booking.stage is BookingStage.INIT


async def test_in_a_conversation_opened_for_a_booking_plain_values_and_thanks_need_no_reading():
    routed = Routed(service="booking")
    for text in ("아무 때나요", "다음 주 수요일이요", "3시가 좋을 것 같아요", "네", "고마워요", "4시로 바꿔 주세요"):
        assert (await routed.told(text))[0] == "booking", text
    for text, found in (("오늘이 엄마 기일이에요", reads("hurt_meanwhile")), ("내일 수능이에요", reads("new_topic"))):
        routed = Routed(service="booking")
        routed.talk.model.scripts["reader"] = found
        assert (await routed.told(text))[0] == "counseling", "a day that is no wish is heard"


async def test_in_a_conversation_opened_for_a_booking_requests_need_no_word_that_names_one():
    routed = Routed(service="booking")
    for text in ("12월 22일 오후 4시랑 12월 23일 오후 4시로 잡아 주세요", "네", "네"):
        assert (await routed.told(text))[0] == "booking"
    for text in ("하나만 취소하고 싶어요", "12월 22일 거요", "네", "What do I have booked?", "취소할래요"):
        assert (await routed.told(text))[0] == "booking"
    assert routed.booking.stage is BookingStage.READY
    assert routed.booking.request.base.date.day == 23
    assert (await routed.told("아니다 그냥 둘게요"))[0] == "booking"
    assert routed.booking.stage is BookingStage.CANCELLED


@pytest.mark.parametrize("text", ["취소하고 싶지 않아요", "성격을 바꾸고 싶어요", "엄마가 약속을 취소해 줬어요"])
async def test_there_other_messages_with_the_same_verbs_are_no_request(text):
    routed = Routed(service="booking")
    for said in ("12월 22일 오후 4시로 잡아 주세요", "네"):
        await routed.told(said)
    routed.talk.model.scripts["reader"] = reads("new_topic")
    assert (await routed.told(text))[0] == "counseling"


async def test_there_a_whole_time_is_taken_after_anger_was_heard():
    routed = Routed(service="booking")
    for said in ("예약 좀", "아 진짜 왜 이렇게 느려 짜증나"):
        await routed.told(said)
    assert (await routed.told("12월 22일 4시라고"))[0] == "booking"
    assert routed.booking.stage is BookingStage.READY


async def test_there_a_yes_behind_another_services_answer_leads_back_and_confirms_nothing_yet():
    routed = Routed(service="booking")
    await routed.told("12월 22일 오후 4시로 잡아 주세요")
    routed.talk.state = routed.talk.state.model_copy(update={"answered_by": "agreement"})
    name, reply = await routed.told("네")
    assert (name, routed.booking.stage, "오후 4시" in reply) == ("booking", BookingStage.READY, True)
    await routed.told("네")
    assert routed.booking.stage is BookingStage.EXECUTED


async def test_short_wishes_begin_a_booking_in_a_counselling_conversation_and_lead_back_to_it():
    routed = Routed()
    assert "날짜는 언제로" in (await routed.told("예약 좀요"))[1]
    for text in ("다음 주 수요일 3시요", "네", "4시로 바꿔 주세요", "네"):
        assert (await routed.told(text))[0] == "booking", text
    assert (await routed.told("고마워요"))[0] == "counseling"
    assert "취소할까요?" in (await routed.told("다음 상담 못 가요"))[1]


@pytest.mark.parametrize(
    ("text", "service"),
    [("임신했어요", "counseling"), ("어제 사고가 났어요", "counseling"), ("생각해 볼게요", "booking")],
)
async def test_what_is_told_to_a_ready_request_is_heard_and_the_request_waits(text, service):
    routed = Routed(service="booking")
    await routed.told("다음 주 화요일 오후 2시에 예약할게요")
    assert (await routed.told(text))[0] == service
    assert routed.booking.stage is BookingStage.READY
    assert "예약했어요" in (await routed.told("네, 확정해 주세요"))[1]
