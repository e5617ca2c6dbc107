"""A turn's events as server-sent events."""

import asyncio
import json
import logging

import httpx
from starlette.requests import Request

from shared.content.catalogue import content
from shared.contracts.chat import ChatReply, RiskView, StateSnapshot
from shared.contracts.events import AgentDone, AgentStart, Done, Failed, Replace, Token
from shared.engine.event_stream import EventStream
from shared.locale import Locale
from shared.web.problem_texts import ContentProblemTexts
from shared.web.problems import problem_of_failed
from shared.web.sse import stream_response

TEXTS = ContentProblemTexts(content())
STATE = {"status": "active", "part": 1, "task": None, "module": "m", "progress": 0, "plan_status": "none"}
SNAPSHOT = StateSnapshot(**STATE, wrap_up=None, risk=RiskView(level="none"))
DONE = Done(result=ChatReply(message_id="m1", seq=5, reply="안녕", state_snapshot=SNAPSHOT))


def stream_of(*events, seq=5):
    stream = EventStream()
    stream.seq = seq
    for event in events:
        stream.emit(event)
    return stream


async def get(stream, started=None, **headers):
    async def app(scope, receive, send):
        async def watched(message):
            await send(message)
            if started is not None:
                started.set()

        await stream_response(Request(scope, receive), stream, TEXTS)(scope, receive, watched)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        return await client.get("/", headers={k.replace("_", "-"): v for k, v in headers.items()})


def events_in(response):
    found = []
    for block in response.text.split("\r\n\r\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\r\n") if ": " in line)
        if "event" in fields:
            found.append((fields.get("id"), fields["event"], json.loads(fields["data"])))
    return found


START = AgentStart(agent="counselor", label="답하는 중")
WHOLE = (START, Token(text="안"), Token(text="녕"), AgentDone(agent="counselor"), DONE)


async def test_events_carry_id_name_and_data():
    response = await get(stream_of(*WHOLE))
    found = events_in(response)
    assert [(number, name) for number, name, _ in found] == [
        ("5.0", "agent_start"), ("5.1", "token"), ("5.2", "token"), ("5.3", "agent_done"), ("5.4", "done"),
    ]  # fmt: skip
    assert (found[1][2], found[-1][2]) == ({"text": "안"}, json.loads(DONE.result.model_dump_json()))
    assert (response.headers["cache-control"], response.headers["x-accel-buffering"]) == ("no-store", "no")
    assert response.headers["content-type"].startswith("text/event-stream")


async def test_a_reconnected_listener_resumes_after_last_event_id_and_always_receives_the_last_event():
    stream = stream_of(*WHOLE)
    await get(stream)
    for seen, follows in (("5.2", ["5.3", "5.4"]), ("5.4", ["5.4"])):
        found = events_in(await get(stream, last_event_id=seen))
        assert [number for number, *_ in found] == follows
        assert found[-1][1] == "done"


async def test_an_unusable_last_event_id_restarts_the_stream_from_the_first_event(subtests):
    for seen in ("banana", "5", "4.2", "5.99999999999999999999", "5.2.1"):
        with subtests.test(seen=seen):
            stream = stream_of(*WHOLE)
            await get(stream)
            response = await get(stream, last_event_id=seen)
            assert len(events_in(response)) == 5


async def test_a_replay_is_sent_whole_to_a_listener_of_the_first_run():
    for seen in ("5.0", "5.1", "5.40"):
        response = await get(stream_of(Replace(text="안녕"), DONE), last_event_id=seen)
        assert [name for _, name, _ in events_in(response)] == ["replace", "done"]


async def test_a_repeated_turn_first_sends_an_empty_replace_to_a_listener_of_the_first_run():
    stream = stream_of(START)
    started = asyncio.Event()
    listening = asyncio.create_task(get(stream, started, last_event_id="5.7"))
    await asyncio.wait_for(started.wait(), 5)
    stream.emit(Token(text="네"))
    stream.emit(DONE)
    found = events_in(await listening)
    assert [name for _, name, _ in found] == ["replace", "agent_start", "token", "done"]
    assert found[0][2] == {"text": ""}


async def test_a_failure_has_a_text_in_the_callers_language_and_an_internal_code_is_hidden():
    stream = stream_of(Failed(code="turn_pending", detail="", retryable=True), seq=None)
    ((number, name, data),) = events_in(await get(stream, accept_language="en"))
    worded = problem_of_failed(stream.ending, TEXTS, Locale.EN).detail
    assert (number, name, data) == ("0.0", "error", {"code": "turn_pending", "detail": worded, "retryable": True})
    stream = stream_of(Failed(code="model_timeout", detail="", retryable=True))
    assert events_in(await get(stream))[0][2]["code"] == "internal"


async def test_a_disconnected_client_does_not_end_the_turn():
    stream = stream_of(Token(text="안"))
    gone = asyncio.Event()
    sent = []

    async def turn():
        await gone.wait()
        stream.emit(DONE)

    async def receive():
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)
        if len(sent) == 2:
            gone.set()

    running = asyncio.create_task(turn())
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    await asyncio.wait_for(stream_response(Request(scope), stream, TEXTS)(scope, receive, send), 5)
    await running
    assert stream.closed
    assert len(events_in(await get(stream))) == 2


async def test_the_text_of_events_is_not_logged_even_at_debug_level(caplog):
    with caplog.at_level(logging.DEBUG):
        await get(stream_of(Token(text="secret words"), DONE))
    assert "secret words" not in caplog.text
