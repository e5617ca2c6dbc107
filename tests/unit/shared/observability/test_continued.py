"""Where a trace enters and is gone on with: the edge of `chat`, the door of a background function, a document."""

import json

import httpx
from starlette.requests import Request
from starlette.responses import Response

from local.background import inner_door
from shared.contracts.tasks import JobKind
from shared.domain.counseling.session_events import SessionClosed
from shared.engine.jobs import JobOutcome, JobResult
from shared.observability.trace_context import current_trace_id, incoming, outgoing_headers
from shared.web.background import handle_task
from shared.web.error_middleware import ErrorMiddleware
from tests.fakes.background_room import ID, Room, created, payload, transition
from tests.fakes.counselling import session

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"


async def told(scope, receive, send):
    await Response(current_trace_id())(scope, receive, send)


def request(body, **headers):
    async def receive():
        return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

    headers = {"content-type": "application/json", **headers}
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": raw}, receive)


async def test_a_request_to_chat_is_served_in_its_trace():
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(ErrorMiddleware(told, None)), base_url="http://test"
    ) as http:
        known = await http.get("/", headers={"traceparent": PARENT})
        new = await http.get("/")
    assert known.text == TRACE
    assert len(new.text) == 32
    assert current_trace_id() is None


async def test_a_task_is_done_in_the_trace_that_it_carries():
    seen = []

    async def work(_task):
        seen.append(current_trace_id())
        return JobResult.DONE

    task = payload(JobKind.SUPERVISE, 3).model_dump(mode="json")
    asked = request(task, traceparent=PARENT)
    await handle_task(asked, work, {JobKind.SUPERVISE}, inner_door("demo"))
    assert seen == [TRACE]
    assert current_trace_id() is None


async def test_what_a_job_writes_bears_its_trace_and_whoever_is_triggered_goes_on_in_it():
    room = Room()
    state = await room.open(session())
    context = room.context
    with incoming({"traceparent": PARENT}):
        given_on = outgoing_headers()["traceparent"]
        found = JobOutcome(events=(SessionClosed(),), records=(transition("1-3"),))
        await context.settle(ID, context.scope(state), lambda _: found)
    stored = await room.record("part_transitions", "1-3")
    assert stored["trace"] == given_on
    with incoming({}):
        assert current_trace_id() != TRACE
        assert await context.created(created("part_transitions", "1-3")) == stored
        assert current_trace_id() == TRACE


async def test_a_document_that_is_not_there_changes_no_trace():
    room = Room()
    await room.open(session())
    with incoming({}) as delivery:
        assert await room.context.created(created("part_transitions", "1-3")) is None
        assert current_trace_id() == delivery.trace_id
