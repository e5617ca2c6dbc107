"""Waits for moments within a turn, and faults at these moments."""

import asyncio

import httpx
import pytest

from tests.support.polling import until

STUCK_MS = 60_000
"""The model does not answer before the end of the test."""


async def kill_within_turn(person, server, model, conversation_id, message_id, text, *, streaming):
    """SIGKILL the server in the middle of the turn; the model is quick again afterwards."""
    if streaming:
        speak_slowly(model, 500)
        async with person.stream(conversation_id, text, message_id) as events:
            await tokens(events)
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
    """Slow down the Counselor's reply, and no other call."""
    model.fault("drip_stream", "Counselor", delay_ms=token_ms)


async def calls_begun(model, agent=""):
    """Wait until the model is called, by this agent if one is named."""
    await until(lambda: model.calls().get(agent) if agent else model.calls(), what=f"a call of {agent or 'the model'}")


async def tokens(events, number=1):
    """Read a stream until it has sent so many tokens, and return all events so far."""
    seen = []
    async for event in events:
        seen.append(event)
        if sum(one.name == "token" for one in seen) == number:
            break
    return seen
