"""Whatever comes in, the answer is ours: never a 500, never a broken connection."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query,
        "root_path": "",
        "headers": list(given.items()),
    }
    await world.app(scope, receive, send)

    start, *_, last = sent
    assert start["status"] < 500
    assert not last.get("more_body", False)
    if start["status"] >= 400 and method != "OPTIONS":
        assert (b"content-type", b"application/problem+json") in start["headers"]
