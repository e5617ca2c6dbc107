import logging

import pytest

from shared.adapters.firebase_identity.signed import FirebaseIdentity
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.sources import FIREBASE_TOKENS
from shared.domain.errors import IdentityUnavailable, Unauthenticated
from shared.observability.formats import TextFormatter
from tests.fakes.settable_clock import SettableClock
from tests.support.issuer import free_address, signed

CLOCK = SettableClock()
T = int(CLOCK.now().timestamp())
CLAIMS = {
    "iss": "https://securetoken.google.com/cbot-demo",
    "aud": "cbot-demo",
    "sub": "user-1",
    "iat": T - 10,
    "exp": T + 3590,
    "auth_time": T - 500,
    "firebase": {"sign_in_provider": "anonymous", "identities": {}},
}


@pytest.fixture
def identity(issuer):
    return FirebaseIdentity("cbot-demo", PublicKeys(FIREBASE_TOKENS.at(issuer.address), CLOCK), CLOCK)


async def test_a_token_that_firebase_signed_names_its_caller(identity):
    assert (await identity.verify(signed(CLAIMS, "first"))).user_id == "user-1"


async def test_a_role_counts_only_under_firebases_signature(identity):
    genuine = signed({**CLAIMS, "role": "reviewer"}, "first")
    head, _, tail = signed(CLAIMS, "first").split(".")
    assert (await identity.verify(genuine)).role == "reviewer"
    with pytest.raises(Unauthenticated):
        await identity.verify(f"{head}.{genuine.split('.')[1]}.{tail}")


async def test_a_well_signed_token_with_a_wrong_claim_is_refused(identity, subtests):
    cases = [
        ("iss", "https://securetoken.google.com/other-demo"), ("iss", "https://accounts.google.com"),
        ("iss", None), ("aud", "other-demo"), ("aud", ["cbot-demo"]), ("exp", T), ("exp", T - 1), ("exp", None),
        ("iat", T + 61), ("iat", None), ("auth_time", T + 61), ("auth_time", None), ("sub", ""), ("sub", None),
        ("sub", "a/b"), ("sub", "x" * 129),
    ]  # fmt: skip
    for claim, value in cases:
        with subtests.test(claim=claim, value=value), pytest.raises(Unauthenticated):
            await identity.verify(signed({**CLAIMS, claim: value}, "first"))


@pytest.mark.parametrize("claim", ["iat", "auth_time"])
async def test_a_clock_a_minute_ahead_is_forgiven(identity, claim):
    assert await identity.verify(signed({**CLAIMS, claim: T + 60}, "first"))


async def test_good_claims_do_not_make_up_for_a_forged_signature(identity):
    with pytest.raises(Unauthenticated, match="signature"):
        await identity.verify(signed(CLAIMS, "forger", "first"))


async def test_a_refusal_is_logged_with_its_reason_and_without_the_token(identity, caplog):
    token = signed({**CLAIMS, "exp": T - 1}, "first")
    with caplog.at_level(logging.INFO), pytest.raises(Unauthenticated):
        await identity.verify(token)
    assert TextFormatter().format(caplog.records[-1]).endswith("ID token refused: not authenticated: expired")
    assert not any(piece in caplog.text for piece in (*token.split("."), "user-1"))


async def test_without_firebases_keys_nobody_is_refused_and_nobody_let_in():
    identity = FirebaseIdentity("cbot-demo", PublicKeys(FIREBASE_TOKENS.at(free_address()), CLOCK), CLOCK)
    with pytest.raises(IdentityUnavailable):
        await identity.verify(signed(CLAIMS, "first"))
