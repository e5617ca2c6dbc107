from itertools import count

import pytest

from functions.chat.use_cases.conversation_lifecycle import DEFAULT_PER_HOUR
from shared.domain.conversation import Message, Role
from shared.domain.turn import TurnRecord, TurnResult
from shared.ports.conversation_documents import TurnCommit

ALL = "/api/conversations"


async def test_a_conversation_opens_with_its_greeting(world, ann, consents):
    response = await ann.post(ALL, json={"locale": "ko", "age_band": "adult", "consents": consents})
    assert response.status_code == 201
    body = response.json()
    assert response.headers["location"] == f"/api/conversations/{body['conversation_id']}"
    assert response.headers["cache-control"] == "no-store"
    assert (body["greeting"], body["state_snapshot"]["status"]) == ({"text": "저는 AI예요."}, "active")
    assert (await ann.get(response.headers["location"])).json()["conversation_id"] == body["conversation_id"]


async def test_without_age_and_consents_nothing_is_stored(world, ann, consents, subtests):
    cases = [
        ({"age_band": "under_14"}, 403, "guardian_required"),
        ({"consents": {"terms": True, "sensitive_data": True}}, 403, "consent_required"),
        ({"consents": {}}, 403, "consent_required"),
        ({"persona": "Type_Q"}, 422, "invalid_request"),
        ({"age_band": None}, 422, "invalid_request"),
    ]
    for changed, status, code in cases:
        with subtests.test(changed=changed, status=status, code=code):
            response = await ann.post(ALL, json={"age_band": "adult", "consents": consents, **changed})
            assert (response.status_code, response.json()["code"]) == (status, code)
            assert response.headers["content-type"] == "application/problem+json"
            assert (await ann.get(ALL)).json() == {"conversations": [], "next": None}


async def test_the_missing_consents_are_named(ann, consents):
    response = await ann.post(ALL, json={"age_band": "adult", "consents": {**consents, "sensitive_data": False}})
    assert "민감정보" in response.json()["detail"]
    assert [consent["id"] for consent in response.json()["consents"]] == ["sensitive_data"]


async def test_own_conversations_are_listed_page_by_page_the_newest_first(world, ann):
    made = [await world.conversation("ann") for _ in range(5)]
    await world.conversation("bob")
    found, parameters = [], {"limit": 2}
    while True:
        page = (await ann.get(ALL, params=parameters)).json()
        found += [view["conversation_id"] for view in page["conversations"]]
        assert len(page["conversations"]) <= 2
        if page["next"] is None:
            break
        parameters["before"] = page["next"]
    assert found == made[::-1]


async def test_a_view_holds_nothing_but_the_clients_part(ann, mine):
    view = (await ann.get(f"{ALL}/{mine}")).json()
    assert "user_id" not in view
    assert "expire_at" not in view
    assert (view["status"], view["last_message"]) == ("active", "저는 AI예요.")


async def test_anothers_conversation_looks_as_if_there_were_none(ann, bob, mine, subtests):
    cases = [
        ("GET", ""), ("GET", "/messages"), ("GET", "/export"), ("POST", "/end"), ("POST", "/satisfaction"),
        ("DELETE", ""),
    ]  # fmt: skip
    for method, path in cases:
        with subtests.test(method=method, path=path):
            body = {"json": {"rating": 5}} if path == "/satisfaction" else {}
            refused = await bob.request(method, f"{ALL}/{mine}{path}", **body)
            unknown = await bob.request(method, f"{ALL}/nobody{path}", **body)
            assert refused.status_code == unknown.status_code == 404
            assert refused.json() == unknown.json()
            assert (await ann.get(f"{ALL}/{mine}")).json()["status"] == "active"


async def test_nobody_gets_in_without_a_token_that_holds(world, subtests):
    cases = [
        ("POST", ALL), ("GET", ALL), ("GET", f"{ALL}/c1"), ("GET", f"{ALL}/c1/messages"),
        ("POST", f"{ALL}/c1/chat"), ("GET", f"{ALL}/c1/turns/0b8f5a3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b"),
        ("POST", f"{ALL}/c1/end"), ("POST", f"{ALL}/c1/satisfaction"), ("GET", f"{ALL}/c1/export"),
        ("DELETE", f"{ALL}/c1"), ("DELETE", "/api/me"),
    ]  # fmt: skip
    for user in (None, "forged-1"):
        for method, path in cases:
            with subtests.test(user=user, method=method, path=path):
                async with world.client(user) as client:
                    response = await client.request(method, path)
                assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")
                assert response.headers["www-authenticate"] == "Bearer"


async def answered(world, conversation_id, seq):
    """Put a turn's messages into the store."""
    snapshot = await world.store.load(conversation_id)
    now = world.clock.now()
    messages = [Message(seq=seq, role=role, text=f"{role.value} {seq}", created_at=now) for role in Role]
    turn = TurnRecord(
        conversation_id=conversation_id,
        message_id=f"m{seq}",
        text="",
        text_digest="",
        received_at=now,
        expire_at=now,
        seq=seq,
        flow="counseling",
        snapshot_version=seq,
        committed_at=now,
        result=TurnResult(message_id=f"m{seq}", seq=seq, reply="", state_snapshot={}),
    )
    view = await world.store.view(conversation_id)
    await world.store.commit_turn(TurnCommit(snapshot.session, snapshot.mailbox, turn, messages, view))


