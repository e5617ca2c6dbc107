"""What the local servers add to uvicorn."""

import asyncio

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.server import ServerState

from local.listening import HeadsInTime

WHOLE = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"


class Impatient(HeadsInTime):
    head_seconds = 0.05


@pytest.fixture
async def connect():
    config = uvicorn.Config(PlainTextResponse("here"), lifespan="off", log_config=None)
    config.load()
    server = await asyncio.get_running_loop().create_server(
        lambda: Impatient(config, ServerState(), {}), "127.0.0.1", 0
    )
    port = server.sockets[0].getsockname()[1]
    writers = []

    async def connect():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writers.append(writer)
        return reader, writer

    yield connect
    for writer in writers:
        writer.close()
    server.close()
    await server.wait_closed()


@pytest.mark.parametrize("head", [b"", b"GET / HT", WHOLE + WHOLE[:-2]], ids=["nothing", "half", "a second half"])
async def test_a_connection_on_which_no_whole_head_comes_is_closed(connect, head):
    reader, writer = await connect()
    writer.write(head)
    async with asyncio.timeout(10):
        assert (await reader.read()).count(b"here") == head.count(WHOLE)


async def test_whole_requests_are_answered_however_slowly_the_head_comes_within_its_time(connect):
    reader, writer = await connect()
    for part in (WHOLE[:8], WHOLE[8:], WHOLE):
        writer.write(part)
        await asyncio.sleep(0)
    async with asyncio.timeout(10):
        for _ in range(2):
            await reader.readuntil(b"here")
