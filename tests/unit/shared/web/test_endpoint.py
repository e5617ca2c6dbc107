import httpx
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse

from shared.web.endpoint import Endpoint, Operation, routes_of


async def say(api, request):
    return PlainTextResponse(f"{api} {request.method}")


OPERATIONS = (
    Operation(Endpoint("GET", "/things", "list", "List"), say),
    Operation(Endpoint("POST", "/things", "make", "Make"), say),
    Operation(Endpoint("DELETE", "/things/{id}", "drop", "Drop"), say),
)


async def test_an_address_answers_all_its_methods_and_names_them(subtests):
    cases = [
        ("GET", "/things", 200, None),
        ("POST", "/things", 200, None),
        ("HEAD", "/things", 200, None),
        ("OPTIONS", "/things", 204, {"GET", "HEAD", "OPTIONS", "POST"}),
        ("PUT", "/things", 405, {"GET", "HEAD", "OPTIONS", "POST"}),
        ("GET", "/things/1", 405, {"DELETE", "OPTIONS"}),
        ("GET", "/nothing", 404, None),
    ]
    for method, path, status, allow in cases:
        with subtests.test(method=method, path=path, status=status, allow=allow):
            app = Starlette(routes=routes_of(OPERATIONS, "api"))

            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
                response = await client.request(method, path)

            assert response.status_code == status
            if allow:
                assert set(response.headers["allow"].split(", ")) == allow
