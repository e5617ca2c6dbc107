"""A page from elsewhere whose name points at this machine reads nothing of what is served here."""

import httpx
import pytest
from starlette.responses import PlainTextResponse

from local.emulators.function import application
from local.pages import front
from tests.fakes.service_parts import Ids
from tests.fakes.settable_clock import SettableClock

SECRET = "flagged sessions"
ELSEWHERE = [
    "evil.example:18473", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.7:80", "",
]  # fmt: skip
OWN = ["127.0.0.1", "127.0.0.1:18473", "localhost", "LOCALHOST:8080", "[::1]", "[::1]:8080"]
PATHS = ["/api/review", "/healthz", "/openapi.json", "/", "/review.html", "/local/info"]


async def called(app, host, path, method="GET"):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        return await client.request(method, path, headers={"Host": host, "Origin": f"http://{host}"})


@pytest.fixture
def server():
    return front(PlainTextResponse(SECRET), "demo-cbot", SettableClock(), Ids(), demo=True)


async def test_who_names_another_host_gets_nothing(subtests):
    for host in ELSEWHERE:
        with subtests.test(host=host):
            server = front(PlainTextResponse(SECRET), "demo-cbot", SettableClock(), Ids(), demo=True)
            answers = [await called(server, host, path) for path in PATHS]
            answers.append(await called(server, host, "/local/sign-in", "POST"))
            assert {(one.status_code, one.text) for one in answers} == {(400, "Invalid host header")}


async def test_who_names_this_machine_is_served_on_any_port(subtests):
    for host in OWN:
        with subtests.test(host=host):
            server = front(PlainTextResponse(SECRET), "demo-cbot", SettableClock(), Ids(), demo=True)
            assert (await called(server, host, "/api/review")).text == SECRET
            assert [(await called(server, host, path)).status_code for path in PATHS] == [200] * len(PATHS)
            assert (await called(server, host, "/local/sign-in", "POST")).status_code == 200


async def test_a_function_in_a_process_of_its_own_keeps_to_it():
    function = application("planner")
    assert (await called(function, "evil.example", "/nothing")).status_code == 400
    assert (await called(function, "127.0.0.1:20001", "/nothing")).status_code == 404
