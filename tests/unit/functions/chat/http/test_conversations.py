"""Opening, listing, reading, ending, rating, exporting and erasing conversations."""

import logging
from contextlib import ExitStack
from itertools import count

import pytest

from functions.chat.use_cases.conversation_lifecycle import DEFAULT_PER_HOUR, OPENINGS_AT_ONCE
from shared.content.catalogue import content
from shared.domain.conversation import Message, Role
from shared.engine.capacity import LAST_RETRY_SECONDS
from shared.locale import Locale, Register
from shared.ports.conversation_documents import TurnCommit
from tests.builders.turn_records import turn_record
from tests.unit.functions.chat.conftest import ALL, GREETING, MESSAGE_ID, OPENING

FAREWELL = content().messages(Locale.KO, Register.FORMAL).text("session_ended")


async def test_a_conversation_opens_with_its_greeting_and_its_view_holds_no_internal_field(ann):
    response = await ann.post(ALL, json=OPENING)
    assert response.status_code == 201
    body, address = response.json(), response.headers["location"]
    assert address == f"{ALL}/{body['conversation_id']}"
    assert response.headers["cache-control"] == "no-store"
    assert (body["greeting"], body["state_snapshot"]["status"]) == ({"text": GREETING}, "active")
    view = (await ann.get(address)).json()
    assert not {"user_id", "expire_at"} & set(view)
    assert (view["conversation_id"], view["status"]) == (body["conversation_id"], "active")
    assert GREETING.startswith(view["last_message"].removesuffix("…"))


async def test_a_level_set_by_staff_counts_until_the_user_chooses_one_and_for_no_other_user(world):
    async def level(user, **chosen):
        persona = (await world.state(await world.conversation(user, **chosen))).user_persona
        return persona.counseling_level, persona.level_source

    assert await level("ann/4") == await level("ann/4", session_type="follow_up") == (4, "given")
    assert await level("ann/4", counseling_level=2) == (2, "given")
    assert await level("ann") == await level("bob") == (1, "default")


async def test_the_users_conversations_are_listed_page_by_page_newest_first(world, ann):
    made = [await world.conversation("ann") for _ in range(5)]
    await world.conversation("bob")
    found, parameters = [], {"limit": 2}
    while parameters.get("before", True):
        page = (await ann.get(ALL, params=parameters)).json()
        assert len(page["conversations"]) <= 2
        found += [view["conversation_id"] for view in page["conversations"]]
        parameters["before"] = page["next"]
    assert found == made[::-1]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("GET", path) for path in ("", "/messages", "/export")),
        ("POST", "/end"),
        ("POST", "/satisfaction"),
        ("DELETE", ""),
    ],
)
async def test_another_users_conversation_is_answered_like_an_unknown_one(ann, bob, mine, method, path):
    body = {"json": {"rating": 5}} if path == "/satisfaction" else {}
    refused, unknown = [await bob.request(method, f"{ALL}/{one}{path}", **body) for one in (mine, "nobody")]
    assert refused.status_code == unknown.status_code == 404
    assert refused.json() == unknown.json()
    assert (await ann.get(f"{ALL}/{mine}")).json()["status"] == "active"


@pytest.mark.parametrize("user", [None, "forged-1", "forged/reviewer"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(
            ("POST", path)
            for path in (ALL, *(f"{ALL}/c1/{last}" for last in ("chat", "end", "satisfaction", "measures")))
        ),
        *(("GET", f"{ALL}{path}") for path in ("", "/c1", "/c1/messages", f"/c1/turns/{MESSAGE_ID}", "/c1/export")),
        *(("DELETE", path) for path in (f"{ALL}/c1", "/api/me")),
        ("GET", "/api/review"),
        ("GET", "/api/me/measures"),
    ],
)
async def test_a_request_without_a_valid_token_is_refused(world, user, method, path):
    async with world.client(user) as client:
        response = await client.request(method, path)
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")
    assert response.headers["www-authenticate"] == "Bearer"


async def test_a_page_of_the_history_holds_whole_turns(world, ann, mine):
    for seq in (1, 2, 3):
        found, view = await world.store.load(mine), await world.store.view(mine)
        messages = [Message(seq=seq, role=role, text="네", created_at=world.clock.now()) for role in Role]
        await world.store.commit_turn(TurnCommit(found.session, found.mailbox, turn_record(mine, seq), messages, view))
    first = (await ann.get(f"{ALL}/{mine}/messages", params={"limit": 2})).json()
    second = (await ann.get(f"{ALL}/{mine}/messages", params={"limit": 2, "after": first["next"]})).json()
    assert [(m["seq"], m["role"]) for m in first["messages"]] == [(0, "counselor"), (1, "user"), (1, "counselor")]
    assert ([m["seq"] for m in second["messages"]], first["next"], second["next"]) == ([2, 2, 3, 3], 1, None)


