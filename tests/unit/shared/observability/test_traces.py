"""Where a trace enters, what it goes through, and what bears it on."""

import asyncio
import json
from datetime import UTC, datetime
from typing import ClassVar

import httpx
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.responses import Response

from local.background import local_invoker_auth
from shared.contracts.tasks import JobKind
from shared.domain.counseling.session_events import SessionClosed
from shared.domain.records import Record, Rewritten
from shared.engine.jobs import JobOutcome, JobResult
from shared.observability import trace_context as traces
from shared.observability.trace_context import TraceContext, current_trace_id, incoming, outgoing_headers
from shared.web.background import handle_task
from shared.web.error_middleware import ErrorMiddleware
from tests.builders.requests import request_of
from tests.fakes.background_room import ID, Room, created, payload, transition
from tests.fakes.counselling import session

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
NOW = datetime(2026, 11, 22, tzinfo=UTC)


class Note(Record):
    collection: ClassVar[str] = "notes"


def note(**fields):
    return Note(record_id="1", created_at=NOW, expire_at=NOW, **fields)


def test_outside_any_request_there_is_no_trace():
    assert (traces.current_trace(), current_trace_id(), outgoing_headers()) == (None, None, {})


def test_a_traceparent_is_gone_on_with_and_given_on():
    with incoming(Headers({"TraceParent": PARENT})) as trace:
        assert trace == TraceContext(TRACE, SPAN, sampled=True)
        assert (current_trace_id(), outgoing_headers()) == (TRACE, {"traceparent": PARENT})
    assert traces.current_trace() is None
    with incoming({}) as trace:
        assert traces.read_traceparent(outgoing_headers()["traceparent"]).trace_id == trace.trace_id


def test_googles_header_counts_where_there_is_no_traceparent():
    with incoming(Headers({"x-cloud-trace-context": f"{TRACE.upper()}/255;o=1"})) as trace:
        assert trace == TraceContext(TRACE, f"{255:016x}", sampled=True)
    with incoming(Headers({"x-cloud-trace-context": TRACE})) as trace:
        assert trace == TraceContext(TRACE)
    with incoming(Headers({"traceparent": PARENT, "x-cloud-trace-context": f"{'1' * 32}/1;o=0"})) as trace:
        assert trace.trace_id == TRACE


def test_a_later_version_may_say_more_and_the_present_one_may_not():
    assert traces.read_traceparent(f"01-{TRACE}-{SPAN}-01-more") == TraceContext(TRACE, SPAN, sampled=True)
    assert traces.read_traceparent(f"{PARENT}-more") is None


def test_a_hostile_header_counts_as_absent(subtests):
    cases = [
        "", "00", f"ff-{TRACE}-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01", f"00-{TRACE}-{SPAN}", f"00-{TRACE}-{SPAN}-01\n", f"00-{TRACE}-{SPAN}-zz",
        "00-" + "٠" * 32 + f"-{SPAN}-01", "나는 힘들어", "0" * 100_000, f'00-{TRACE}-{SPAN}-01","severity":"ERROR',
    ]  # fmt: skip
    for hostile in cases:
        for name in ("traceparent", "X-Cloud-Trace-Context"):
            with subtests.test(name=name, hostile=hostile), incoming({name: hostile}) as trace:
                assert (trace.trace_id != TRACE, len(trace.trace_id), trace.span_id) == (True, 32, None)
    for hostile in (f"{TRACE}/{'9' * 20};o=1", f"{TRACE}/-1", f"{'0' * 32}/1", f"{TRACE}/1;o=1;x"):
        with subtests.test(hostile=hostile), incoming({"X-Cloud-Trace-Context": hostile}) as trace:
            assert trace.span_id is None


@given(st.text() | st.none() | st.integers() | st.binary())
def test_whatever_a_document_holds_a_trace_is_well_formed(stored):
    with traces.inside(TraceContext(TRACE)):
        traces.continue_trace(stored)
        assert current_trace_id() == TRACE


def test_a_document_bears_the_trace_that_it_was_made_in_and_a_trigger_goes_on_in_it():
    with incoming({"traceparent": PARENT}):
        assert [one.trace for one in traces.stamped([note(), note(trace="kept")])] == [PARENT, "kept"]
        assert traces.stamped([Rewritten(note())]) == (Rewritten(note()),), "it bears the trace of its first writer"
    assert [one.trace for one in traces.stamped([note()])] == [None]
    with incoming({}) as delivery:
        traces.continue_trace(PARENT)
        assert current_trace_id() == TRACE
    assert delivery.trace_id != TRACE
    assert traces.current_trace() is None


async def test_tasks_started_inside_inherit_and_two_at_once_keep_their_own():
    async def turn():
        await asyncio.sleep(0)
        return current_trace_id()

    async def request(number):
        with incoming({"traceparent": f"00-{number:032x}-{SPAN}-00"}):
            task = asyncio.create_task(turn())
            await asyncio.sleep(0)
        return await task

    assert await asyncio.gather(*(request(n) for n in range(1, 9))) == [f"{n:032x}" for n in range(1, 9)]


async def test_what_was_not_asked_for_begins_a_trace_of_its_own():
    async def resumed():
        return traces.ensure_trace().trace_id == traces.ensure_trace().trace_id and current_trace_id()

    first, second = await asyncio.gather(resumed(), resumed())
    assert first
    assert second
    assert first != second


async def test_a_request_to_chat_is_served_in_its_trace():
    async def told(scope, receive, send):
        await Response(current_trace_id())(scope, receive, send)

    transport = httpx.ASGITransport(ErrorMiddleware(told, None))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
        known, new = await http.get("/", headers={"traceparent": PARENT}), await http.get("/")
    assert (known.text, len(new.text), current_trace_id()) == (TRACE, 32, None)


async def test_a_task_is_done_in_the_trace_that_it_carries():
    seen = []

    async def work(_task):
        seen.append(current_trace_id())
        return JobResult.DONE

    task = json.dumps(payload(JobKind.SUPERVISE, 3).model_dump(mode="json")).encode()
    request = request_of(task, content_type="application/json", traceparent=PARENT)
    await handle_task(request, work, {JobKind.SUPERVISE}, local_invoker_auth("demo"))
    assert (seen, current_trace_id()) == ([TRACE], None)


async def test_what_a_job_writes_bears_its_trace_and_the_job_that_it_triggers_goes_on_in_it():
    room = Room()
    state = await room.open(session())
    with incoming({"traceparent": PARENT}):
        given_on = outgoing_headers()["traceparent"]
        found = JobOutcome(events=(SessionClosed(),), records=(transition("1-3"),))
        await room.context.settle(ID, room.context.scope(state), lambda _: found)
    stored = await room.record("part_transitions", "1-3")
    assert stored["trace"] == given_on
    with incoming({}) as delivery:
        assert await room.context.created(created("part_transitions", "none")) is None
        assert current_trace_id() == delivery.trace_id != TRACE
        assert await room.context.created(created("part_transitions", "1-3")) == stored
        assert current_trace_id() == TRACE
