"""A turn of the agreement service or of booking, killed after its writes: nothing is lost or booked twice."""

import asyncio
import signal
from datetime import timedelta
from itertools import count
from uuid import uuid4

import pytest

from local.embedded.database import SqliteDocumentDatabase
from shared.adapters.documents.appointments import DocumentAppointments
from shared.adapters.system_clock import SystemClock
from shared.contracts.agreement import CITATIONS
from tests.builders.composed import client_of
from tests.support.chat_client import OPENING
from tests.support.forked import run_forked
from tests.support.killed_turn import chat_on
from tests.support.process import clean_environment

ALL = "/api/conversations"
ENDS_WITHIN_S = 60
WEDNESDAY = "다음 주 수요일 {hour}시에 예약하고 싶어요."
HOURS = ("오전 10", "오전 11", "오후 1", "오후 2", "오후 3", "오후 4", "오후 5", "오후 6")
FREE_DAY = "그럼 다음 주 목요일이요."
"""Said too if that Wednesday is a public holiday."""


class Later(SystemClock):
    """A clock on which the lease of a killed instance has expired."""

    def now(self):
        return super().now() + timedelta(seconds=30)


class Killed:
    """Runs turns in processes that are killed, and the same messages again in an instance that lives."""

    def __init__(self, file, database):
        self.file, self.database = file, database
        self.appointments = DocumentAppointments(database)
        self.chat = chat_on(database, clock=Later())

    async def all_killed(self, text, *before, every=1):
        """Kill a turn after each number of writes, or `every` so many, until one ends by itself.

        Returns:
            The users, with what they heard when they asked again.
        """
        heard = []
        for number in count(0, every):
            user, message_id = f"u{uuid4().hex}", str(uuid4())
            async with client_of(self.chat, user) as client:
                conversation = (await client.post(ALL, json=dict(OPENING))).json()["conversation_id"]
                path = f"{ALL}/{conversation}"
                for line in before:
                    await self.say(client, path, line.format(hour=HOURS[len(heard)]))
                arguments = [str(self.file), user, conversation, message_id, text, str(number)]
                command = ["-m", "tests.support.killed_turn", *arguments]
                run = await asyncio.to_thread(run_forked, command, clean_environment({}), ENDS_WITHIN_S)
                if run.returncode == 0:
                    break
                assert run.returncode == -signal.SIGKILL, run.stderr
                reply = await self.say(client, path, text, message_id)
                assert (await client.get(f"{path}/turns/{message_id}")).json() == reply, "found again by its id"
                entries = (await client.get(f"{path}/messages")).json()["messages"]
                assert [one["text"] for one in entries][-2:] == [text, reply["reply"]]
                assert len(entries) == 1 + 2 * (len(before) + 1), "each message once, and one reply to each"
                heard.append((user, reply))
        return heard

    @staticmethod
    async def say(client, path, text, message_id=None):
        body = {"message_id": message_id or str(uuid4()), "text": text}
        response = await client.post(f"{path}/chat", json=body)
        assert response.status_code == 200, response.text
        if "상담이 없는 날" in response.json()["reply"]:
            return await Killed.say(client, path, FREE_DAY)
        return response.json()

    async def bookings(self, user):
        return await self.appointments.of_user(user)

    async def reminders(self):
        found = await self.database.file.fetch("SELECT id FROM tasks WHERE id LIKE '%-remind-%'")
        return [name for (name,) in found]


@pytest.fixture
async def killed(tmp_path):
    file = tmp_path / "cbot.sqlite3"
    database = await SqliteDocumentDatabase.open(file, exclusive=False)
    yield Killed(file, database)
    await database.aclose()


async def test_a_question_on_the_agreement_is_answered_with_its_source_after_any_kill(killed):
    heard = await killed.all_killed("그런데 상담 내용은 누가 봐요?", every=4)
    assert len(heard) >= 2, "the message, checkpoints of six nodes, the turn"
    for _, reply in heard:
        (cited,) = [hook["data"]["citations"] for hook in reply["hooks"] if hook["type"] == CITATIONS]
        assert [one["passage_id"] for one in cited] == ["article-17"]


async def test_a_confirmed_session_is_booked_once_and_reminded_of_after_any_kill(killed):
    heard = await killed.all_killed("네, 그걸로 해 주세요.", WEDNESDAY)
    assert len(heard) >= 3, "the message, the booking, the turn"
    for user, reply in heard:
        (booked,) = await killed.bookings(user)
        assert booked.booked
        assert f"{booked.booking_id}-remind-0" in await killed.reminders()
        assert "예약했어요" in reply["reply"]
        assert reply["hooks"][0]["type"] == "booking_confirmed"


async def test_a_cancelled_session_stays_cancelled_after_any_kill(killed):
    heard = await killed.all_killed("네, 취소해 주세요.", WEDNESDAY, "네, 그걸로 해 주세요.", "예약 취소할게요.")
    assert len(heard) >= 3
    for user, reply in heard:
        assert [one.booked for one in await killed.bookings(user)] == [False]
        assert "예약을 취소했어요" in reply["reply"]
