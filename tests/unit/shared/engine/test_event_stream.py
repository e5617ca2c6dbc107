import pytest

from shared.contracts.events import Done, Failed, Replace, Token
from shared.engine.event_stream import EventStream
from tests.builders.small_service import heard

FAILED, DONE = Failed(code="store_unavailable", detail="", retryable=True), Done.model_construct()
A, B = Token(text="a"), Token(text="b")


def streamed(*events):
    stream = EventStream()
    for event in events:
        stream.emit(event)
    return stream


@pytest.mark.parametrize("behind", [-1, 0, 2, 3, 99])
async def test_a_listener_gets_every_numbered_event_after_the_last_one_it_has(behind):
    events = A, B, Replace(text="c"), DONE
    assert await heard(streamed(*events), behind) == list(enumerate(events))[behind + 1 :]


async def test_a_listener_misses_no_event_emitted_while_it_is_busy():
    stream = streamed(A)
    listening = stream.listen()
    assert await anext(listening) == (0, A)
    stream.emit(B)
    stream.emit(DONE)
    assert [number async for number, _ in listening] == [1, 2]


@pytest.mark.parametrize(("ending", "late"), [(DONE, FAILED), (FAILED, DONE)], ids=["done", "error"])
def test_the_first_ending_closes_the_stream_and_later_events_are_ignored(ending, late):
    for stream in (streamed(), streamed(A)):
        assert (stream.closed, stream.ending) == (False, None)
    stream = streamed(ending, A, late)
    assert (stream.closed, stream.ending) == (True, ending)
