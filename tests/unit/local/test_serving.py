"""The local servers: accepted hosts, request timeouts and sign-in."""

import asyncio
import json

import httpx
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.server import ServerState

from local.emulators.function import application
from local.listening import HeadsInTime
from local.pages import HERE, WEB, Elsewhere, front, pages
from shared.adapters.firebase_identity.unsigned import UnsignedIdentity
from tests.builders.service_parts import Ids
from tests.fakes.settable_clock import SettableClock

SECRET = "flagged sessions"
ELSEWHERE = ("evil.example:18473", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.7", "")
OWN = ("127.0.0.1", "127.0.0.1:18473", "localhost", "LOCALHOST:8080", "[::1]", "[::1]:8080")
PATHS = ("/api/review", "/healthz", "/openapi.json", "/", "/review.html", "/local/info")
WHOLE = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"


async def called(app, host, path, method="GET", body=b""):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        return await client.request(method, path, content=body, headers={"Host": host, "Origin": f"http://{host}"})


async def test_requests_with_a_foreign_host_header_are_refused(subtests):
    for host in (*ELSEWHERE, *OWN):
        with subtests.test(host=host):
            server = front(PlainTextResponse(SECRET), "demo-cbot", SettableClock(), Ids(), demo=True)
            answers = [await called(server, host, path) for path in PATHS]
            answers.append(await called(server, host, "/local/sign-in", "POST"))
            if host in OWN:
                assert {one.status_code for one in answers} == {200}
                assert answers[0].text == SECRET
            else:
                assert {(one.status_code, one.text) for one in answers} == {(400, "Invalid host header")}
    function = application("planner")
    assert (await called(function, "evil.example", "/nothing")).status_code == 400
    assert (await called(function, "127.0.0.1:20001", "/nothing")).status_code == 404


@pytest.mark.parametrize(
    ("body", "caller"),
    [
        *((b'{"uid": "rae", "role": "reviewer"}', ("rae", "reviewer")), (b'{"uid": "ann"}', ("ann", None))),
        *((b"", ("id1", None)), (b"[]", ("id1", None)), (b'{"uid": "a/b", "role": 7}', ("id1", None))),
        (b'{"role": "Reviewer", "uid": null}', ("id1", None)),
    ],
)
async def test_sign_in_accepts_any_valid_user_and_role_and_ignores_invalid_ones(body, caller):
    clock = SettableClock()
    signed_in = await called(pages("demo-cbot", clock, Ids(), demo=True), "localhost", "/local/sign-in", "POST", body)
    found = await UnsignedIdentity("demo-cbot", clock, {}).verify(signed_in.json()["id_token"])
    assert (found.user_id, found.role) == caller


async def test_the_page_is_told_its_servers_and_may_call_no_others():
    clock = SettableClock()
    emulated = Elsewhere("http://127.0.0.1:1", auth="http://127.0.0.1:2", firestore="127.0.0.1:3")
    here, there = (pages("demo-cbot", clock, Ids(), demo=True, elsewhere=one) for one in (HERE, emulated))
    told = (await called(here, "localhost", "/config.json")).json()
    assert told == json.loads((WEB / "config.json").read_text("utf-8"))
    assert told["auth"] == "local"
    answer = await called(there, "localhost", "/config.json")
    assert (answer.json()["auth"], answer.json()["api"]) == ("firebase", "http://127.0.0.1:1")
    assert answer.json()["emulators"] == {"auth": "http://127.0.0.1:2", "firestore": "127.0.0.1:3"}
    connect = answer.headers["content-security-policy"].rpartition("connect-src ")[2]
    assert connect == "'self' http://127.0.0.1:1 http://127.0.0.1:2 http://127.0.0.1:3"


class TestTheRequestHeadTimeout:
    class Impatient(HeadsInTime):
        head_seconds = 0.05

    @pytest.fixture
    async def connection(self):
        config = uvicorn.Config(PlainTextResponse("here"), lifespan="off", log_config=None)
        config.load()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: self.Impatient(config, ServerState(), {}), "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection("127.0.0.1", server.sockets[0].getsockname()[1])
        yield reader, writer
        writer.close()
        server.close()
        await server.wait_closed()

    @pytest.mark.parametrize("head", [b"", b"GET / HT", WHOLE + WHOLE[:-2]], ids=["nothing", "half", "a second half"])
    async def test_closes_a_connection_without_a_complete_head(self, connection, head):
        reader, writer = connection
        writer.write(head)
        async with asyncio.timeout(10):
            assert (await reader.read()).count(b"here") == head.count(WHOLE)

    async def test_spares_requests_whose_head_arrives_in_parts_within_the_time(self, connection):
        reader, writer = connection
        for part in (WHOLE[:8], WHOLE[8:], WHOLE):
            writer.write(part)
            await asyncio.sleep(0)
        async with asyncio.timeout(10):
            for _ in range(2):
                await reader.readuntil(b"here")
