"""One turn as a client sees it: first word, end, model calls, and what the history holds."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from uuid import uuid4

import httpx

from tests.chaos.measured import Measured
from tests.support.chat_client import Person, events_of, message
from tests.support.simulator import Simulator

SSE = {"Accept": "text/event-stream"}
GIVE_UP_S = 60.0
RETRY_PAUSE_S = 0.2


@dataclass(frozen=True)
class Heard:
    message_id: str
    first_word_s: float | None
    total_s: float
    text: str  # the whole reply; empty without one
    outcome: str  # in a few words: `reply`, `apology`, `crisis reply`, or how it failed

    @property
    def replied(self) -> bool:
        """An apology counts."""
        return bool(self.text)


async def listen(person: Person, conversation_id: str, text: str, message_id: str | None = None) -> Heard:
    """Send a message over SSE and read to the end; never raises for what the server does."""
    body, began, first = message(text, message_id), time.monotonic(), None

    async def take() -> tuple[str, str]:
        nonlocal first
        reply, outcome, path = "", "the stream broke off", f"/api/conversations/{conversation_id}/chat"
        async with person.http.stream("POST", path, json=body, headers=SSE) as response:
            if response.status_code != 200:
                return "", refusal(response)
            async for event in events_of(response):
                if event.name in {"token", "replace"} and first is None:
                    first = event.at - began
                elif event.name == "done":
                    reply, outcome = event.data["reply"], outcome_of(event.data["flags"])
                elif event.name == "error":
                    outcome = f"error event {event.data['code']}"
        return reply, outcome

    reply, outcome = await _taken(take)
    return Heard(body["message_id"], first, time.monotonic() - began, reply, outcome)


async def ask(person: Person, conversation_id: str, text: str, message_id: str | None = None) -> Heard:
    """Send a message and wait for the JSON reply; never raises for what the server does."""
    body, began = message(text, message_id), time.monotonic()

    async def take() -> tuple[str, str]:
        response = await person.http.post(f"/api/conversations/{conversation_id}/chat", json=body)
        if response.status_code != 200:
            return "", refusal(response)
        return response.json()["reply"], outcome_of(response.json()["flags"])

    reply, outcome = await _taken(take)
    seconds = time.monotonic() - began
    return Heard(body["message_id"], seconds if reply else None, seconds, reply, outcome)


async def _taken(take: Callable[[], Awaitable[tuple[str, str]]]) -> tuple[str, str]:
    """Return the reply and the outcome of a request, however it fails."""
    try:
        async with asyncio.timeout(GIVE_UP_S):
            return await take()
    except httpx.TransportError as error:
        return "", f"connection lost ({type(error).__name__})"
    except TimeoutError:
        return "", f"nothing within {GIVE_UP_S:.0f} s"


async def until_replied(person: Person, conversation_id: str, text: str, message_id: str) -> Heard:
    """Retry as a client does, under the same id, until a reply comes; the time is that of all tries."""
    began = time.monotonic()
    while True:
        heard = await ask(person, conversation_id, text, message_id)
        seconds = time.monotonic() - began
        if heard.replied or seconds > GIVE_UP_S:
            return replace(heard, first_word_s=seconds if heard.replied else None, total_s=seconds)
        await asyncio.sleep(RETRY_PAUSE_S)


def outcome_of(flags: list[str]) -> str:
    return "crisis reply" if "crisis" in flags else "apology" if "degraded" in flags else "reply"


def refusal(response: httpx.Response) -> str:
    """Name a refusal by status and Retry-After."""
    after = response.headers.get("retry-after")
    return f"{response.status_code}, Retry-After {after}" if after else f"{response.status_code}"


async def held(person: Person, conversation_id: str, message_id: str) -> str:
    """Return in words what the history holds of one message."""
    try:
        entries = await person.messages(conversation_id)
    except (httpx.TransportError, AssertionError):
        return "the history cannot be read"
    roles = [entry["role"] for entry in entries if entry["message_id"] == message_id]
    users, replies = roles.count("user"), roles.count("counselor")
    if (users, replies) == (1, 1):
        return "message, reply"
    if roles:
        return f"message {users} ×, reply {replies} ×"
    return "message, waiting" if (await person.turn(conversation_id, message_id)).status_code == 202 else "nothing"


async def measure(
    fault: str, person: Person, simulator: Simulator, turn: str, conversation_id: str, text: str
) -> Measured:
    """Take one turn over SSE under a fault, and return its row."""
    before = simulator.turn_calls()
    heard = await listen(person, conversation_id, text, str(uuid4()))
    called = simulator.turn_calls() - before
    stored = await held(person, conversation_id, heard.message_id)
    total = heard.total_s if heard.replied else None
    return Measured(fault, turn, heard.first_word_s, total, called, heard.outcome, stored)
