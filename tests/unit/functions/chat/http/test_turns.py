import asyncio
import json

import pytest

from shared.contracts.events import Failed
from shared.domain import errors

SSE = {"Accept": "text/event-stream"}


@pytest.fixture
def path(mine):
    return f"/api/conversations/{mine}/chat"


@pytest.fixture
def turn_path(mine, message_id):
    return f"/api/conversations/{mine}/turns/{message_id}"


@pytest.fixture
def send(ann, path, message_id):
    """Send a text as JSON that can spell anything."""

    async def send(text, **headers):
        body = json.dumps({"message_id": message_id, "text": text})
        return await ann.post(path, content=body, headers={"Content-Type": "application/json", **headers})

    return send


async def test_json_waits_for_the_whole_reply(world, ann, path, message_id):
    asking = asyncio.create_task(ann.post(path, json={"message_id": message_id, "text": " 안녕\x00 "}))
    await asyncio.wait_for(world.turns.asked.wait(), 5)
    assert not asking.done()
    world.turns.answer("반가워요")
    response = await asking
    assert response.status_code == 200
    assert set(response.json()) == {"message_id", "seq", "reply", "state_snapshot", "hooks", "flags"}
    assert response.json()["reply"] == "반가워요"
    (message,) = world.turns.submitted
    assert (message.user_id, message.message_id, message.text) == ("ann", message_id, "안녕")


@pytest.mark.parametrize("declines", ["name", None])
async def test_what_is_declined_goes_with_the_message(world, ann, path, message_id, declines):
    world.turns.answer("괜찮아요")
    response = await ann.post(path, json={"message_id": message_id, "text": "건너뛸게요.", "declines": declines})
    assert response.status_code == 200
    assert [message.declines for message in world.turns.submitted] == [declines]


async def test_what_is_declined_is_named_as_slots_are(world, ann, path, message_id, subtests):
    for declines in ("", "Name", "이름", "a" * 41, 1):
        with subtests.test(declines=declines):
            response = await ann.post(
                path, json={"message_id": message_id, "text": "건너뛸게요.", "declines": declines}
            )
            assert response.status_code == 422
            assert not world.turns.submitted


async def test_a_stream_ends_with_the_same_result(world, ann, path, message_id, events_in):
    world.turns.answer("반가워요")
    body = {"message_id": message_id, "text": "안녕"}
    streamed = await ann.post(path, json=body, headers=SSE)
    whole = await ann.post(path, json=body)
    events = events_in(streamed.text)
    assert [name for name, _ in events] == ["token", "done"]
    assert events[-1][1] == whole.json()


@pytest.mark.parametrize("headers", [{}, SSE])
@pytest.mark.parametrize(
    ("refusal", "status", "code", "retry_after"),
    [
        (errors.NotFound("conversation"), 404, "not_found", None),
        (errors.MessageIdConflict("m"), 409, "message_id_conflict", None),
        (errors.SessionEnded("over"), 409, "session_ended", None),
        (errors.TooManyRequests(60, "messages"), 429, "too_many_requests", "60"),
        (errors.BudgetSpent("spent"), 429, "budget_spent", None),
        (errors.StoreUnavailable("down"), 503, "store_unavailable", "5"),
    ],
)
async def test_a_refusal_is_a_problem_even_to_one_who_wants_events(
    world, send, *, headers, refusal, status, code, retry_after
):
    world.turns.refusal = refusal
    response = await send("안녕", **headers)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.headers.get("retry-after") == retry_after


async def test_a_turn_that_failed_has_its_problems_status(world, ann, path, message_id):
    world.turns.stream.emit(Failed(code="turn_pending", detail="", retryable=True))
    response = await ann.post(path, json={"message_id": message_id, "text": "안녕"}, headers={"Accept-Language": "en"})
    assert (response.status_code, response.headers["retry-after"]) == (503, "5")
    assert response.json()["detail"].endswith("Please check again in 5 seconds.")


async def test_a_message_that_cannot_be_meant_never_reaches_the_engine(world, send, subtests):
    cases = [
        ("", 422, "empty_text"),
        (" \u200b\n", 422, "empty_text"),
        ("가" * 4001, 413, "text_too_long"),
        ("a" * 70_000, 413, "body_too_large"),
        ("\ud800", 422, "invalid_request"),
        (None, 422, "invalid_request"),
        (5, 422, "invalid_request"),
    ]
    for text, status, code in cases:
        with subtests.test(text=text):
            response = await send(text)

            assert (response.status_code, response.json()["code"]) == (status, code)
            assert not world.turns.submitted


async def test_a_message_id_is_a_uuid(world, ann, path, subtests):
    for given in ("", "m1", "0b8f5a3e", "0b8f5a3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b\n", None):
        with subtests.test(given=given):
            response = await ann.post(path, json={"message_id": given, "text": "안녕"})
            assert response.status_code == 422
            assert not world.turns.submitted


async def test_a_message_id_in_upper_case_is_the_same_message(world, ann, path, turn_path, message_id):
    received = await ann.get(turn_path.replace(message_id, message_id.upper()))
    assert received.json() == {"message_id": message_id, "status": "received"}
    world.turns.answer("반가워요")
    for given in (message_id, message_id.upper()):
        await ann.post(path, json={"message_id": given, "text": "안녕"})
    assert {message.message_id for message in world.turns.submitted} == {message_id}


async def test_an_unanswered_turn_says_that_it_was_received(world, ann, turn_path, message_id):
    response = await ann.get(turn_path)
    assert (response.status_code, response.json()) == (202, {"message_id": message_id, "status": "received"})


async def test_an_answered_turn_gives_its_result(world, ann, turn_path):
    world.turns.answer("반가워요")
    response = await ann.get(turn_path)
    assert (response.status_code, response.json()["reply"]) == (200, "반가워요")


async def test_a_stream_waits_for_an_unanswered_turn(world, ann, turn_path, events_in):
    asking = asyncio.create_task(ann.get(turn_path, headers=SSE))
    await asyncio.wait_for(world.turns.asked.wait(), 5)
    world.turns.answer()
    assert [name for name, _ in events_in((await asking).text)] == ["token", "done"]


async def test_a_head_request_never_runs_a_turn(world, ann, turn_path):
    response = await ann.head(turn_path, headers=SSE)
    assert response.status_code == 202
    assert [wait for *_, wait in world.turns.attached] == [False]


async def test_a_turn_that_nobody_can_have_sent_is_not_found(world, ann, mine, subtests):
    for given in ("m1", "%00", "..%2f", "0b8f5a3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b%0a"):
        with subtests.test(given=given):
            response = await ann.get(f"/api/conversations/{mine}/turns/{given}")
            assert (response.status_code, response.json()["code"]) == (404, "not_found")
            assert not world.turns.attached
