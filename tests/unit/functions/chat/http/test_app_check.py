import dataclasses

import httpx
import pytest

from functions.chat.http.app import build_app
from shared.domain.errors import AppCheckFailed, IdentityUnavailable

ALL = "/api/conversations"
HEADER = "X-Firebase-AppCheck"


class KnownApp:
    """`AppCheck` that knows one token."""

    async def verify(self, token):
        if token == "down":
            raise IdentityUnavailable("no keys")
        if token != "ours":
            raise AppCheckFailed("no token" if token is None else "another's")


@pytest.fixture
async def guarded(world):
    """A client of the application that lets in known apps only."""
    app = build_app(dataclasses.replace(world.api, app_check=KnownApp()))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        yield client


async def test_a_known_app_of_a_known_user_is_let_in(guarded):
    response = await guarded.get(ALL, headers={HEADER: "ours", "Authorization": "Bearer ann"})
    assert response.status_code == 200


@pytest.mark.parametrize("headers", [{}, {HEADER: ""}, {HEADER: "other"}])
async def test_another_app_is_refused_and_told_so_in_its_language(guarded, headers):
    response = await guarded.get(ALL, headers={**headers, "Authorization": "Bearer ann", "Accept-Language": "en"})

    assert response.status_code == 403
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["code"] == "app_check_failed"
    assert "another's" not in response.text
    assert "www-authenticate" not in response.headers


async def test_the_app_is_looked_at_before_the_user(guarded):
    response = await guarded.get(ALL, headers={"Authorization": "Bearer forged"})
    assert response.json()["code"] == "app_check_failed"


async def test_a_known_app_does_not_make_up_for_a_forged_user(guarded):
    response = await guarded.get(ALL, headers={HEADER: "ours", "Authorization": "Bearer forged"})
    assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")


async def test_without_the_issuers_keys_the_client_is_told_to_come_again(guarded):
    response = await guarded.get(ALL, headers={HEADER: "down", "Authorization": "Bearer ann"})
    assert (response.status_code, response.json()["code"]) == (503, "identity_unavailable")
    assert int(response.headers["retry-after"]) == response.json()["retry_after"] > 0


async def test_liveness_and_the_description_need_no_app(guarded):
    assert (await guarded.get("/healthz")).status_code == 200
    assert (await guarded.get("/openapi.json")).status_code == 200


async def test_a_browser_may_send_the_apps_token(ann, origin):
    preflight = await ann.options(
        ALL,
        headers={
            "Origin": origin,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "authorization, x-firebase-appcheck",
        },
    )
    assert preflight.status_code == 200


async def test_where_no_app_check_is_asked_for_any_app_may_call(ann):
    assert (await ann.get(ALL, headers={HEADER: "other"})).status_code == 200
