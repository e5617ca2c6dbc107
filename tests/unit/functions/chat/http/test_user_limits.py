"""The limits of one user over all their conversations: messages, cost, exports and reads."""

import asyncio
from uuid import uuid4

import pytest

from shared.adapters.documents import writes
from shared.config.settings import ChatSettings
from shared.domain.usage import UsageEntry, Used, service_day
from shared.engine.capacity import LAST_RETRY_SECONDS
from shared.engine.user_usage import DANGER_FACTOR
from tests.builders.danger_service import LINE, PLAIN, SAID, Service
from tests.unit.functions.chat.conftest import ALL, OPENING

SECONDS_TO_MIDNIGHT = 6 * 3600
"""In Seoul, from the start of these tests' clock."""
FREE = {"per_minute": 1000, "llm_calls": 100_000, "user_per_minute": 1000}


async def service_of(locale="ko", *apart, **limits):
    service = Service(locale, *apart, **FREE | limits)
    await service.open()
    return service


async def opened(service, count=1):
    created = [await service.call("POST", ALL, **OPENING | {"locale": service.locale}) for _ in range(count)]
    return [one.json()["conversation_id"] for one in created]


async def said(service, text=None):
    answered = await service.send(text or PLAIN[service.locale])
    return answered.json().get("code", answered.status_code)


async def spend(service, **used):
    """Store a usage of the day as another instance would."""
    entry = UsageEntry("ann", service_day(service.clock.now()), Used(**used))
    await service.database.commit([writes.usage(entry)])


async def test_the_rate_limit_of_messages_counts_all_conversations_of_a_user():
    service = Service("ko", per_minute=1000, user_per_minute=20, turns=1000)
    paths = [f"{ALL}/{conversation}/chat" for conversation in await opened(service, 30)]

    async def send(path):
        ids = (f"{n:08d}-0000-4000-8000-000000000000" for n in range(2))
        return [await service.call("POST", path, message_id=one, text="안녕하세요") for one in ids]

    answers = [one for talk in await asyncio.gather(*map(send, paths)) for one in talk]
    assert [one.status_code for one in answers].count(200) == 20
    refused = next(one for one in answers if one.status_code != 200)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert 0 < int(refused.headers["Retry-After"]) <= 60


async def test_thirty_conversations_of_one_user_take_their_share_of_an_instance_and_a_danger_is_answered():
    service = Service("ko", **FREE)
    paths = [f"{ALL}/{conversation}/chat" for conversation in await opened(service, 30)]
    bobs = (await service.call("POST", ALL, "bob", **OPENING)).json()["conversation_id"]

    def send(path, who="ann", text=PLAIN["ko"]):
        return service.call("POST", path, who, message_id=str(uuid4()), text=text)

    anns = [send(path) for path in paths]
    *answers, in_danger, other = await asyncio.gather(
        *anns, send(paths[0], text=SAID["ko"]), send(f"{ALL}/{bobs}/chat", "bob")
    )
    assert [one.status_code for one in answers].count(200) == ChatSettings().turns // 4
    refused = next(one for one in answers if one.status_code != 200)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert 0 < int(refused.headers["Retry-After"]) <= LAST_RETRY_SECONDS
    assert (other.status_code, in_danger.status_code, in_danger.json()["flags"]) == (200, 200, ["crisis"])


@pytest.mark.parametrize("instances", [1, 3])
async def test_the_daily_limit_counts_messages_of_all_instances_and_conversations(instances):
    first = await service_of("en", user_per_day=12)
    others = [Service("en", first.database, first.clock, **FREE, user_per_day=12) for _ in range(instances - 1)]
    conversations = await opened(first, 3)
    taken = 0
    for number in range(40):
        service = [first, *others][number % instances]
        service.id = conversations[number % 3]
        taken += await said(service) == 200
    assert 12 <= taken <= 12 + instances - 1, "an instance reads the others' usage at its own commit only"
    assert await said(first) == "daily_limit"


