import asyncio

import pytest

from shared.contracts.chat import ChatReply, RiskView, StateSnapshot
from shared.contracts.events import Done, Failed, Replace, Token
from shared.engine.event_stream import EventStream

FAILED = Failed(code="store_unavailable", detail="", retryable=True)
DONE = Done(
    result=ChatReply(
        message_id="m1",
        seq=1,
        reply="hi",
        state_snapshot=StateSnapshot(
            status="active", part=1, task=None, module="m", progress=0, plan_status="none", wrap_up=None,
            risk=RiskView(level="none"),
        ),
    )
)  # fmt: skip


async def heard(stream, behind=-1):
    async with asyncio.timeout(5):
        return [entry async for entry in stream.listen(behind)]


@pytest.fixture
def finished():
    stream = EventStream()
    for event in (Token(text="a"), Token(text="b"), Replace(text="c"), DONE):
        stream.emit(event)
    return stream


class TestListening:
    async def test_who_comes_late_gets_everything_with_its_number(self, finished):
        assert await heard(finished) == list(enumerate((Token(text="a"), Token(text="b"), Replace(text="c"), DONE)))

    @pytest.mark.parametrize(("behind", "numbers"), [(-1, [0, 1, 2, 3]), (0, [1, 2, 3]), (2, [3]), (3, []), (99, [])])
    async def test_who_comes_back_gets_what_is_behind_what_was_heard(self, finished, behind, numbers):
        assert [number for number, _ in await heard(finished, behind)] == numbers

    async def test_events_reach_every_listener_as_they_come(self):
        stream = EventStream()
        listeners = [asyncio.create_task(heard(stream)) for _ in range(3)]
        for event in (Token(text="a"), Token(text="b")):
            await asyncio.sleep(0)
            stream.emit(event)
        late = asyncio.create_task(heard(stream, 0))
        await asyncio.sleep(0)
        stream.emit(FAILED)
        everything = [(0, Token(text="a")), (1, Token(text="b")), (2, FAILED)]
        assert await asyncio.gather(*listeners) == [everything] * 3
        assert await late == everything[1:]

    async def test_an_event_that_comes_while_the_listener_is_busy_is_not_missed(self):
        stream = EventStream()
        stream.emit(Token(text="a"))
        listening = stream.listen()
        assert await anext(listening) == (0, Token(text="a"))
        stream.emit(Token(text="b"))
        stream.emit(DONE)
        assert [number async for number, _ in listening] == [1, 2]

    async def test_a_listener_that_goes_away_does_not_disturb_the_others(self):
        stream = EventStream()
        gone = asyncio.create_task(heard(stream))
        stays = asyncio.create_task(heard(stream))
        await asyncio.sleep(0)
        gone.cancel()
        stream.emit(FAILED)
        assert await stays == [(0, FAILED)]


class TestTheEnd:
    @pytest.mark.parametrize("ending", [DONE, FAILED], ids=["done", "error"])
    def test_nothing_comes_after_it(self, ending):
        stream = EventStream()
        stream.emit(ending)
        stream.emit(Token(text="late"))
        stream.emit(FAILED if ending is DONE else DONE)
        assert (stream.closed, stream.ending) == (True, ending)

    def test_there_is_none_before_it(self):
        stream = EventStream()
        assert (stream.closed, stream.ending) == (False, None)
        stream.emit(Token(text="a"))
        assert (stream.closed, stream.ending) == (False, None)

    async def test_can_be_waited_for(self):
        stream = EventStream()
        waiting = asyncio.create_task(stream.end())
        await asyncio.sleep(0)
        stream.emit(Token(text="a"))
        await asyncio.sleep(0)
        assert not waiting.done()
        stream.emit(DONE)
        assert await asyncio.wait_for(waiting, 5) is DONE
        assert await stream.end() is DONE
