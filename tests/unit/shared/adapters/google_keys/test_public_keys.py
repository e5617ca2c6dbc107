"""The keys of an issuer: fetched seldom, kept as long as they hold, through slowness, outages and nonsense."""

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
    async def test_happens_once_for_as_long_as_the_issuer_says_within_bounds(
        self, keys, issuer, clock, headers, fresh_s
    ):
        issuer.headers = headers
        assert (await keys.key("first")).key.key_size == 2048
        clock.advance(fresh_s - 1)
        assert await keys.key("first")
        assert issuer.fetches == 1
        clock.advance(1)
        assert await keys.key("first")
        assert issuer.fetches == 2

    async def test_happens_once_for_fifty_first_requests_of_which_one_hangs_up(self, keys, issuer):
        issuer.answering.clear()
        leaving, *staying = (asyncio.create_task(keys.key("first")) for _ in range(50))
        await until(lambda: issuer.fetches == 1)
        leaving.cancel()
        await asyncio.wait([leaving])
        issuer.answering.set()
        assert all(await asyncio.gather(*staying))
        assert (leaving.cancelled(), issuer.fetches) == (True, 1)

    async def test_finds_a_new_key_at_once_and_forgets_one_that_was_taken_back_when_the_set_is_no_longer_fresh(
        self, keys, issuer, clock
    ):
        await keys.key("first")
        clock.advance(PAUSE_S)
        issuer.names = ["first", "second"]
        assert all(await asyncio.gather(*(keys.key("second") for _ in range(10))))
        assert issuer.fetches == 2
        issuer.names = ["first"]
        clock.advance(6 * HOUR)
        assert await keys.key("second") is None
        assert await keys.key("first")

    async def test_does_not_follow_made_up_key_ids_however_many_come_or_hang_up(self, keys, issuer, clock):
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
    async def test_without_any_keys_nothing_can_be_checked_and_soon_after_it_can(self, keys, issuer, clock):
        issuer.status = 503
        for _ in range(5):
            with pytest.raises(IdentityUnavailable):
                await keys.key("first")
        assert issuer.fetches == 1
        issuer.status = 200
        clock.advance(FIRST_PAUSE_S)
        assert await keys.key("first")

    async def test_the_last_keys_serve_for_their_time(self, keys, issuer, clock):
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

    async def test_an_unknown_key_is_no_forgery_yet(self, keys, issuer, clock):
        await keys.key("first")
        issuer.status = 500
        clock.advance(PAUSE_S)
        with pytest.raises(IdentityUnavailable):
            await keys.key("second")
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
    async def test_that_are_bad_are_no_keys_and_do_not_displace_good_ones(self, keys, issuer, clock, caplog, body):
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

    async def test_are_read_for_keys_of_our_use_and_their_public_half_alone(self, keys, issuer):
        elliptic = {"kty": "EC", "kid": "second", "use": "sig", "alg": "ES256", "crv": "P-256", "x": "AA", "y": "AA"}
        by_mistake = {**published("first"), "d": "AQAB", "p": "AQAB"}
        others = [elliptic, published("third", use="enc"), {**published("fourth"), "kid": ""}]
        issuer.body = document(by_mistake, *others)
        assert not hasattr((await keys.key("first")).key, "private_numbers")
        assert [await keys.key(name) for name in ("second", "third", "")] == [None] * 3

    @pytest.mark.parametrize("status", [204, 302, 404, 503])
    async def test_come_with_200_alone(self, keys, issuer, status):
        issuer.status = status
        issuer.headers["Location"] = issuer.address
        with pytest.raises(IdentityUnavailable):
            await keys.key("first")

    async def test_that_are_huge_are_left_unread(self, keys, issuer, caplog):
        issuer.endless = True
        with pytest.raises(IdentityUnavailable):
            await keys.key("first")
        assert "more than 65536 bytes" in caplog.text


async def test_an_endpoint_that_does_not_answer_is_given_up(issuer, clock, caplog):
    address = f"{issuer.address}/keys@issuer"  # Firebase's has an @ too
    issuer.answering.clear()
    async with asyncio.timeout(10):
        with pytest.raises(IdentityUnavailable):
            await PublicKeys(KeySource(address, DAY_S), clock, within_s=0.05).key("first")
    assert f"public keys: {address}: no answer (TimeoutError)" in TextFormatter().format(caplog.records[-1])
