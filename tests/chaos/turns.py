"""One turn as a client sees it: first word, end, model calls, and what the history holds."""

import asyncio
import time
from dataclasses import dataclass
from uuid import uuid4

import httpx

from tests.chaos.measured import Measured
from tests.support.chat_client import Event, Person, events_of, message, spoken
from tests.support.polling import eventually
from tests.support.simulator import Simulator

FOREGROUND = ("TaskCompletion", "UserStateReading", "TaskChoice", "ModulePick", "WrapUpAnswer", "Counselor")
"""Agents for which the user waits; the others' calls are not the turn's."""
SSE = {"Accept": "text/event-stream"}
GIVE_UP_S = 60.0
RETRY_PAUSE_S = 0.2


@dataclass(frozen=True)
class Heard:
    """What one request brought.

    Attributes:
        text: The whole reply; empty without one.
        shown: What a page shows at the end, whether or not the reply came to its end.
        outcome: In a few words: `reply`, `apology`, `crisis reply`, or how it failed.
    """

    message_id: str
    first_word_s: float | None
    total_s: float
    text: str
    outcome: str
    shown: str = ""

    @property
    def replied(self) -> bool:
        """Whether a reply came, even an apology."""
        return bool(self.text)


async def listen(person: Person, conversation_id: str, text: str, message_id: str | None = None) -> Heard:
    """Send a message over SSE and read to the end; never raises for what the server does."""
    body = message(text, message_id)
    began = time.monotonic()
    first: float | None = None
    events: list[Event] = []
    reply, outcome, path = "", "the stream broke off", f"/api/conversations/{conversation_id}/chat"
    try:
        async with (
            asyncio.timeout(GIVE_UP_S),
            person.http.stream("POST", path, json=body, headers=SSE) as response,
        ):
            if response.status_code != 200:
                outcome = refusal(response)
            else:
                async for event in events_of(response):
                    events.append(event)
                    if event.name in {"token", "replace"} and first is None:
                        first = event.at - began
                    elif event.name == "done":
                        reply, outcome = event.data["reply"], outcome_of(event.data["flags"])
                    elif event.name == "error":
                        outcome = f"error event {event.data['code']}"
    except httpx.TransportError as error:
        outcome = f"connection lost ({type(error).__name__})"
    except TimeoutError:
        outcome = f"nothing within {GIVE_UP_S:.0f} s"
    return Heard(body["message_id"], first, time.monotonic() - began, reply, outcome, spoken(events))


async def ask(person: Person, conversation_id: str, text: str, message_id: str | None = None) -> Heard:
    """Send a message and wait for the JSON reply; never raises for what the server does."""
    body = message(text, message_id)
    began = time.monotonic()
    reply = ""
    try:
        async with asyncio.timeout(GIVE_UP_S):
            response = await person.http.post(f"/api/conversations/{conversation_id}/chat", json=body)
            if response.status_code == 200:
                reply, outcome = response.json()["reply"], outcome_of(response.json()["flags"])
            else:
                outcome = refusal(response)
    except httpx.TransportError as error:
        outcome = f"connection lost ({type(error).__name__})"
    except TimeoutError:
        outcome = f"nothing within {GIVE_UP_S:.0f} s"
    seconds = time.monotonic() - began
    return Heard(body["message_id"], seconds if reply else None, seconds, reply, outcome)


async def until_replied(person: Person, conversation_id: str, text: str, message_id: str) -> Heard:
    """Retry as a client does, under the same id, until a reply comes; the time is that of all tries."""
    began = time.monotonic()
    while True:
        heard = await ask(person, conversation_id, text, message_id)
        if heard.replied or time.monotonic() - began > GIVE_UP_S:
            seconds = time.monotonic() - began
            return Heard(message_id, seconds if heard.replied else None, seconds, heard.text, heard.outcome)
        await asyncio.sleep(RETRY_PAUSE_S)


def outcome_of(flags: list[str]) -> str:
    """Name a reply by its flags."""
    if "crisis" in flags:
        return "crisis reply"
    return "apology" if "degraded" in flags else "reply"


def refusal(response: httpx.Response) -> str:
    """Name a refusal by status and Retry-After."""
    after = response.headers.get("retry-after")
    return f"{response.status_code}, Retry-After {after}" if after else f"{response.status_code}"


async def sends(simulator: Simulator) -> int:
    """Count the calls of the agents for which the user waits."""
    calls = await asyncio.to_thread(simulator.calls)
    return sum(calls.get(agent, 0) for agent in FOREGROUND)


async def counselor_called(simulator: Simulator) -> None:
    """Wait until the Counselor is asked for a reply."""

    async def called() -> bool:
        return bool((await asyncio.to_thread(simulator.calls)).get("Counselor"))

    await eventually(called, what="a call of the Counselor")


async def held(person: Person, conversation_id: str, text: str, message_id: str) -> str:
    """Say what the history holds of one message."""
    try:
        entries = await person.messages(conversation_id)
    except (httpx.TransportError, AssertionError):
        return "the history cannot be read"
    users = sum(entry["role"] == "user" and entry["message_id"] == message_id for entry in entries)
    replies = sum(entry["role"] == "counselor" and entry["message_id"] == message_id for entry in entries)
    if (users, replies) == (1, 1):
        return "message, reply"
    if (users, replies) == (0, 0):
        waits = (await person.turn(conversation_id, message_id)).status_code == 202
        return "message, waiting" if waits else "nothing"
    return f"message {users} ×, reply {replies} ×"


@dataclass(frozen=True)
class Place:
    """Where turns are taken, and the name of what is wrong there."""

    fault: str
    person: Person
    simulator: Simulator

    async def measure(self, turn: str, conversation_id: str, text: str) -> Measured:
        """Take one turn over SSE, and return its row."""
        before = await sends(self.simulator)
        heard = await listen(self.person, conversation_id, text, str(uuid4()))
        called = await sends(self.simulator) - before
        stored = await held(self.person, conversation_id, text, heard.message_id)
        total = heard.total_s if heard.replied else None
        return Measured(self.fault, turn, heard.first_word_s, total, called, heard.outcome, stored)
