import asyncio
import contextlib
import json
import logging

import pytest

from shared.adapters.google_keys.public_keys import FIRST_PAUSE_S, LEAST_FRESH_S, PAUSE_S, PublicKeys
from shared.adapters.google_keys.sources import DAY_S, KeySource
from shared.domain.errors import IdentityUnavailable
from shared.observability.formats import TextFormatter
from tests.fakes.settable_clock import SettableClock
from tests.support.issuer import free_address, published
from tests.support.polling import eventually

HOUR = 3600.0


@pytest.fixture
def clock():
    return SettableClock()


@pytest.fixture
def keys(issuer, clock):
    return PublicKeys(KeySource(issuer.address, DAY_S), clock, within_s=2)


async def test_keys_are_fetched_once_and_kept_as_long_as_the_issuer_says(keys, issuer, clock):
    assert (await keys.key("first")).key.key_size == 2048
    clock.advance(6 * HOUR - 1)
    assert await keys.key("first")
    assert issuer.fetches == 1
    clock.advance(1)
    assert await keys.key("first")
    assert issuer.fetches == 2


async def test_fifty_first_requests_at_once_make_one_fetch(keys, issuer):
    issuer.answering.clear()
    asking = [asyncio.create_task(keys.key("first")) for _ in range(50)]

    async def asked():
        return issuer.fetches == 1

    await eventually(asked, what="the fetch")
    issuer.answering.set()

    assert all(await asyncio.gather(*asking))
    assert issuer.fetches == 1


@pytest.mark.parametrize(
    ("headers", "fresh_s"),
    [
        ({}, LEAST_FRESH_S),
        ({"Cache-Control": "no-store"}, LEAST_FRESH_S),
        ({"Cache-Control": "max-age=0"}, LEAST_FRESH_S),
        ({"Cache-Control": "max-age=soon"}, LEAST_FRESH_S),
        ({"Cache-Control": "max-age=-5"}, LEAST_FRESH_S),
        ({"Cache-Control": "public,MAX-AGE=7200,no-transform"}, 7200),
        ({"Cache-Control": 'max-age="7200"'}, 7200),
        ({"Cache-Control": "s-maxage=9000, max-age=7200"}, 7200),
        ({"Cache-Control": "max-age=7200", "Age": "1200"}, 6000),
        ({"Cache-Control": "max-age=7200", "Age": "9000"}, LEAST_FRESH_S),
        ({"Cache-Control": "max-age=7200", "Age": "old"}, 7200),
        ({"Cache-Control": "max-age=31536000"}, DAY_S / 2),
        ({"Cache-Control": "max-age=99999999999999999999"}, DAY_S / 2),
    ],
)
async def test_freshness_is_the_issuers_within_bounds(keys, issuer, clock, headers, fresh_s):
    issuer.headers = headers
    await keys.key("first")
    clock.advance(fresh_s - 1)
    await keys.key("first")
    assert issuer.fetches == 1
    clock.advance(1)
    await keys.key("first")
    assert issuer.fetches == 2


async def test_a_new_key_is_found_by_one_fetch(keys, issuer, clock):
    await keys.key("first")
    clock.advance(PAUSE_S)
    issuer.names = ["first", "second"]
    assert all(await asyncio.gather(*(keys.key("second") for _ in range(10))))
    assert issuer.fetches == 2


async def test_a_key_that_the_issuer_took_back_is_gone_when_the_set_is_no_longer_fresh(keys, issuer, clock):
    issuer.names = ["first", "second"]
    assert await keys.key("second")
    issuer.names = ["first"]
    clock.advance(6 * HOUR)
    assert await keys.key("second") is None
    assert await keys.key("first")


async def test_made_up_key_ids_do_not_become_requests_to_the_issuer(keys, issuer, clock):
    for number in range(200):
        assert await keys.key(f"made-up-{number}") is None
    assert issuer.fetches == 1
    clock.advance(PAUSE_S)
    assert not any(await asyncio.gather(*(keys.key(f"more-{number}") for number in range(200))))
    assert issuer.fetches == 2


async def test_a_known_key_is_given_out_while_an_unknown_one_is_looked_for(keys, issuer, clock):
    await keys.key("first")
    clock.advance(PAUSE_S)
    issuer.answering.clear()
    looking = asyncio.create_task(keys.key("made-up"))

    async def looked():
        return issuer.fetches == 2

    await eventually(looked, what="the second fetch")
    assert await keys.key("first")
    assert not looking.done()
    issuer.answering.set()
    assert await looking is None


async def test_a_caller_who_hangs_up_does_not_take_the_fetch_from_the_others(keys, issuer):
    issuer.answering.clear()
    leaving, staying = (asyncio.create_task(keys.key("first")) for _ in range(2))

    async def asked():
        return issuer.fetches == 1

    await eventually(asked, what="the fetch")
    leaving.cancel()
    await asyncio.wait([leaving])
    issuer.answering.set()
    await asyncio.wait([staying])

    assert leaving.cancelled()
    assert not staying.cancelled()
    assert staying.result()
    assert issuer.fetches == 1


async def test_callers_who_hang_up_do_not_make_room_for_more_fetches(keys, issuer):
    await keys.key("first")
    issuer.answering.clear()
    for number in range(20):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await keys.key(f"made-up-{number}")
    assert issuer.fetches == 1