async def test_the_daily_limit_ends_at_midnight_in_seoul_as_the_refusal_says():
    service = await service_of("ko", user_per_day=2)
    service.clock.advance(SECONDS_TO_MIDNIGHT - 60)
    assert [await said(service) for _ in range(3)] == [200, 200, "daily_limit"]
    refused = await service.send(PLAIN["ko"])
    assert int(refused.headers["Retry-After"]) == refused.json()["retry_after"] == 60
    assert "자정이 지나면 다시 이야기할 수 있고" in refused.json()["detail"]
    service.clock.advance(60)
    assert await said(service) == 200


async def test_the_daily_cost_of_model_calls_is_limited():
    service = await service_of("ko", user_won_per_day=1000)
    await spend(service, cost_krw=999.5)
    assert await said(service) == 200
    await spend(service, cost_krw=1.0)
    assert await said(service) == 200, "the instance reads the stored usage at its next commit"
    assert await said(service) == "daily_limit"


async def test_a_message_in_danger_is_answered_past_every_limit_and_its_conversation_goes_on():
    service = await service_of("ko", user_per_day=2, user_won_per_day=1)
    await spend(service, messages=2 * DANGER_FACTOR + 5, cost_krw=1000)
    assert [await said(service), await said(service)] == [200, "daily_limit"]
    answered = await service.send(SAID["ko"])
    assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"])
    assert LINE["ko"] in answered.json()["reply"]
    other = await service_of("ko", user_per_day=3)
    await other.send(SAID["ko"])
    assert (await other.store.load(other.id)).session.state.in_danger
    assert [await said(other) for _ in range(2 + 3)] == [200] * 5, "a conversation in danger goes on past the limit"
    (elsewhere,) = await opened(other)
    other.id = elsewhere
    assert await said(other) == "daily_limit"


async def test_the_usage_of_the_day_is_stored_without_the_user_id_and_survives_an_erasure():
    service = await service_of("ko", user_per_day=3)
    assert [await said(service) for _ in range(2)] == [200, 200]
    exported = (await service.call("GET", "/api/me/export")).json()
    assert exported["usage"] == {"day": "2026-11-01", "messages": 2, "exports": 0, "cost_krw": 0}
    assert (await service.call("DELETE", "/api/me")).status_code == 204
    (kept,) = await service.database.tree("usage")
    assert set(kept.data) == {"schema_version", "day", "expire_at", "messages", "exports", "cost_krw"}
    assert "ann" not in kept.path
    again = await service_of("ko", service.database, service.clock, user_per_day=3)
    assert [await said(again) for _ in range(2)] == [200, "daily_limit"]


async def test_one_export_runs_at_a_time_and_the_exports_of_a_day_are_limited():
    service = await service_of("en", user_exports_per_day=2)
    at_once = await asyncio.gather(*(service.call("GET", "/api/me/export") for _ in range(20)))
    assert {one.status_code for one in at_once} == {200, 429}
    assert [one.status_code for one in at_once].count(200) == 1
    refused = next(one for one in at_once if one.status_code == 429)
    assert (refused.json()["code"], int(refused.headers["Retry-After"]) > 0) == ("too_many_requests", True)
    assert (await service.call("GET", f"{ALL}/{service.id}/export")).status_code == 200
    refused = await service.call("GET", "/api/me/export")
    assert (refused.status_code, refused.json()["code"]) == (429, "daily_exports")
    assert int(refused.headers["Retry-After"]) > 60
    assert (await service.call("GET", "/api/me/export", "bob")).status_code == 200
    assert len([line for line in await service.database.tree("audit") if line.data["action"] == "export"]) == 3


async def test_the_rate_limit_of_reads_excludes_messages_and_their_turns():
    service = await service_of("en", user_reads_per_minute=10)
    answers = [await service.call("GET", ALL) for _ in range(12)]
    assert [one.status_code for one in answers] == [200] * 10 + [429] * 2
    assert answers[-1].headers["Retry-After"] == "6"
    assert (await service.call("GET", ALL, "bob")).status_code == 200
    sent = await service.send(SAID["en"])
    again = await service.call("GET", f"{ALL}/{service.id}/turns/{sent.json()['message_id']}")
    assert (sent.status_code, again.status_code) == (200, 200)
    assert LINE["en"] in again.text
    service.clock.advance(6)
    assert (await service.call("GET", ALL)).status_code == 200
