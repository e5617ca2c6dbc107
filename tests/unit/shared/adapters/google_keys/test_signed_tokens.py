import base64
import hashlib
import hmac
import json

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.signed_tokens import MAX_TOKEN, verified
from shared.adapters.google_keys.sources import DAY_S, KeySource
from shared.domain.errors import IdentityUnavailable, Unauthenticated
from tests.fakes.settable_clock import SettableClock
from tests.support.issuer import free_address, private_key, signed

CLAIMS = {"sub": "user-1"}


@pytest.fixture
def keys(issuer):
    return PublicKeys(KeySource(issuer.address, DAY_S), SettableClock())


def part(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def hmac_signed(secret, **header):
    """A token whose HS256 secret is something public."""
    head = f"{part({'alg': 'HS256', 'kid': 'first', **header})}.{part(CLAIMS)}"
    return f"{head}.{part(hmac.new(secret, head.encode(), hashlib.sha256).digest())}"


def rsa_signed(algorithm):
    return jwt.encode(CLAIMS, private_key("first"), algorithm=algorithm, headers={"kid": "first"})


def tampered():
    """Another payload under a good signature."""
    header, _, signature = signed(CLAIMS, "first").split(".")
    return f"{header}.{part({'sub': 'user-2'})}.{signature}"


def forged():
    public = private_key("first").public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    header, payload, signature = signed(CLAIMS, "first").split(".")
    flipped = ("B" if signature[0] == "A" else "A") + signature[1:]
    return {
        "alg none": f"{part({'alg': 'none', 'kid': 'first'})}.{payload}.",
        "alg none under a good signature": f"{part({'alg': 'none', 'kid': 'first'})}.{payload}.{signature}",
        "alg in other letters": f"{part({'alg': 'rs256', 'kid': 'first'})}.{payload}.{signature}",
        "alg missing": f"{part({'kid': 'first'})}.{payload}.{signature}",
        "alg as a list": f"{part({'alg': ['RS256'], 'kid': 'first'})}.{payload}.{signature}",
        "HS256 with the public key as PEM": hmac_signed(pem),
        "HS256 with the public key as DER": hmac_signed(
            public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        ),
        "HS256 that says RS256": hmac_signed(pem, alg="RS256"),
        "RS512": rsa_signed("RS512"),
        "PS256": rsa_signed("PS256"),
        "another key with the same id": signed(CLAIMS, "forger", "first"),
        "a key that nobody publishes": signed(CLAIMS, "forger"),
        "kid missing": jwt.encode(CLAIMS, private_key("first"), algorithm="RS256"),
        "kid as a number": f"{part({'alg': 'RS256', 'kid': 7})}.{payload}.{signature}",
        "kid as a path": signed(CLAIMS, "first", "../first"),
        "a key in the token": signed(CLAIMS, "forger", "first", jwk={"kty": "RSA", "n": "AQAB", "e": "AQAB"}),
        "another payload": tampered(),
        "another signature": f"{header}.{payload}.{flipped}",
        "no signature": f"{header}.{payload}.",
        "signature left out": f"{header}.{payload}",
        "one part more": f"{header}.{payload}.{signature}.{signature}",
        "an unknown critical extension": signed(CLAIMS, "first", crit=["exp"], exp=1),
        "a detached payload": f"{part({'alg': 'RS256', 'kid': 'first', 'b64': False, 'crit': ['b64']})}..{signature}",
        "a payload that is a list": jwt.PyJWS().encode(
            b"[1]", private_key("first"), algorithm="RS256", headers={"kid": "first"}
        ),
        "a payload that is no JSON": jwt.PyJWS().encode(
            b"{", private_key("first"), algorithm="RS256", headers={"kid": "first"}
        ),
        "a payload that is nested too deeply": jwt.PyJWS().encode(
            b"[" * 4000, private_key("first"), algorithm="RS256", headers={"kid": "first"}
        ),
        "too long": signed({**CLAIMS, "pad": "x" * MAX_TOKEN}, "first"),
        "a header that is nested too deeply": f"{part(b'[' * 4000)}.{payload}.{signature}",
        "white space inside": f"{header}. {payload}.{signature}",
        "letters of other alphabets": f"{header}.{payload}.{signature[:-1]}é",
        "a lone surrogate": f"{header}.{payload}.\ud800",
        "nothing": "",
        "dots": "..",
    }


async def test_a_token_of_a_published_key_is_read(keys):
    token = await verified(signed(CLAIMS, "first"), keys)
    assert (token.claims, token.header["typ"]) == (CLAIMS, "JWT")


async def test_a_forged_token_is_refused_and_not_quoted(keys, subtests):
    for case in sorted(forged()):
        with subtests.test(case=case):
            token = forged()[case]
            with pytest.raises(Unauthenticated) as caught:
                await verified(token, keys)
            assert caught.value.reason
            assert len(token) < 10 or not any(piece in str(caught.value) for piece in token.split(".") if piece)


async def test_what_is_plainly_no_token_of_the_issuer_costs_no_fetch(keys, issuer):
    for token in ("", "a.b.c", "x" * (MAX_TOKEN + 1), f"{part({'alg': 'none', 'kid': 'first'})}.{part(CLAIMS)}."):
        with pytest.raises(Unauthenticated):
            await verified(token, keys)
    assert issuer.fetches == 0


async def test_without_keys_a_good_token_is_neither_taken_nor_refused():
    keys = PublicKeys(KeySource(free_address(), DAY_S), SettableClock())
    with pytest.raises(IdentityUnavailable):
        await verified(signed(CLAIMS, "first"), keys)


async def test_what_the_claims_say_is_not_judged_here(keys):
    claims = {"exp": 1, "nbf": 10**12, "iat": "never", "aud": 7, "sub": ["a"], "jti": 5}
    assert (await verified(signed(claims, "first"), keys)).claims == claims


segments = st.binary(max_size=60).map(part) | st.text(max_size=20)
headers = st.fixed_dictionaries(
    {"alg": st.sampled_from(["RS256", "none", "HS256"]) | st.text(max_size=5), "kid": st.just("first") | st.text()},
    optional={"typ": st.text(max_size=4), "crit": st.lists(st.text(max_size=4)), "b64": st.booleans()},
).map(part)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text() | st.tuples(headers | segments, segments, segments).map(".".join))
async def test_no_made_up_token_passes_or_surprises(keys, token):
    with pytest.raises(Unauthenticated):
        await verified(token, keys)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
async def test_no_token_passes_with_one_character_changed(keys, data):
    token = signed(CLAIMS, "first")
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters(exclude_characters=token[place]))
    with pytest.raises(Unauthenticated):
        await verified(f"{token[:place]}{other}{token[place + 1 :]}", keys)
