"""The public keys of an issuer: caching, outages and malformed documents."""

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
from tests.support.issuer import published
from tests.support.polling import until

HOUR = 3600.0


@pytest.fixture
def clock():
    return SettableClock()


@pytest.fixture
def keys(issuer, clock):
    return PublicKeys(KeySource(issuer.address, DAY_S), clock, within_s=2)


def document(*entries):
    return json.dumps({"keys": entries}).encode()


async def is_unavailable(keys, name="first"):
    with pytest.raises(IdentityUnavailable):
        await keys.key(name)
    return True


class TestFetching:
    @pytest.mark.parametrize(
        ("headers", "fresh_s"),
        [
            ({}, LEAST_FRESH_S),
            ({"Cache-Control": "s-maxage=9000, MAX-AGE=7200", "Age": "1200"}, 6000),
            ({"Cache-Control": "max-age=7200", "Age": "9000"}, LEAST_FRESH_S),
            ({"Cache-Control": "max-age=31536000", "Age": "old"}, DAY_S / 2),
        ],
    )
    async def test_happens_once_within_the_issuers_max_age_and_our_bounds(self, keys, issuer, clock, headers, fresh_s):
        issuer.headers = headers
        assert (await keys.key("first")).key.key_size == 2048
        for seconds, fetches in ((fresh_s - 1, 1), (1, 2)):
            clock.advance(seconds)
            assert await keys.key("first")
            assert issuer.fetches == fetches

    async def test_happens_once_for_fifty_concurrent_requests_of_which_one_is_cancelled(self, keys, issuer):
        issuer.answering.clear()
        leaving, *staying = (asyncio.create_task(keys.key("first")) for _ in range(50))
        await until(lambda: issuer.fetches == 1)
        leaving.cancel()
        await asyncio.wait([leaving])
        issuer.answering.set()
        assert all(await asyncio.gather(*staying))
        assert (leaving.cancelled(), issuer.fetches) == (True, 1)

    async def test_finds_a_new_key_at_once_and_drops_a_withdrawn_key_when_the_set_expires(self, keys, issuer, clock):
        await keys.key("first")
        clock.advance(PAUSE_S)
        issuer.names = ["first", "second"]
        assert all(await asyncio.gather(*(keys.key("second") for _ in range(10))))
        assert issuer.fetches == 2
        issuer.names = ["first"]
        clock.advance(6 * HOUR)
        assert await keys.key("second") is None
        assert await keys.key("first")

    async def test_is_rate_limited_for_unknown_key_ids_even_if_their_requests_are_cancelled(self, keys, issuer, clock):
        for number in range(200):
            assert await keys.key(f"made-up-{number}") is None
        assert issuer.fetches == 1
        clock.advance(PAUSE_S)
        assert not any(await asyncio.gather(*(keys.key(f"more-{number}") for number in range(200))))
        assert issuer.fetches == 2
        clock.advance(PAUSE_S)
        issuer.answering.clear()
        for number in range(20):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.01):
                    await keys.key(f"gone-{number}")
        assert issuer.fetches == 3


class TestOutages:
    async def test_without_any_keys_raise_identity_unavailable_until_a_fetch_succeeds(self, keys, issuer, clock):
        issuer.status = 503
        for _ in range(5):
            assert await is_unavailable(keys)
        assert issuer.fetches == 1
        issuer.status = 200
        clock.advance(FIRST_PAUSE_S)
        assert await keys.key("first")

    async def test_the_last_keys_are_used_for_a_day(self, keys, issuer, clock):
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
        assert await is_unavailable(keys)
        issuer.status = 200
        clock.advance(PAUSE_S)
        assert await keys.key("first")

    async def test_an_unknown_key_raises_identity_unavailable_until_a_fetch_succeeds(self, keys, issuer, clock):
        await keys.key("first")
        issuer.status = 500
        clock.advance(PAUSE_S)
        assert await is_unavailable(keys, "second")
        issuer.status = 200
        clock.advance(PAUSE_S)
        assert await keys.key("second") is None


class TestDocuments:
    @pytest.mark.parametrize(
        "body",
        [
            b"\xff\xfe", b"[]", b'{"keys": []}', b"[" * 50_000, document(published("first", n="!")),
            document({**published("first"), "kid": 7}), document(published("first"), published("weak")),
            document(published("first", use="enc")), document(published("first", alg="RS512")),
            document({"kty": "oct", "kid": "first", "use": "sig", "alg": "HS256", "k": "c2VjcmV0"}),
        ],
    )  # fmt: skip
    async def test_that_are_malformed_are_rejected_and_do_not_replace_good_keys(
        self, keys, issuer, clock, caplog, body
    ):
        issuer.body = body
        with caplog.at_level(logging.WARNING):
            assert await is_unavailable(keys)
        assert issuer.address in caplog.text
        issuer.body = None
        clock.advance(FIRST_PAUSE_S)
        assert await keys.key("first")
        issuer.body = body
        clock.advance(6 * HOUR)
        assert await keys.key("first")
        assert issuer.fetches == 3

    async def test_give_only_rs256_signing_keys_and_their_public_half(self, keys, issuer):
        elliptic = {"kty": "EC", "kid": "second", "use": "sig", "alg": "ES256", "crv": "P-256", "x": "AA", "y": "AA"}
        by_mistake = {**published("first"), "d": "AQAB", "p": "AQAB"}
        others = [elliptic, published("third", use="enc"), {**published("fourth"), "kid": ""}]
        issuer.body = document(by_mistake, *others)
        assert not hasattr((await keys.key("first")).key, "private_numbers")
        assert [await keys.key(name) for name in ("second", "third", "")] == [None] * 3

    @pytest.mark.parametrize("status", [204, 302, 404, 503])
    async def test_with_a_status_other_than_200_are_rejected(self, keys, issuer, status):
        issuer.status = status
        issuer.headers["Location"] = issuer.address
        assert await is_unavailable(keys)

    async def test_over_65536_bytes_are_rejected(self, keys, issuer, caplog):
        issuer.endless = True
        assert await is_unavailable(keys)
        assert "more than 65536 bytes" in caplog.text


async def test_an_endpoint_that_does_not_answer_times_out(issuer, clock, caplog):
    address = f"{issuer.address}/keys@issuer"  # Firebase's has an @ too
    issuer.answering.clear()
    async with asyncio.timeout(10):
        assert await is_unavailable(PublicKeys(KeySource(address, DAY_S), clock, within_s=0.05))
    assert f"public keys: {address}: no answer (TimeoutError)" in TextFormatter().format(caplog.records[-1])
