import dataclasses

import httpx

from functions.chat.http.app import build_app
from shared.domain.errors import ModelAccessDenied, Refusal

ALL = "/api/conversations"


async def test_liveness_needs_no_token(world):
    async with world.client(None) as client:
        response = await client.get("/healthz")
    assert response.json() == {"status": "ok", "version": "1.2.3", "model": "ok", "model_reason": None}


async def test_liveness_tells_how_the_model_stands(world):
    world.api.model_health.failed(ModelAccessDenied("403", Refusal.LOCATION), "m-1", "counselor")
    async with world.client(None) as client:
        found = (await client.get("/api/health")).json()
    assert (found["status"], found["model"], found["model_reason"]) == ("ok", "unreachable", "access denied: location")


async def test_an_unknown_address_is_a_problem(ann, subtests):
    for path in ("/", "/api", f"{ALL}/", "/healthz/", "/api/documents", f"{ALL}/a/b/c"):
        with subtests.test(path=path):
            response = await ann.get(path, headers={"Accept-Language": "en"})
            assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")
            assert (response.json()["code"], response.json()["title"]) == ("not_found", "Not found")


async def test_a_method_that_an_address_does_not_take_is_told_the_others(ann, subtests):
    cases = [
        ("PUT", ALL, {"GET", "HEAD", "OPTIONS", "POST"}),
        ("PATCH", f"{ALL}/c1", {"DELETE", "GET", "HEAD", "OPTIONS"}),
        ("GET", f"{ALL}/c1/chat", {"OPTIONS", "POST"}),
        ("POST", "/api/me", {"DELETE", "GET", "HEAD", "OPTIONS"}),
        ("POST", "/openapi.json", {"GET", "HEAD"}),
    ]
    for method, path, allow in cases:
        with subtests.test(path=path):
            response = await ann.request(method, path)
            assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")
            assert set(response.headers["allow"].split(", ")) == allow


async def test_a_browser_of_a_configured_origin_may_call(ann, origin):
    preflight = await ann.options(
        f"{ALL}/c1/chat",
        headers={
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization, content-type, last-event-id, accept-language",
        },
    )
    actual = await ann.get(f"{ALL}/nobody", headers={"Origin": origin})
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (200, origin)
    assert (actual.status_code, actual.headers["access-control-allow-origin"]) == (404, origin)
    assert "Retry-After" in actual.headers["access-control-expose-headers"]


async def test_a_browser_of_another_origin_may_not(ann):
    response = await ann.get(ALL, headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in response.headers


async def test_even_a_surprise_can_be_read_by_a_browser(world, origin, caplog):
    class Broken:
        async def verify(self, token):
            raise RuntimeError(token)

    app = build_app(dataclasses.replace(world.api, identity=Broken()))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        response = await client.get(ALL, headers={"Origin": origin, "Authorization": "Bearer s3cret"})

    assert (response.status_code, response.json()["code"]) == (500, "internal")
    assert response.headers["access-control-allow-origin"] == origin
    assert "in verify" in caplog.text
    assert "s3cret" not in caplog.text
