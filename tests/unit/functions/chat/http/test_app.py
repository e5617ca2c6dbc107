"""The application around its endpoints: liveness, unknown addresses, CORS, App Check, draining."""

import asyncio
import dataclasses
from importlib.metadata import version

import pytest

from functions.chat.http.app import build_app
from shared.domain.errors import AppCheckFailed, ModelAccessDenied, Refusal
from shared.web.invoker_auth import BrokenOff, said
from tests.unit.functions.chat.conftest import ALL, ORIGIN

HEADER = "X-Firebase-AppCheck"


async def test_liveness_needs_no_token_ignores_parameters_and_reports_the_models_state(world):
    async with world.client(None) as client:
        well = (await client.get("/healthz", params={"t": "1"})).json()
        world.api.model.health.failed(ModelAccessDenied("403", Refusal.LOCATION), "m-1", "counselor")
        ill = (await client.get("/api/health")).json()
    assert well == {"status": "ok", "version": version("cbot"), "model": "ok", "model_reason": None}
    assert ill == {**well, "model": "unreachable", "model_reason": "access denied: location"}


@pytest.mark.parametrize("path", ["/", f"{ALL}/", f"{ALL}/a/b/c"])
async def test_an_unknown_address_is_answered_with_a_problem(ann, path):
    response = await ann.get(path, headers={"Accept-Language": "en"})
    assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")
    assert (response.json()["code"], response.json()["title"]) == ("not_found", "Not found")


async def test_cors_allows_the_configured_origin_and_no_other(ann):
    asked = "authorization, content-type, last-event-id, accept-language, x-firebase-appcheck"
    headers = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": asked}
    preflight = await ann.options(f"{ALL}/c1/chat", headers=headers)
    actual = await ann.get(f"{ALL}/nobody", headers={"Origin": ORIGIN})
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (200, ORIGIN)
    assert (actual.status_code, actual.headers["access-control-allow-origin"]) == (404, ORIGIN)
    assert "Retry-After" in actual.headers["access-control-expose-headers"]
    other = await ann.get(ALL, headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in other.headers


async def test_an_unexpected_error_has_cors_headers_and_is_logged_without_the_token(world, caplog):
    class Broken:
        async def verify(self, token):
            raise RuntimeError(token)

    app = build_app(dataclasses.replace(world.api, identity=Broken()))
    async with world.client("s3cret", app) as client:
        response = await client.get(ALL, headers={"Origin": ORIGIN})
    assert (response.status_code, response.json()["code"]) == (500, "internal")
    assert response.headers["access-control-allow-origin"] == ORIGIN
    assert "in verify" in caplog.text
    assert "s3cret" not in caplog.text


class KnownApp:
    """`AppCheck` that knows one token."""

    async def verify(self, token):
        if token != "ours":
            raise AppCheckFailed("no token" if token is None else "another's")


class TestAppCheck:
    @pytest.fixture
    async def guarded(self, world):
        async with world.client(None, build_app(dataclasses.replace(world.api, app_check=KnownApp()))) as client:
            yield client

    async def test_a_known_app_with_a_valid_token_is_accepted_and_with_a_forged_token_refused(self, guarded):
        known = {HEADER: "ours", "Authorization": "Bearer ann"}
        assert (await guarded.get(ALL, headers=known)).status_code == 200
        forged = await guarded.get(ALL, headers={**known, "Authorization": "Bearer forged"})
        assert (forged.status_code, forged.headers["www-authenticate"]) == (401, "Bearer")

    @pytest.mark.parametrize("user", ["ann", "forged"])
    @pytest.mark.parametrize("headers", [{}, {HEADER: ""}, {HEADER: "other"}])
    async def test_an_unknown_app_is_refused_before_its_token_is_checked(self, guarded, headers, user):
        sent = {**headers, "Authorization": f"Bearer {user}", "Accept-Language": "en"}
        response = await guarded.get(ALL, headers=sent)
        assert (response.status_code, response.json()["code"]) == (403, "app_check_failed")
        assert response.headers["content-type"] == "application/problem+json"
        assert "another's" not in response.text
        assert "www-authenticate" not in response.headers

    async def test_liveness_the_description_and_a_service_without_app_check_need_no_app_token(self, guarded, ann):
        assert [(await guarded.get(path)).status_code for path in ("/healthz", "/openapi.json")] == [200, 200]
        assert (await ann.get(ALL, headers={HEADER: "other"})).status_code == 200


async def test_a_draining_instance_finishes_the_running_job_and_starts_none(world):
    jobs, ending = world.parts.platform.invoker_auth.jobs, asyncio.Event()

    async def job():
        await ending.wait()
        return said("done", 200)

    erasure = asyncio.create_task(jobs.run(job))
    await asyncio.sleep(0)
    draining = asyncio.create_task(world.parts.drain())
    await asyncio.sleep(0.01)
    assert not draining.done(), "a job is under way"
    with pytest.raises(BrokenOff):
        await jobs.run(job)
    ending.set()
    async with asyncio.timeout(10):
        assert (await erasure).status_code == 200
        await draining
