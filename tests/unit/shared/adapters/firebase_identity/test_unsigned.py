import base64
import json
from datetime import UTC, datetime

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.firebase_identity.unsigned import UnsignedIdentity
from shared.domain.errors import ConfigError, Unauthenticated

NOW = datetime(2026, 11, 1, tzinfo=UTC)
T = int(NOW.timestamp())
CLAIMS = {
    "iss": "https://securetoken.google.com/cbot",
    "aud": "cbot",
    "sub": "user-1",
    "iat": T,
    "exp": T + 60,
    "auth_time": T,
}


class FixedClock:
    def now(self):
        return NOW


IDENTITY = UnsignedIdentity("cbot", FixedClock(), {})


def part(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


async def test_an_unsigned_token_names_its_caller():
    assert (await IDENTITY.verify(jwt.encode(CLAIMS, None, algorithm="none"))).user_id == "user-1"


async def test_an_unsigned_token_may_bear_a_role():
    token = jwt.encode({**CLAIMS, "role": "reviewer"}, None, algorithm="none")
    assert (await IDENTITY.verify(token)).role == "reviewer"


async def test_every_other_token_is_refused(subtests):
    cases = [
        "", "..", "a.b.c", "a.b.c.d", "é.é.é", jwt.encode(CLAIMS, "k" * 32, algorithm="HS256"),
        f"{part({'alg': 'HS256'})}.{part(CLAIMS)}.",
        f"{part({'alg': 'none'})}.{part(CLAIMS)}.{part(b'signature')}", f"{part({'alg': None})}.{part(CLAIMS)}.",
        f"{part({'alg': ['none']})}.{part(CLAIMS)}.", f"{part({})}.{part(CLAIMS)}.", f"{part([])}.{part(CLAIMS)}.",
        f"{part({'alg': 'none'})}.{part([1])}.", f"{part({'alg': 'none'})}.{part(b'not json')}.",
        f"{part({'alg': 'none'})}.{part(b'[' * 4000)}.", f"{part({'alg': 'none'})}.{part(b'9' * 5000)}.",
        f"{part({'alg': 'none'})}.{part(b'{' + b'9' * 5000)}.",
        f"{part({'alg': 'none'})}.{part(bytes([0xFF, 0xFE]))}.", f"{part({'alg': 'none', 'b64': False})}..",
        f"{part({'alg': 'none', 'kid': 1})}.{part(CLAIMS)}.",
        f"{part({'alg': 'none'})}.{part({**CLAIMS, 'pad': 'x' * 8192})}.",
    ]  # fmt: skip
    for token in cases:
        with subtests.test(token=token):
            with pytest.raises(Unauthenticated) as caught:
                await IDENTITY.verify(token)
            if len(token) > 10:
                assert token not in str(caught.value)


async def test_an_expired_token_is_refused():
    with pytest.raises(Unauthenticated):
        await IDENTITY.verify(jwt.encode({**CLAIMS, "exp": T}, None, algorithm="none"))


async def test_a_token_that_never_expires_is_refused(subtests):
    for exp in ("Infinity", "1e999", "1" + "0" * 30, "NaN"):
        with subtests.test(exp=exp):
            payload = json.dumps({**CLAIMS, "exp": "?"}).replace('"?"', exp).encode()
            with pytest.raises(Unauthenticated):
                await IDENTITY.verify(f"{part({'alg': 'none'})}.{part(payload)}.")


segments = st.binary(max_size=60).map(part) | st.text(max_size=20)


@given(
    st.text()
    | st.tuples(segments, segments, segments).map(".".join)
    | st.binary().map(lambda raw: f"{part({'alg': 'none'})}.{part(raw)}.")
)
async def test_no_token_is_a_surprise(token):
    with pytest.raises(Unauthenticated):
        await IDENTITY.verify(token)


def test_it_cannot_be_switched_on_in_the_cloud(subtests):
    for value in ("chat", ""):
        with subtests.test(value=value), pytest.raises(ConfigError):
            UnsignedIdentity("cbot", FixedClock(), {"K_SERVICE": value})
