import logging

import pytest

from shared.adapters.app_check.firebase import FirebaseAppCheck
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.sources import APP_CHECK_TOKENS
from shared.domain.errors import AppCheckFailed, IdentityUnavailable
from shared.observability.formats import TextFormatter
from tests.fakes.settable_clock import SettableClock
from tests.support.issuer import free_address, signed

CLOCK = SettableClock()
T = int(CLOCK.now().timestamp())
WEB = "1:123456789:web:0af3"
CLAIMS = {
    "iss": "https://firebaseappcheck.googleapis.com/123456789",
    "aud": ["projects/123456789", "projects/cbot-demo"],
    "sub": WEB,
    "iat": T,
    "exp": T + 3600,
    "jti": "x",
}


def app_check(address, *app_ids):
    return FirebaseAppCheck("123456789", PublicKeys(APP_CHECK_TOKENS.at(address), CLOCK), CLOCK, app_ids)


async def test_an_app_of_the_project_may_call(issuer):
    await app_check(issuer.address).verify(signed(CLAIMS, "first"))


async def test_a_call_without_a_token_is_refused(issuer, subtests):
    for token in (None, "", " ", "a.b.c", "é", "\ud800", "x" * 10_000):
        with subtests.test(token=token), pytest.raises(AppCheckFailed):
            await app_check(issuer.address).verify(token)


async def test_a_wrong_claim_is_refused(issuer, subtests):
    cases = [
        ("iss", "https://firebaseappcheck.googleapis.com/987654321"),
        ("iss", "https://firebaseappcheck.googleapis.com/"), ("iss", "https://securetoken.google.com/cbot-demo"),
        ("iss", None), ("aud", "projects/123456789"), ("aud", ["projects/987654321"]), ("aud", ["123456789"]),
        ("aud", []), ("aud", {"projects/123456789": 1}), ("aud", None), ("sub", ""), ("sub", 7), ("sub", None),
        ("exp", T), ("exp", T - 1), ("exp", None), ("iat", T + 61),
    ]  # fmt: skip
    for claim, value in cases:
        with subtests.test(claim=claim, value=value), pytest.raises(AppCheckFailed):
            await app_check(issuer.address).verify(signed({**CLAIMS, claim: value}, "first"))


async def test_a_token_of_another_type_is_refused(issuer, subtests):
    for typ in ("at+jwt", "jwt", ""):
        with subtests.test(typ=typ), pytest.raises(AppCheckFailed):
            await app_check(issuer.address).verify(signed(CLAIMS, "first", typ=typ))


async def test_a_forged_token_is_refused_with_its_reason_logged_and_nothing_of_it(issuer, caplog):
    token = signed(CLAIMS, "forger", "first")
    with caplog.at_level(logging.INFO), pytest.raises(AppCheckFailed):
        await app_check(issuer.address).verify(token)
    assert (
        TextFormatter()
        .format(caplog.records[-1])
        .endswith("App Check token refused: not authenticated: the signature does not hold")
    )
    assert not any(piece in caplog.text for piece in token.split("."))


async def test_of_named_apps_only_those_may_call(issuer):
    await app_check(issuer.address, "1:123456789:ios:77", WEB).verify(signed(CLAIMS, "first"))
    with pytest.raises(AppCheckFailed, match="not one of the apps"):
        await app_check(issuer.address, "1:123456789:ios:77").verify(signed(CLAIMS, "first"))


async def test_without_the_keys_no_app_is_refused_and_none_let_in():
    with pytest.raises(IdentityUnavailable):
        await app_check(free_address()).verify(signed(CLAIMS, "first"))


async def test_its_keys_are_kept_no_longer_than_firebase_allows(issuer):
    clock = SettableClock()
    issuer.headers = {"Cache-Control": "max-age=86400"}
    keys = PublicKeys(APP_CHECK_TOKENS.at(issuer.address), clock)
    await keys.key("first")
    issuer.status = 500
    clock.advance(6 * 3600 - 1)
    assert await keys.key("first")
    clock.advance(1)
    with pytest.raises(IdentityUnavailable):
        await keys.key("first")
