"""Rows of the fault table: an instance is asked to end, or is killed, in the middle of a turn."""

import asyncio
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx

from tests.chaos.instances import Emulators, chat_instance
from tests.chaos.measured import Measured
from tests.chaos.model_rows import CHATTER
from tests.chaos.turns import Heard, ask, counselor_called, held, listen, refusal, sends, until_replied
from tests.support.chat_client import Person, message, signed_in
from tests.support.moments import calls_begun, speak_slowly
from tests.support.simulator import Simulator

SLOW_MODEL_MS = 1500
SLOW_TOKEN_MS = 60
LATE_S = 0.8
"""After the Counselor began to speak."""


@dataclass(frozen=True)
class Leaving:
    """How an instance leaves.

    Attributes:
        late: After the first words of the reply; else while the analysers think.
    """

    number: signal.Signals
    streaming: bool
    late: bool

    @property
    def name(self) -> str:
        """The fault's name in the table."""
        return f"{self.number.name} {'late' if self.late else 'early'} in a turn, {'SSE' if self.streaming else 'JSON'}"


LEAVINGS = (
    *(Leaving(signal.SIGTERM, streaming, late) for streaming in (True, False) for late in (False, True)),
    Leaving(signal.SIGKILL, streaming=True, late=True),
)


async def measure_leaving(how: Leaving, emulators: Emulators, folder: Path) -> list[Measured]:
    """Signal the instance within a turn; what it does not answer is asked of another one."""
    household = emulators.household
    async with (
        chat_instance(household, folder, how.name.replace(" ", "-")) as (instance, simulator),
        signed_in(household.address, api=instance.address) as person,
        signed_in(household.address, person.uid, api=household.chat) as elsewhere,
    ):
        conversation, another = await person.open(), await person.open()
        await listen(person, conversation.id, CHATTER[0])
        await asyncio.to_thread(simulator.forget_calls)
        await _slow_down(how, simulator)
        message_id, began = str(uuid4()), time.monotonic()
        take = listen if how.streaming else ask
        turn = asyncio.create_task(take(person, conversation.id, CHATTER[1], message_id))
        await _moment(how, simulator)
        instance.send_signal(how.number)
        newcomer = "" if how.number is signal.SIGKILL else await _newcomer(person, another.id)
        heard = await turn
        await asyncio.to_thread(simulator.heal)
        await asyncio.to_thread(simulator.pace)
        answered = heard if heard.replied else await until_replied(elsewhere, conversation.id, CHATTER[1], message_id)
        total = time.monotonic() - began if heard is not answered else heard.total_s
        stored = await held(elsewhere, conversation.id, CHATTER[1], message_id)
        called = await sends(simulator)
    return [Measured(how.name, "2", heard.first_word_s, total, called, f"{_told(heard, answered)}{newcomer}", stored)]


def _told(heard: Heard, answered: Heard) -> str:
    if heard is answered:
        return heard.outcome
    return f"{heard.outcome}; another instance: {answered.outcome} after {answered.total_s:.0f} s"


async def _slow_down(how: Leaving, simulator: Simulator) -> None:
    if how.late:
        await asyncio.to_thread(speak_slowly, simulator, SLOW_TOKEN_MS)
    else:
        await asyncio.to_thread(simulator.pace, ttft_ms=SLOW_MODEL_MS)


async def _moment(how: Leaving, simulator: Simulator) -> None:
    if not how.late:
        await calls_begun(simulator)
        return
    await counselor_called(simulator)
    await asyncio.sleep(LATE_S)


async def _newcomer(person: Person, conversation_id: str) -> str:
    """Say what a new message meets at an instance that is leaving."""
    await asyncio.sleep(0.2)
    try:
        path = f"/api/conversations/{conversation_id}/chat"
        answer = await person.http.post(path, json=message(CHATTER[2]), timeout=5)
    except httpx.TransportError as error:
        return f"; a new message: {type(error).__name__}"
    return f"; a new message: {refusal(answer)}"
