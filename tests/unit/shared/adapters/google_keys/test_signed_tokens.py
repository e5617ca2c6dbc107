"""Tokens signed with a published key: signatures and lifetimes."""

import hashlib
import hmac

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.adapters.google_keys.lifetime import require_current
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.signed_tokens import MAX_TOKEN, verified
from shared.adapters.google_keys.sources import DAY_S, KeySource
from shared.domain.errors import IdentityUnavailable, Unauthenticated
from tests.builders.tokens import part
from tests.fakes.settable_clock import SettableClock
from tests.support.issuer import free_address, private_key, signed

CLAIMS = {"sub": "user-1"}
NOW = SettableClock().now()
T = int(NOW.timestamp())


@pytest.fixture
def keys(issuer):
    return PublicKeys(KeySource(issuer.address, DAY_S), SettableClock())


def hmac_signed(encoding, **header):
    """Return a token whose HS256 secret is the public key."""
    secret = private_key("first").public_key().public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo)
    head = f"{part({'alg': 'HS256', 'kid': 'first', **header})}.{part(CLAIMS)}"
    return f"{head}.{part(hmac.new(secret, head.encode(), hashlib.sha256).digest())}"


def well_signed(payload, algorithm="RS256"):
    return jwt.PyJWS().encode(payload, private_key("first"), algorithm=algorithm, headers={"kid": "first"})


def forged():
    header, payload, signature = signed(CLAIMS, "first").split(".")
    flipped = ("B" if signature[0] == "A" else "A") + signature[1:]
    detached = {"alg": "RS256", "kid": "first", "b64": False, "crit": ["b64"]}
    headers = {
        "alg none under a good signature": {"alg": "none", "kid": "first"},
        "alg in other letters": {"alg": "rs256", "kid": "first"},
        "alg missing": {"kid": "first"},
        "alg as a list": {"alg": ["RS256"], "kid": "first"},
        "kid as a number": {"alg": "RS256", "kid": 7},
        "a header that is nested too deeply": b"[" * 4000,
    }
    return {name: f"{part(value)}.{payload}.{signature}" for name, value in headers.items()} | {
        "alg none": f"{part({'alg': 'none', 'kid': 'first'})}.{payload}.",
        "HS256 with the public key as PEM": hmac_signed(Encoding.PEM),
        "HS256 with the public key as DER": hmac_signed(Encoding.DER),
        "HS256 that says RS256": hmac_signed(Encoding.PEM, alg="RS256"),
        "RS512": well_signed(b"{}", "RS512"),
        "PS256": well_signed(b"{}", "PS256"),
        "another key with the same id": signed(CLAIMS, "forger", "first"),
        "a key that is not published": signed(CLAIMS, "forger"),
        "kid missing": jwt.encode(CLAIMS, private_key("first"), algorithm="RS256"),
        "kid as a path": signed(CLAIMS, "first", "../first"),
        "a key in the token": signed(CLAIMS, "forger", "first", jwk={"kty": "RSA", "n": "AQAB", "e": "AQAB"}),
        "another payload": f"{header}.{part({'sub': 'user-2'})}.{signature}",
        "another signature": f"{header}.{payload}.{flipped}",
        "no signature": f"{header}.{payload}.",
        "signature left out": f"{header}.{payload}",
        "one part more": f"{header}.{payload}.{signature}.{signature}",
        "an unknown critical extension": signed(CLAIMS, "first", crit=["exp"], exp=1),
        "a detached payload": f"{part(detached)}..{signature}",
        "a payload that is a list": well_signed(b"[1]"),
        "a payload that is no JSON": well_signed(b"{"),
        "a payload that is nested too deeply": well_signed(b"[" * 4000),
        "too long": signed({**CLAIMS, "pad": "x" * MAX_TOKEN}, "first"),
        "white space inside": f"{header}. {payload}.{signature}",
        "letters of other alphabets": f"{header}.{payload}.{signature[:-1]}é",
        "a lone surrogate": f"{header}.{payload}.\ud800",
        "nothing": "",
        "dots": "..",
    }


async def test_a_token_of_a_published_key_is_decoded_without_judging_its_claims(keys):
    claims = {"exp": 1, "nbf": 10**12, "iat": "never", "aud": 7, "sub": ["a"], "jti": 5}
    token = await verified(signed(claims, "first"), keys)
    assert (token.claims, token.header["typ"]) == (claims, "JWT")


async def test_a_forged_token_is_refused_and_not_quoted(keys, subtests):
    for case, token in forged().items():
        with subtests.test(case=case):
            with pytest.raises(Unauthenticated) as caught:
                await verified(token, keys)
            assert caught.value.reason
            assert len(token) < 10 or not any(piece in str(caught.value) for piece in token.split(".") if piece)


async def test_without_keys_a_good_token_raises_identity_unavailable():
    with pytest.raises(IdentityUnavailable):
        await verified(signed(CLAIMS, "first"), PublicKeys(KeySource(free_address(), DAY_S), SettableClock()))


segments = st.binary(max_size=60).map(part) | st.text(max_size=20)
headers = st.fixed_dictionaries(
    {"alg": st.sampled_from(["RS256", "none", "HS256"]) | st.text(max_size=5), "kid": st.just("first") | st.text()},
    optional={"typ": st.text(max_size=4), "crit": st.lists(st.text(max_size=4)), "b64": st.booleans()},
).map(part)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text() | st.tuples(headers | segments, segments, segments).map(".".join), st.data())
async def test_a_random_token_and_a_good_token_with_one_changed_character_are_refused(keys, token, data):
    with pytest.raises(Unauthenticated):
        await verified(token, keys)
    good = signed(CLAIMS, "first")
    place = data.draw(st.integers(0, len(good) - 1))
    other = data.draw(st.characters(exclude_characters=good[place]))
    with pytest.raises(Unauthenticated):
        await verified(f"{good[:place]}{other}{good[place + 1 :]}", keys)


def test_a_token_is_valid_from_a_minute_before_iat_to_the_second_before_exp(subtests):
    good = {"iat": T - 10, "exp": T + 3600}
    for changes in ({}, {"exp": T + 1}, {"iat": T + 60}, {"nbf": T}, {"nbf": T + 60}):
        require_current({**good, **changes}, NOW)
    wrong = [("exp", value) for value in (T, T - 1, None, True, f"{T + 60}", T + 60.0, float("inf"))]
    for claim, value in (*wrong, ("iat", T + 61), ("iat", None), ("nbf", T + 61), ("nbf", None)):
        with subtests.test(claim=claim, value=value), pytest.raises(Unauthenticated):
            require_current({**good, claim: value}, NOW)
    for claim in good:
        with subtests.test(missing=claim), pytest.raises(Unauthenticated):
            require_current({name: value for name, value in good.items() if name != claim}, NOW)
