import asyncio
from datetime import UTC, datetime
from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from shared.domain.records import Record, Rewritten
from shared.observability.trace_context import (
    TraceContext,
    continue_trace,
    current_trace,
    current_trace_id,
    ensure_trace,
    incoming,
    inside,
    outgoing_headers,
    read_traceparent,
    stamped,
)

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
NOW = datetime(2026, 11, 22, tzinfo=UTC)


class Note(Record):
    collection: ClassVar[str] = "notes"


def note(**fields):
    return Note(record_id="1", created_at=NOW, expire_at=NOW, **fields)


def test_outside_any_request_there_is_no_trace():
    assert current_trace() is None
    assert current_trace_id() is None
    assert outgoing_headers() == {}


def test_a_traceparent_is_gone_on_with_and_given_on():
    with incoming(Headers({"TraceParent": PARENT})) as trace:
        assert trace == TraceContext(TRACE, SPAN, sampled=True)
        assert current_trace_id() == TRACE
        assert outgoing_headers() == {"traceparent": PARENT}
    assert current_trace() is None


def test_googles_header_counts_where_there_is_no_traceparent():
    with incoming(Headers({"x-cloud-trace-context": f"{TRACE.upper()}/255;o=1"})) as trace:
        assert trace == TraceContext(TRACE, f"{255:016x}", sampled=True)
    with incoming(Headers({"x-cloud-trace-context": TRACE})) as trace:
        assert trace == TraceContext(TRACE)
    with incoming(Headers({"traceparent": PARENT, "x-cloud-trace-context": f"{'1' * 32}/1;o=0"})) as trace:
        assert trace.trace_id == TRACE


def test_a_later_version_may_say_more_and_the_present_one_may_not():
    assert read_traceparent(f"01-{TRACE}-{SPAN}-01-more") == TraceContext(TRACE, SPAN, sampled=True)
    assert read_traceparent(f"{PARENT}-more") is None


def test_a_hostile_header_counts_as_absent(subtests):
    cases = [
        "", "00", f"ff-{TRACE}-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01", f"00-{TRACE}-{SPAN}", f"00-{TRACE}-{SPAN}-01\n", f"00-{TRACE}-{SPAN}-zz",
        "00-" + "٠" * 32 + f"-{SPAN}-01", "나는 힘들어", "0" * 100_000, f'00-{TRACE}-{SPAN}-01","severity":"ERROR',
    ]  # fmt: skip
    for hostile in cases:
        with subtests.test(hostile=hostile):
            for name in ("traceparent", "X-Cloud-Trace-Context"):
                with incoming({name: hostile}) as trace:
                    assert trace.trace_id != TRACE
                    assert len(trace.trace_id) == 32
                    assert trace.span_id is None


def test_a_hostile_header_of_googles_gives_no_span(subtests):
    for hostile in (f"{TRACE}/{'9' * 20};o=1", f"{TRACE}/-1", f"{'0' * 32}/1", f"{TRACE}/1;o=1;x"):
        with subtests.test(hostile=hostile), incoming({"X-Cloud-Trace-Context": hostile}) as trace:
            assert trace.span_id is None


@given(st.text() | st.none() | st.integers() | st.binary())
def test_whatever_a_document_holds_a_trace_is_well_formed(stored):
    with inside(TraceContext(TRACE)):
        continue_trace(stored)
        assert current_trace_id() == TRACE


def test_what_is_given_on_can_be_read_again():
    with incoming({}) as trace:
        given_on = outgoing_headers()["traceparent"]
    again = read_traceparent(given_on)
    assert again.trace_id == trace.trace_id


def test_a_document_bears_the_trace_that_it_was_made_in():
    with incoming({"traceparent": PARENT}):
        assert [one.trace for one in stamped([note(), note(trace="kept")])] == [PARENT, "kept"]
        assert stamped([Rewritten(note())]) == (Rewritten(note()),), "it bears the trace of whoever made it"
    assert [one.trace for one in stamped([note()])] == [None]


def test_a_trigger_goes_on_in_the_documents_trace_and_is_back_afterwards():
    with incoming({}) as delivery:
        continue_trace(PARENT)
        assert current_trace_id() == TRACE
    assert delivery.trace_id != TRACE
    assert current_trace() is None


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


async def test_what_nobody_asked_for_begins_a_trace_of_its_own():
    async def resumed():
        return ensure_trace().trace_id == ensure_trace().trace_id and current_trace_id()

    first, second = await asyncio.gather(resumed(), resumed())
    assert first
    assert second
    assert first != second
