"""The application around its endpoints: liveness, addresses, browsers, known apps, hostile requests."""

import dataclasses
import json
import re
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.chat.http.app import build_app
from functions.chat.http.endpoints import OPERATIONS
from functions.chat.http.openapi import document, rendered
from shared.domain.errors import AppCheckFailed, IdentityUnavailable, ModelAccessDenied, Refusal
from tests.unit.functions.chat.conftest import ALL, ORIGIN

FILE = Path(__file__).parents[5] / "docs" / "openapi.json"
HEADER = "X-Firebase-AppCheck"


async def test_liveness_needs_no_token_takes_any_parameter_and_tells_how_the_model_stands(world):
    async with world.client(None) as anybody:
        well = (await anybody.get("/healthz", params={"t": "1"})).json()
        world.api.model_health.failed(ModelAccessDenied("403", Refusal.LOCATION), "m-1", "counselor")
        ill = (await anybody.get("/api/health")).json()
    assert well == {"status": "ok", "version": version("cbot"), "model": "ok", "model_reason": None}
    assert ill == {**well, "model": "unreachable", "model_reason": "access denied: location"}


@pytest.mark.parametrize("path", ["/", "/api", f"{ALL}/", "/healthz/", "/api/documents", f"{ALL}/a/b/c"])
async def test_an_unknown_address_is_a_problem(ann, path):
    response = await ann.get(path, headers={"Accept-Language": "en"})
    assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")
    assert (response.json()["code"], response.json()["title"]) == ("not_found", "Not found")


