import stat
import threading

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from starlette.applications import Starlette
from starlette.testclient import TestClient

from local.emulators.signing import OidcSigner, certs_route
from shared.adapters.system_clock import SystemClock
from shared.domain.errors import ConfigError
from tests.fakes.settable_clock import SettableClock

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


def test_an_account_has_one_subject_and_another_account_another(signer):
    def subject(email):
        return verified(signer.token("https://planner", email), signer.jwks())["sub"]

    assert subject(EMAIL) == subject(EMAIL) != subject("other@p.test")


def test_a_token_is_for_its_audience_only(signer):
    with pytest.raises(jwt.InvalidAudienceError):
        verified(signer.token("https://planner", EMAIL), signer.jwks(), audience="https://supervisor")


def test_the_clock_says_when_a_token_is_issued(signer):
    clock = SettableClock()
    late = OidcSigner(signer._key, clock)
    claims = jwt.decode(late.token("a", EMAIL), options={"verify_signature": False})
    assert claims["iat"] == clock.now().timestamp()


def test_the_public_keys_hold_nothing_private(signer):
    (key,) = signer.jwks()["keys"]
    assert set(key) == {"kty", "n", "e", "use", "alg", "kid"}


def test_the_keys_are_served_to_be_kept_for_a_while(signer):
    with TestClient(Starlette(routes=[certs_route(signer)])) as client:
        response = client.get("/certs")
    assert response.json() == signer.jwks()
    assert "max-age=3600" in response.headers["cache-control"]


def test_a_kept_key_is_the_same_after_a_restart_and_readable_by_its_owner_only(tmp_path):
    file = tmp_path / "keys" / "oidc.pem"
    first = OidcSigner.kept_in(file, SystemClock())
    token = first.token("https://planner", EMAIL)
    again = OidcSigner.kept_in(file, SystemClock())
    assert verified(token, again.jwks())["email"] == EMAIL
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["oidc.pem"]


def test_two_that_make_a_key_at_once_have_the_same(tmp_path):
    made = []
    threads = [
        threading.Thread(target=lambda: made.append(OidcSigner.kept_in(tmp_path / "oidc.pem", SystemClock())))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert len({signer.jwks()["keys"][0]["n"] for signer in made}) == 1


def test_a_file_that_holds_no_rsa_key_is_a_config_error(tmp_path):
    file = tmp_path / "oidc.pem"
    file.write_text("no key")
    with pytest.raises(ConfigError, match="holds no private key"):
        OidcSigner.kept_in(file, SystemClock())
    other = ec.generate_private_key(ec.SECP256R1())
    file.write_bytes(
        other.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    with pytest.raises(ConfigError, match="no RSA key"):
        OidcSigner.kept_in(file, SystemClock())


def test_a_place_where_no_file_can_be_made_is_a_config_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be used"):
        OidcSigner.kept_in(tmp_path / "file" / "oidc.pem", SystemClock())
