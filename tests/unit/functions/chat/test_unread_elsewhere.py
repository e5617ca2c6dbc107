"""A message to another service that nobody could read: the service answers, and the lines stand before its answer."""

import pytest

from functions.chat.flows.agreement.flow import agreement
from functions.chat.flows.booking.manifest import booking
from shared.domain.booking.state import BookingStage
from shared.domain.errors import StoreUnavailable
from tests.builders.agreements import Shelf
from tests.builders.answers import reads
from tests.builders.appointments import AnyonesAppointments
from tests.builders.routed_talk import RoutedTalk
from tests.builders.talk import KO, Talk
from tests.fakes.memory_database import MemoryDocumentDatabase

NUMBERS = ("109", "119")
TAKEN = "근데 아까 그거 다 먹었어요 졸려요"


class Routed(RoutedTalk):
    """A talk among all services, as composed; every model is away, but for the reader if it reads."""

    def __init__(self, service, *, read=False):
        said = Talk(service=service)
        said.model.scripts = {"reader": reads()} if read else {}
        content = said.content
        self.appointments = AnyonesAppointments(MemoryDocumentDatabase())
        others = (booking(content, self.appointments), agreement(content, Shelf(), said.clock))
        super().__init__(said, *others)

    async def told(self, *texts):
        """Say these; return the service that answered the last one, and its reply."""
        for text in texts:
            name, outcome = await self.say(text)
        return name, outcome.reply

    def lines_in(self, reply):
        openings = tuple(text.partition("\n")[0] for text in self.talk.content.crisis_replies.unread(KO))
        return reply.startswith(openings) and all(reply.count(number) == 1 for number in NUMBERS)


async def test_a_question_to_the_agreement_is_answered_behind_the_lines():
    routed = Routed("agreement")
    name, reply = await routed.told("해지 조건이 뭐야? 약 먹었고 이제 졸려요")
    assert (name, routed.lines_in(reply)) == ("agreement", True)


@pytest.mark.parametrize(
    "said", [f"내일 3시요 {TAKEN}", f"채팅이요. {TAKEN}", "제 생일 다음다음 날이 괜찮을 것 같아요"]
)
async def test_an_answer_to_the_booking_is_taken_in_behind_the_lines(said):
    routed = Routed("booking")
    name, reply = await routed.told("예약할게요", said)
    assert (name, routed.lines_in(reply)) == ("booking", True)
    assert routed.talk.state.booking.stage.open


@pytest.mark.parametrize("read", [False, True])
async def test_a_booking_whose_store_is_away_has_the_lines_unless_the_message_was_read(read):
    routed = Routed("booking", read=read)
    await routed.told("예약할게요")

    async def unavailable(*_):
        raise StoreUnavailable("down")

    routed.appointments.of_user = unavailable
    _, reply = await routed.told(f"내일 3시요 {TAKEN}")
    assert routed.lines_in(reply) is not read


async def test_what_was_read_has_none():
    routed = Routed("booking", read=True)
    _, reply = await routed.told("예약할게요", "내일 3시요")
    assert "109" not in reply


@pytest.mark.parametrize("said", ["네", "아니요"])
async def test_a_plain_answer_to_the_confirmation_needs_none(said):
    routed = Routed("booking")
    await routed.told("수요일 3시에 채팅으로 예약해 주세요")
    assert routed.talk.state.booking.stage is BookingStage.READY
    _, reply = await routed.told(said)
    assert "109" not in reply
    assert routed.talk.state.booking.stage is not BookingStage.READY