async def test_a_browser_of_a_configured_origin_may_call_and_no_other(ann):
    asked = "authorization, content-type, last-event-id, accept-language, x-firebase-appcheck"
    headers = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": asked}
    preflight = await ann.options(f"{ALL}/c1/chat", headers=headers)
    actual = await ann.get(f"{ALL}/nobody", headers={"Origin": ORIGIN})
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (200, ORIGIN)
    assert (actual.status_code, actual.headers["access-control-allow-origin"]) == (404, ORIGIN)
    assert "Retry-After" in actual.headers["access-control-expose-headers"]
    other = await ann.get(ALL, headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in other.headers


async def test_even_a_surprise_can_be_read_by_a_browser(world, caplog):
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
        if token == "down":
            raise IdentityUnavailable("no keys")
        if token != "ours":
            raise AppCheckFailed("no token" if token is None else "another's")


class TestWhereOnlyKnownAppsMayCall:
    @pytest.fixture
    async def guarded(self, world):
        async with world.client(None, build_app(dataclasses.replace(world.api, app_check=KnownApp()))) as client:
            yield client

    async def test_a_known_app_of_a_known_user_is_let_in_and_nothing_makes_up_for_a_forged_user(self, guarded):
        known = {HEADER: "ours", "Authorization": "Bearer ann"}
        assert (await guarded.get(ALL, headers=known)).status_code == 200
        forged = await guarded.get(ALL, headers={**known, "Authorization": "Bearer forged"})
        assert (forged.status_code, forged.headers["www-authenticate"]) == (401, "Bearer")

    @pytest.mark.parametrize("user", ["ann", "forged"])
    @pytest.mark.parametrize("headers", [{}, {HEADER: ""}, {HEADER: "other"}])
    async def test_another_app_is_refused_before_its_user_is_looked_at(self, guarded, headers, user):
        sent = {**headers, "Authorization": f"Bearer {user}", "Accept-Language": "en"}
        response = await guarded.get(ALL, headers=sent)
        assert (response.status_code, response.json()["code"]) == (403, "app_check_failed")
        assert response.headers["content-type"] == "application/problem+json"
        assert "another's" not in response.text
        assert "www-authenticate" not in response.headers

    async def test_without_the_issuers_keys_the_client_is_told_to_come_again(self, guarded):
        response = await guarded.get(ALL, headers={HEADER: "down", "Authorization": "Bearer ann"})
        assert (response.status_code, response.json()["code"]) == (503, "identity_unavailable")
        assert int(response.headers["retry-after"]) == response.json()["retry_after"] > 0

    async def test_liveness_and_the_description_need_no_app_and_elsewhere_any_app_may_call(self, guarded, ann):
        assert [(await guarded.get(path)).status_code for path in ("/healthz", "/openapi.json")] == [200, 200]
        assert (await ann.get(ALL, headers={HEADER: "other"})).status_code == 200


class TestTheDescription:
    async def test_is_the_file_in_docs_and_is_served(self, ann):
        assert FILE.read_text(encoding="utf-8") == rendered(), (
            "stale: run `python -m functions.chat.http.openapi docs/openapi.json`"
        )
        assert (await ann.get("/openapi.json")).json() == json.loads(rendered())

    def test_leads_somewhere_with_each_reference_and_has_every_endpoint_once(self):
        schemas, methods = document()["components"]["schemas"], document()["paths"].values()
        used = set(re.findall(r'"\$ref": "([^"]+)"', rendered()))
        assert used <= {f"#/components/schemas/{name}" for name in schemas}
        assert {"Problem", "ChatReply", "CreateConversation"} <= set(schemas)
        described = [operation["operationId"] for by_method in methods for operation in by_method.values()]
        assert sorted(described) == sorted({operation.endpoint.name for operation in OPERATIONS})

    def test_says_what_may_go_wrong_in_the_chat_what_its_stream_holds_and_what_needs_no_token(self):
        paths = document()["paths"]
        chat = paths[f"{ALL}/{{conversation_id}}/chat"]["post"]["responses"]
        assert set(chat) >= {"200", "400", "401", "404", "409", "413", "415", "422", "429", "500", "503"}
        events = chat["200"]["content"]["text/event-stream"]["x-sse-events"]
        assert set(events) == {"agent_start", "agent_retry", "agent_done", "token", "replace", "done", "error"}
        assert events["done"] == {"$ref": "#/components/schemas/ChatReply"}
        assert set(events["token"]["properties"]) == {"text"}
        assert set(events["agent_retry"]["properties"]) == {"agent", "label", "attempt"}
        open_ones = [path for path, methods in paths.items() for one in methods.values() if not one["security"]]
        assert open_ones == ["/api/consents", "/healthz", "/api/health"]


ids = st.sampled_from(["c1", "..", "%2e%2e", "\x00", "가", "a" * 65, "c1\n", "__x__"]) | st.text(max_size=8)
below = st.sampled_from(["", "/chat", "/end", "/messages", "/satisfaction", "/export", "/x"])
paths = st.one_of(
    st.builds("/api/conversations/{}{}".format, ids, below),
    st.builds("/api/conversations/c1/turns/{}".format, ids),
    st.sampled_from(["/api/conversations", "/api/me", "/healthz", "", "*"]),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from(["message_id", "text", "rating", "comment", "age_band", "consents", "persona", "register"])
valid = {"message_id": "0b8f5a3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b", "text": "안녕", "rating": 5, "age_band": "adult"}
bodies = st.binary() | st.dictionaries(names, values).map(lambda changed: json.dumps({**valid, **changed}).encode())
header_names = st.sampled_from(
    [b"accept", b"accept-language", b"authorization", b"last-event-id", b"content-type", b"content-length", b"origin"]
)
queries = st.binary(max_size=30) | st.builds(
    lambda name, value: f"{name}={value}".encode("utf-8", "surrogatepass"),
    st.sampled_from(["after", "limit", "before"]),
    st.integers().map(str) | st.text(max_size=12) | st.datetimes().map(lambda at: f"{at.isoformat()}Z"),
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    method=st.sampled_from(["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "QUERY"]),
    path=paths,
    query=queries,
    body=bodies,
    headers=st.dictionaries(header_names, st.binary(max_size=30)),
)
async def test_no_request_is_a_surprise(world, mine, *, method, path, query, body, headers):
    if not world.turns.stream.closed:
        world.turns.answer()
    sent = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        sent.append(message)

    given = {b"authorization": b"Bearer ann", b"content-type": b"application/json", **headers}
    scope = {"type": "http", "method": method, "path": path, "query_string": query, "root_path": ""}
    scope["path"] = path.replace("c1", mine)
    await world.app({**scope, "headers": list(given.items())}, receive, send)
    start, *_, last = sent
    assert start["status"] < 500
    assert not last.get("more_body", False)
    if start["status"] >= 400 and method != "OPTIONS":
        assert (b"content-type", b"application/problem+json") in start["headers"]
