import stat
from concurrent.futures import ThreadPoolExecutor

import jwt
import pytest

from local.emulators.signing import OidcSigner
from shared.adapters.system_clock import SystemClock

EMAIL = "tasks@p.iam.gserviceaccount.test"


@pytest.fixture(scope="module")
def signer():
    return OidcSigner.generated(SystemClock())


def verified(token, jwks, audience="https://planner"):
    keys = {key.key_id: key for key in jwt.PyJWKSet.from_dict(jwks).keys}
    header = jwt.get_unverified_header(token)
    assert header["alg"] == "RS256"
    return jwt.decode(token, keys[header["kid"]], algorithms=["RS256"], audience=audience)


def test_a_token_says_what_googles_say_and_holds_for_an_hour(signer):
    claims = verified(signer.token("https://planner", EMAIL), signer.jwks())
    assert claims["iss"] == "https://accounts.google.com"
    assert (claims["email"], claims["email_verified"]) == (EMAIL, True)
    assert claims["exp"] - claims["iat"] == 3600
    assert claims["sub"].isdigit()
    assert len(claims["sub"]) == 21
    # nothing private is published
    (key,) = signer.jwks()["keys"]
    assert set(key) == {"kty", "n", "e", "use", "alg", "kid"}


def test_a_kept_key_is_the_same_after_a_restart_and_readable_by_its_owner_only(tmp_path):
    file = tmp_path / "keys" / "oidc.pem"
    first = OidcSigner.kept_in(file, SystemClock())
    token = first.token("https://planner", EMAIL)
    again = OidcSigner.kept_in(file, SystemClock())
    assert verified(token, again.jwks())["email"] == EMAIL
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["oidc.pem"]


def test_two_that_make_a_key_at_once_have_the_same(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: OidcSigner.kept_in(tmp_path / "oidc.pem", SystemClock()), range(4)))
    assert len({signer.jwks()["keys"][0]["n"] for signer in made}) == 1
