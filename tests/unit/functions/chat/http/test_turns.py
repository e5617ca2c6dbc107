"""Sending a message, waiting for its reply, streaming it, reading a turn again, and refusals."""

import asyncio
import json

import pytest

from shared.domain import errors
from tests.unit.functions.chat.conftest import ALL, MESSAGE_ID, SSE, events_in


@pytest.fixture
def turn_path(mine):
    return f"{ALL}/{mine}/turns/{MESSAGE_ID}"


@pytest.fixture
def send(ann, mine):
    """Send a message as JSON written by `json`, which can hold text that the client library refuses."""

    async def send(text="안녕", headers=None, **more):
        body = json.dumps({"message_id": MESSAGE_ID, "text": text, **more})
        headers = {"Content-Type": "application/json", **(headers or {})}
        return await ann.post(f"{ALL}/{mine}/chat", content=body, headers=headers)

    return send


async def test_json_waits_for_the_whole_reply(world, send):
    asking = asyncio.create_task(send(" 안녕\x00 "))
    await asyncio.wait_for(world.turns.asked.wait(), 5)
    assert not asking.done()
    world.turns.answer("반가워요")
    response = await asking
    assert response.status_code == 200
    assert set(response.json()) == {"message_id", "seq", "reply", "state_snapshot", "hooks", "flags"}
    assert response.json()["reply"] == "반가워요"
    (message,) = world.turns.submitted
    assert (message.user_id, message.message_id, message.text) == ("ann", MESSAGE_ID, "안녕")


async def test_a_stream_ends_with_the_same_result(world, send):
    world.turns.answer("반가워요")
    events = await events_in(await send(headers=SSE))
    assert [name for name, _ in events] == ["token", "done"]
    assert events[-1][1] == (await send()).json()


async def test_the_declined_slot_reaches_the_engine_with_the_message(world, send):
    world.turns.answer()
    for declines in ("name", None):
        assert (await send(declines=declines)).status_code == 200
    assert [message.declines for message in world.turns.submitted] == ["name", None]


@pytest.mark.parametrize("headers", [{}, SSE])
@pytest.mark.parametrize(
    ("refusal", "status", "code", "retry_after"),
    [
        (errors.NotFound("conversation"), 404, "not_found", None),
        (errors.TooManyRequests(60, "messages"), 429, "too_many_requests", "60"),
        (errors.StoreUnavailable("down"), 503, "store_unavailable", "5"),
    ],
)
async def test_a_refusal_is_a_problem_response_even_when_events_are_accepted(
    world, send, *, headers, refusal, status, code, retry_after
):
    world.turns.refusal = refusal
    response = await send(headers=headers)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.headers.get("retry-after") == retry_after


@pytest.mark.parametrize(
    "wrong",
    [
        *({"declines": name} for name in ("", "이름", "a" * 41)),
        *({"message_id": one} for one in ("m1", f"{MESSAGE_ID}\n", None)),
    ],
)
async def test_an_invalid_message_never_reaches_the_engine(world, send, wrong):
    response = await send(**wrong)
    assert (response.status_code, response.json()["code"], world.turns.submitted) == (422, "invalid_request", [])


async def test_a_message_id_in_upper_case_is_the_same_message(world, ann, send, turn_path):
    received = await ann.get(turn_path.replace(MESSAGE_ID, MESSAGE_ID.upper()))
    assert received.json() == {"message_id": MESSAGE_ID, "status": "received"}
    world.turns.answer()
    for given in (MESSAGE_ID, MESSAGE_ID.upper()):
        await send(message_id=given)
    assert {message.message_id for message in world.turns.submitted} == {MESSAGE_ID}


async def test_an_unanswered_turn_is_reported_as_received_or_streamed_and_head_waits_for_none(world, ann, turn_path):
    received = await ann.get(turn_path)
    assert (received.status_code, received.json()) == (202, {"message_id": MESSAGE_ID, "status": "received"})
    assert (await ann.head(turn_path, headers=SSE)).status_code == 202
    assert [wait for *_, wait in world.turns.attached] == [False, False]
    world.turns.asked.clear()
    asking = asyncio.create_task(ann.get(turn_path, headers=SSE))
    await asyncio.wait_for(world.turns.asked.wait(), 5)
    world.turns.answer("반가워요")
    assert [name for name, _ in await events_in(await asking)] == ["token", "done"]
    answered = await ann.get(turn_path)
    assert (answered.status_code, answered.json()["reply"]) == (200, "반가워요")


@pytest.mark.parametrize("given", ["m1", "%00", f"{MESSAGE_ID}%0a"])
async def test_a_turn_under_an_invalid_message_id_is_not_found(world, ann, mine, given):
    response = await ann.get(f"{ALL}/{mine}/turns/{given}")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert not world.turns.attached
