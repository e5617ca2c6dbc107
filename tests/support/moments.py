"""Moments within a turn that a test waits for, and what it does to the server then."""

import asyncio

import httpx
import pytest

from tests.support.polling import eventually

STUCK_MS = 60_000
"""A model that will not answer before the test has done its work."""


async def kill_within_turn(person, server, model, conversation_id, message_id, text, *, streaming):
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


def speak_slowly(model, token_ms):
    """Let the reply take its time, and nothing else."""
    model.fault("drip_stream", "Counselor", delay_ms=token_ms)


async def calls_begun(model):
    async def begun():
        return bool(model.calls())

    await eventually(begun, what="a call of the model")


async def first_token(events):
    async for event in events:
        if event.name == "token":
            return