async def test_without_any_keys_nothing_can_be_checked_and_soon_after_it_can(clock, issuer):
    keys = PublicKeys(KeySource(free_address(), DAY_S), clock)
    with pytest.raises(IdentityUnavailable):
        await keys.key("first")
    back = PublicKeys(KeySource(issuer.address, DAY_S), clock)
    issuer.status = 503
    for _ in range(5):
        with pytest.raises(IdentityUnavailable):
            await back.key("first")
    assert issuer.fetches == 1
    issuer.status = 200
    clock.advance(FIRST_PAUSE_S)
    assert await back.key("first")


async def test_through_an_outage_the_last_keys_serve_for_their_time(keys, issuer, clock):
    await keys.key("first")
    issuer.status = 500

    clock.advance(6 * HOUR)
    for _ in range(20):
        assert await keys.key("first")
    assert issuer.fetches == 2
    clock.advance(18 * HOUR - 1)
    assert await keys.key("first")
    assert issuer.fetches == 3
    clock.advance(1)
    with pytest.raises(IdentityUnavailable):
        await keys.key("first")

    issuer.status = 200
    clock.advance(PAUSE_S)
    assert await keys.key("first")


async def test_in_an_outage_an_unknown_key_is_no_forgery_yet(keys, issuer, clock):
    await keys.key("first")
    issuer.status = 500
    clock.advance(PAUSE_S)
    with pytest.raises(IdentityUnavailable):
        await keys.key("second")
    issuer.status = 200
    clock.advance(PAUSE_S)
    assert await keys.key("second") is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"keys": {}}',
        b'{"keys": []}',
        b'{"keys": [7]}',
        b"[" * 50_000,
        json.dumps({"keys": [published("first", n="!")]}).encode(),
        json.dumps({"keys": [published("first", n="AAAA")]}).encode(),
        json.dumps({"keys": [published("first", e="AA")]}).encode(),
        json.dumps({"keys": [{**published("first"), "kid": 7}]}).encode(),
        json.dumps({"keys": [published("first"), published("weak")]}).encode(),
        json.dumps({"keys": [published("first", use="enc")]}).encode(),
        json.dumps({"keys": [published("first", alg="RS512")]}).encode(),
        json.dumps({"keys": [{"kty": "oct", "kid": "first", "use": "sig", "alg": "HS256", "k": "c2VjcmV0"}]}).encode(),
        json.dumps({"first": "-----BEGIN CERTIFICATE-----"}).encode(),
    ],
)
async def test_a_bad_document_is_no_keys_and_does_not_displace_good_ones(keys, issuer, clock, caplog, body):
    issuer.body = body
    with caplog.at_level(logging.WARNING), pytest.raises(IdentityUnavailable):
        await keys.key("first")
    assert issuer.address in caplog.text
    issuer.body = None
    clock.advance(FIRST_PAUSE_S)
    assert await keys.key("first")
    issuer.body = body
    clock.advance(6 * HOUR)
    assert await keys.key("first")
    assert issuer.fetches == 3


async def test_keys_for_other_uses_are_passed_over(keys, issuer):
    elliptic = {"kty": "EC", "kid": "second", "use": "sig", "alg": "ES256", "crv": "P-256", "x": "AA", "y": "AA"}
    issuer.body = json.dumps(
        {"keys": [elliptic, published("first"), published("third", use="enc"), {**published("fourth"), "kid": ""}]}
    ).encode()
    assert await keys.key("first")
    assert [await keys.key(name) for name in ("second", "third", "")] == [None] * 3


async def test_a_private_key_published_by_mistake_is_taken_as_its_public_half(keys, issuer):
    issuer.body = json.dumps({"keys": [{**published("first"), "d": "AQAB", "p": "AQAB"}]}).encode()
    assert not hasattr((await keys.key("first")).key, "private_numbers")


@pytest.mark.parametrize("status", [201, 204, 301, 302, 304, 400, 403, 404, 429, 500, 503])
async def test_only_200_is_an_answer(keys, issuer, status):
    issuer.status = status
    issuer.headers["Location"] = issuer.address
    with pytest.raises(IdentityUnavailable):
        await keys.key("first")


async def test_a_huge_document_is_left_unread(keys, issuer, caplog):
    issuer.endless = True
    with pytest.raises(IdentityUnavailable):
        await keys.key("first")
    assert "more than 65536 bytes" in caplog.text


async def test_an_endpoint_that_does_not_answer_is_given_up(issuer, clock, caplog):
    address = f"{issuer.address}/keys@issuer"  # Firebase's has an @ too
    keys = PublicKeys(KeySource(address, DAY_S), clock, within_s=0.05)
    issuer.answering.clear()
    async with asyncio.timeout(10):
        with pytest.raises(IdentityUnavailable):
            await keys.key("first")
    assert f"public keys: {address}: no answer (TimeoutError)" in TextFormatter().format(caplog.records[-1])


async def test_an_address_that_leads_nowhere_is_no_crash(subtests):
    for address in ("http://127.0.0.1:1/", "http://[::1", "ftp://127.0.0.1/", "nowhere"):
        with subtests.test(address=address):
            clock = SettableClock()
            with pytest.raises(IdentityUnavailable):
                await PublicKeys(KeySource(address, DAY_S), clock).key("first")