async def test_the_history_comes_in_whole_turns(world, ann, mine):
    for seq in (1, 2, 3):
        await answered(world, mine, seq)
    first = (await ann.get(f"{ALL}/{mine}/messages", params={"limit": 2})).json()
    second = (await ann.get(f"{ALL}/{mine}/messages", params={"limit": 2, "after": first["next"]})).json()
    assert [(m["seq"], m["role"]) for m in first["messages"]] == [(0, "counselor"), (1, "user"), (1, "counselor")]
    assert first["next"] == 1
    assert [m["seq"] for m in second["messages"]] == [2, 2, 3, 3]
    assert second["next"] is None


async def test_a_page_out_of_bounds_is_refused(ann, mine, subtests):
    for query in ("limit=0", "limit=101", "after=-2", "after=x"):
        with subtests.test(query=query):
            response = await ann.get(f"{ALL}/{mine}/messages?{query}")
            assert (response.status_code, response.json()["code"]) == (422, "invalid_request")


async def test_a_parameter_that_nobody_reads_is_refused_by_name(ann, mine, subtests):
    for path in ("", "/{mine}", "/{mine}/messages", "/{mine}/export"):
        with subtests.test(path=path):
            response = await ann.get(ALL + path.format(mine=mine), params={"limt": "my secret"})
            assert (response.status_code, response.json()["code"]) == (422, "invalid_request")
            assert "limt: 알 수 없는 매개변수예요" in response.json()["detail"]
            assert "secret" not in response.text


async def test_a_probe_may_add_parameters(ann):
    assert (await ann.get("/healthz", params={"t": "1"})).status_code == 200


async def test_a_field_is_known_by_its_name_in_the_contract_only(ann, consents):
    body = {"age_band": "adult", "consents": consents, "register_": "반말"}
    assert (await ann.post(ALL, json=body)).status_code == 422


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "consents.terms: 참이나 거짓"), ("en", "consents.terms: must be true or false")]
)
async def test_what_does_not_fit_is_told_in_the_callers_language(ann, consents, language, words):
    body = {"age_band": "adult", "consents": {**consents, "terms": "yes"}}
    response = await ann.post(ALL, json=body, headers={"Accept-Language": language})
    assert words in response.json()["detail"]
    assert "Input should be" not in response.text


async def test_ending_may_be_repeated(world, ann, mine):
    first = await ann.post(f"{ALL}/{mine}/end")
    stored = (await world.store.load(mine)).session
    second = await ann.post(f"{ALL}/{mine}/end")
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    assert first.json()["message"] == "bye ko 존댓말"
    assert first.json()["state_snapshot"]["status"] == "completed"
    assert (await world.store.load(mine)).session == stored
    assert [payload.kind.value for payload in world.queue.payloads] == ["close"]


async def test_only_an_ended_conversation_can_be_rated(world, ann, mine):
    early = await ann.post(f"{ALL}/{mine}/satisfaction", json={"rating": 4})
    await ann.post(f"{ALL}/{mine}/end")
    rated = await ann.post(f"{ALL}/{mine}/satisfaction", json={"rating": 4, "comment": " good\x07 "})
    again = await ann.post(f"{ALL}/{mine}/satisfaction", json={"rating": 5})
    assert (early.status_code, early.json()["code"]) == (409, "session_open")
    assert (rated.status_code, rated.content) == (204, b"")
    assert again.status_code == 204
    session = (await world.store.load(mine)).session.state
    assert session.satisfaction == 5
    kept = await world.store.record(mine, "ratings", str(session.state_version - 1))
    assert (kept["rating"], kept["comment"]) == (4, "good")


async def test_a_rating_is_one_to_five(ann, mine, subtests):
    for body in ({"rating": 0}, {"rating": 6}, {"rating": "5"}, {"rating": True}, {}):
        with subtests.test(body=body):
            response = await ann.post(f"{ALL}/{mine}/satisfaction", json=body)
            assert response.status_code == 422


async def test_a_user_who_opens_too_many_within_the_hour_is_asked_to_wait_and_others_are_not(world, ann, bob, consents):
    body = {"age_band": "adult", "locale": "ko", "consents": consents}
    for _ in range(DEFAULT_PER_HOUR):
        assert (await ann.post("/api/conversations", json=body)).status_code == 201

    refused = await ann.post("/api/conversations", json=body)

    assert refused.status_code == 429
    assert refused.json()["code"] == "too_many_requests"
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert len(await world.store.views_of("ann", None, 100)) == DEFAULT_PER_HOUR
    assert (await bob.post("/api/conversations", json=body)).status_code == 201
    for conversation in await world.store.conversations_of("ann"):
        assert (await ann.delete(f"{ALL}/{conversation}")).status_code == 204
    assert (await ann.post(ALL, json=body)).status_code == 429, "what was deleted was opened all the same"
    world.clock.seconds = count(7200)
    assert (await ann.post("/api/conversations", json=body)).status_code == 201
