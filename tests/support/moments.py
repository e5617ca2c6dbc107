"""Moments within a turn that a test waits for, and what it does to the server then."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.chat_client import Event, Person
from tests.support.local_server import LocalServer
from tests.support.polling import eventually
from tests.support.simulator import Simulator

STUCK_MS = 60_000
"""A model that will not answer before the test has done its work."""


async def kill_within_turn(
    person: Person,
    server: LocalServer,
    model: Simulator,
    conversation_id: str,
    message_id: str,
    text: str,
    *,
    streaming: bool,
) -> None:
    """SIGKILL the server in the middle of the turn; the model is quick again afterwards."""
    if streaming:
        speak_slowly(model, 200)
        async with person.stream(conversation_id, text, message_id) as events:
            await first_token(events)
            server.kill()
    else:
        model.forget_calls()
        model.pace(ttft_ms=STUCK_MS)
        sending = asyncio.create_task(person.send(conversation_id, text, message_id))
        await calls_begun(model)
        server.kill()
        with pytest.raises(httpx.TransportError):
            await sending
    model.pace()
    model.heal()


def speak_slowly(model: Simulator, token_ms: float) -> None:
    """Let the reply take its time, and nothing else."""
    model.fault("drip_stream", "Counselor", delay_ms=token_ms)


async def calls_begun(model: Simulator) -> None:
    async def begun() -> bool:
        return bool(model.calls())

    await eventually(begun, what="a call of the model")


async def first_token(events: AsyncIterator[Event]) -> None:
    async for event in events:
        if event.name == "token":
            return