async def test_ending_a_conversation_is_idempotent_and_counts_once(world, ann, mine, caplog):
    caplog.set_level(logging.INFO)
    await world.set(mine, message_count=1, seq=1)
    first = await ann.post(f"{ALL}/{mine}/end")
    stored = (await world.store.load(mine)).session
    second = await ann.post(f"{ALL}/{mine}/end")
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    assert (first.json()["message"], first.json()["state_snapshot"]["status"]) == (FAREWELL, "completed")
    assert (await world.store.load(mine)).session == stored
    assert [payload.kind.value for payload in world.queue.payloads] == ["close"]
    assert caplog.text.count(f"session_completed conversation={mine} turns=1") == 1


async def test_only_an_ended_conversation_can_be_rated(world, ann, mine):
    path = f"{ALL}/{mine}/satisfaction"
    early = await ann.post(path, json={"rating": 4})
    assert (early.status_code, early.json()["code"]) == (409, "session_open")
    await ann.post(f"{ALL}/{mine}/end")
    for body in ({"rating": 0}, {"rating": 6}, {"rating": "5"}, {"rating": True}, {}):
        assert (await ann.post(path, json=body)).status_code == 422, body
    rated = await ann.post(path, json={"rating": 4, "comment": " good\x07 "})
    assert (rated.status_code, rated.content) == (204, b"")
    assert (await ann.post(path, json={"rating": 5})).status_code == 204
    session = await world.state(mine)
    assert session.satisfaction == 5
    kept = await world.store.record(mine, "ratings", str(session.state_version - 1))
    assert (kept["rating"], kept["comment"]) == (4, "good")
    assert (await ann.post(path, json={"comment": "고마웠어요"})).status_code == 204
    session = await world.state(mine)
    assert session.satisfaction == 5, "words without points leave the rating"
    kept = await world.store.record(mine, "ratings", str(session.state_version))
    assert (kept["rating"], kept["comment"]) == (None, "고마웠어요")


async def test_the_conversations_that_a_user_opens_per_hour_are_limited(world, ann, bob):
    for _ in range(DEFAULT_PER_HOUR):
        assert (await ann.post(ALL, json=OPENING)).status_code == 201
    refused = await ann.post(ALL, json=OPENING)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert len(await world.store.views_of("ann", None, 100)) == DEFAULT_PER_HOUR
    assert (await bob.post(ALL, json=OPENING)).status_code == 201
    for conversation in await world.store.conversations_of("ann"):
        assert (await ann.delete(f"{ALL}/{conversation}")).status_code == 204
    assert (await ann.post(ALL, json=OPENING)).status_code == 429, "deleted conversations count"
    world.clock.seconds = count(7200)
    assert (await ann.post(ALL, json=OPENING)).status_code == 201


async def test_an_opening_above_those_that_an_instance_runs_at_a_time_is_refused_and_stores_nothing(world, ann):
    with ExitStack() as others:
        for _ in range(OPENINGS_AT_ONCE):
            others.enter_context(world.api.service.openings.place("bob"))
        refused = await ann.post(ALL, json=OPENING)
        assert (refused.status_code, refused.json()["code"]) == (503, "overloaded")
        assert 0 < int(refused.headers["Retry-After"]) <= LAST_RETRY_SECONDS
        assert not await world.store.conversations_of("ann")
    assert (await ann.post(ALL, json=OPENING)).status_code == 201


async def test_the_export_of_a_conversation_is_a_file_with_all_its_documents(ann, mine):
    response = await ann.get(f"{ALL}/{mine}/export")
    assert response.headers["content-disposition"] == f'attachment; filename="cbot-{mine}.json"'
    paths = {document["path"] for document in response.json()["documents"]}
    assert {f"conversations/{mine}", f"sessions/{mine}"} <= paths
    assert GREETING in response.text


async def erased_everything(world):
    return [one["rule"] for one in await world.audit("erasure_completed")].count("everything")


async def test_deleting_stops_the_turns_and_is_audited_once_for_each_erasure_of_data(world, ann, bob, mine):
    other, bobs = await world.conversation("ann"), await world.conversation("bob")
    response = await ann.delete(f"{ALL}/{mine}")
    assert (response.status_code, response.content, world.stopped) == (204, b"", [mine])
    for _ in range(2):
        assert (await ann.delete("/api/me")).status_code == 204
    assert world.stopped[1:] == [other]
    assert (await ann.get(ALL)).json()["conversations"] == []
    assert (await bob.get(f"{ALL}/{bobs}")).status_code == 200
    again = await world.conversation("ann")
    assert await erased_everything(world) == 1
    assert (await ann.delete("/api/me")).status_code == 204
    assert await world.store.view(again) is None
    assert await erased_everything(world) == 2, "the second erasure of data has an audit line"


@pytest.mark.parametrize("unreadable", [False, True])
async def test_deleting_a_user_who_has_only_a_profile_erases_and_audits_it_once(world, ann, mine, unreadable):
    await ann.delete(f"{ALL}/{mine}")
    if unreadable:
        await world.damage("users/ann", sessions="broken")
    for _ in range(2):
        assert (await ann.delete("/api/me")).status_code == 204
    assert await world.paths("users") == []
    assert await erased_everything(world) == 1
