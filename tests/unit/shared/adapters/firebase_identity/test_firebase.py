"""Firebase's ID tokens and App Check tokens."""

import logging

import jwt
import pytest

from shared.adapters.app_check.firebase import FirebaseAppCheck
from shared.adapters.firebase_identity.claims import caller_of
from shared.adapters.firebase_identity.signed import FirebaseIdentity
from shared.adapters.firebase_identity.unsigned import UnsignedIdentity
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.sources import APP_CHECK_TOKENS, FIREBASE_TOKENS
from shared.config.platform import IdentitySettings
from shared.domain.errors import AppCheckFailed, ConfigError, IdentityUnavailable, Unauthenticated
from shared.observability.formats import TextFormatter
from shared.platform.identities import user_identity
from tests.builders.tokens import part, unsigned
from tests.fakes.settable_clock import SettableClock
from tests.support.issuer import free_address, signed

CLOCK = SettableClock()
T = int(CLOCK.now().timestamp())
DAY = 24 * 3600
ISSUER = "https://securetoken.google.com"
CLAIMS = {"iss": f"{ISSUER}/cbot", "aud": "cbot", "sub": "user-1", "iat": T - 10, "exp": T + 3600, "auth_time": T - 10}


def caller(**changes):
    return caller_of({**CLAIMS, **changes}, "cbot", CLOCK.now())


class TestClaims:
    def test_name_the_caller_and_the_custom_claim_the_role(self):
        assert (caller().user_id, caller().role, caller(role="reviewer").role) == ("user-1", None, "reviewer")

    def test_with_a_malformed_or_misplaced_role_give_no_role_and_still_admit_the_user(self, subtests):
        no_names = ["", "Reviewer", " reviewer", "reviewer\n", "r" * 33, "리뷰어", "ｒeviewer", 1, True, None, [], {}]
        for changes in (*({"role": value} for value in no_names), {"firebase": {"role": "reviewer"}}):
            with subtests.test(changes=changes):
                assert (caller(**changes).user_id, caller(**changes).role) == ("user-1", None)

    def test_name_the_level_that_staff_set_and_without_a_level_still_admit_the_user(self, subtests):
        assert [caller(counseling_level=level).counseling_level for level in (1, 5)] == [1, 5]
        for value in (0, 6, -1, 2.0, "3", True, None, [], {}):
            with subtests.test(value=value):
                assert (caller(counseling_level=value).user_id, caller(counseling_level=value).counseling_level) == (
                    "user-1",
                    None,
                )

    def test_at_their_bounds_are_accepted(self):
        for changes in ({"iat": T + 60}, {"auth_time": T + 60}, {"nbf": T}, {"exp": T - 10 + DAY + 60}):
            assert caller(**changes).user_id == "user-1"

    def test_that_are_wrong_or_missing_are_refused_with_a_reason(self, subtests):
        cases = {
            "iss": [f"{ISSUER}/other", f"{ISSUER}/cbot/", [f"{ISSUER}/cbot"], "https://accounts.google.com", None],
            "aud": ["other", ["cbot"], None],
            "exp": [T, T - 1, float("nan"), True, str(T + 3600), float("inf"), T + 3600.5, 10**30, T - 9 + DAY + 60],
            "nbf": [T + 61, float("inf"), "now", None],
            "iat": [T + 61, -(10**30), float("inf"), float("nan"), None],
            "auth_time": [T + 61, None],
            "sub": ["", "x" * 129, 7, "a/b", "..", "__x__", "a\x00", "\ud800", None],
        }
        for claim, values in cases.items():
            for value in values:
                with subtests.test(claim=claim, value=value):
                    with pytest.raises(Unauthenticated) as caught:
                        caller(**{claim: value})
                    assert caught.value.reason
        for claim in CLAIMS:
            with subtests.test(missing=claim), pytest.raises(Unauthenticated):
                caller_of({name: value for name, value in CLAIMS.items() if name != claim}, "cbot", CLOCK.now())


def signed_identity(address):
    return FirebaseIdentity("cbot", PublicKeys(FIREBASE_TOKENS.at(address), CLOCK), CLOCK)


class TestSignedTokens:
    async def test_name_a_caller_and_a_role_only_with_firebases_signature(self, issuer):
        identity, reviewer = signed_identity(issuer.address), signed({**CLAIMS, "role": "reviewer"}, "first")
        assert (await identity.verify(signed(CLAIMS, "first"))).user_id == "user-1"
        assert (await identity.verify(reviewer)).role == "reviewer"
        head, _, tail = signed(CLAIMS, "first").split(".")
        for forged in (f"{head}.{reviewer.split('.')[1]}.{tail}", signed(CLAIMS, "forger", "first")):
            with pytest.raises(Unauthenticated, match="signature"):
                await identity.verify(forged)

    async def test_with_a_wrong_claim_are_refused_and_logged_with_the_reason_but_not_quoted(self, issuer, caplog):
        token = signed({**CLAIMS, "exp": T - 1}, "first")
        with caplog.at_level(logging.INFO), pytest.raises(Unauthenticated):
            await signed_identity(issuer.address).verify(token)
        assert TextFormatter().format(caplog.records[-1]).endswith("ID token refused: not authenticated: expired")
        assert not any(piece in caplog.text for piece in (*token.split("."), "user-1"))


UNSIGNED = UnsignedIdentity("cbot", CLOCK, {})


class TestUnsignedTokens:
    async def test_name_their_caller_and_may_have_a_role(self):
        caller = await UNSIGNED.verify(jwt.encode({**CLAIMS, "role": "reviewer"}, None, algorithm="none"))
        assert (caller.user_id, caller.role) == ("user-1", "reviewer")

    async def test_are_the_only_accepted_tokens(self, subtests):
        headers = [{"alg": "HS256"}, {"alg": ["none"]}, {}, []]
        payloads = [[1], b"not json", b"[" * 4000, b"9" * 5000, bytes([0xFF, 0xFE])]
        cases = [
            "", "..", "a.b.c", "a.b.c.d", "é.é.é", jwt.encode(CLAIMS, "k" * 32, algorithm="HS256"),
            unsigned(CLAIMS) + part(b"signature"), f"{part({'alg': 'none', 'b64': False})}..",
            *(f"{part(header)}.{part(CLAIMS)}." for header in headers), *map(unsigned, payloads),
            unsigned({**CLAIMS, "pad": "x" * 8192}), unsigned({**CLAIMS, "exp": T}),
        ]  # fmt: skip
        for token in cases:
            with subtests.test(token=token):
                with pytest.raises(Unauthenticated) as caught:
                    await UNSIGNED.verify(token)
                assert len(token) <= 10 or token not in str(caught.value)

    @pytest.mark.parametrize("service", ["chat", ""])
    def test_cannot_be_switched_on_in_the_cloud(self, service):
        with pytest.raises(ConfigError):
            UnsignedIdentity("cbot", CLOCK, {"K_SERVICE": service})

    async def test_of_the_auth_emulator_are_accepted_where_its_address_is_set_and_nowhere_else(self):
        claims = CLAIMS | {"iss": f"{ISSUER}/cbot-demo", "aud": "cbot-demo"}
        settings = {"CBOT_PROJECT": "cbot-demo"}
        emulated = settings | {"FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099"}
        there = user_identity(IdentitySettings.read(emulated), CLOCK, emulated)
        assert (await there.verify(unsigned(claims))).user_id == "user-1"
        with pytest.raises(Unauthenticated):
            await user_identity(IdentitySettings.read(settings), CLOCK, settings).verify(unsigned(claims))
        for service in ("chat", ""):
            with pytest.raises(ConfigError):
                user_identity(IdentitySettings.read(emulated), CLOCK, emulated | {"K_SERVICE": service})


WEB = "1:123456789:web:0af3"
APP_ISSUER = "https://firebaseappcheck.googleapis.com"
APP_CLAIMS = {
    "iss": f"{APP_ISSUER}/123456789", "aud": ["projects/123456789", "projects/cbot-demo"], "sub": WEB, "iat": T,
    "exp": T + 3600, "jti": "x",
}  # fmt: skip


def app_check(address, *app_ids):
    return FirebaseAppCheck("123456789", PublicKeys(APP_CHECK_TOKENS.at(address), CLOCK), CLOCK, app_ids)


class TestAppCheck:
    async def test_admits_an_app_of_the_project_and_only_the_named_apps_if_any_are_named(self, issuer):
        token = signed(APP_CLAIMS, "first")
        await app_check(issuer.address).verify(token)
        await app_check(issuer.address, "1:123456789:ios:77", WEB).verify(token)
        with pytest.raises(AppCheckFailed, match="not one of the apps"):
            await app_check(issuer.address, "1:123456789:ios:77").verify(token)

    async def test_refuses_a_missing_token_another_type_and_a_wrong_claim(self, issuer, subtests):
        cases = {
            "iss": [f"{APP_ISSUER}/987654321", f"{APP_ISSUER}/", f"{ISSUER}/cbot-demo", None],
            "aud": ["projects/123456789", ["projects/987654321"], ["123456789"], [], {"projects/123456789": 1}, None],
            "sub": ["", 7, None],
            "exp": [T, None],
            "iat": [T + 61],
        }
        claims = [{**APP_CLAIMS, claim: value} for claim, values in cases.items() for value in values]
        typed = [signed(APP_CLAIMS, "first", typ=typ) for typ in ("at+jwt", "jwt", "")]
        no_tokens = [None, "", " ", "a.b.c", "é", "\ud800", "x" * 10_000]
        for token in (*no_tokens, *typed, *(signed(one, "first") for one in claims)):
            with subtests.test(token=token), pytest.raises(AppCheckFailed):
                await app_check(issuer.address).verify(token)

    async def test_logs_the_refusal_of_a_forged_token_with_the_reason_but_not_the_token(self, issuer, caplog):
        token = signed(APP_CLAIMS, "forger", "first")
        with caplog.at_level(logging.INFO), pytest.raises(AppCheckFailed):
            await app_check(issuer.address).verify(token)
        line = "App Check token refused: not authenticated: the signature does not hold"
        assert TextFormatter().format(caplog.records[-1]).endswith(line)
        assert not any(piece in caplog.text for piece in token.split("."))

    async def test_without_keys_raises_identity_unavailable(self):
        with pytest.raises(IdentityUnavailable):
            await app_check(free_address()).verify(signed(APP_CLAIMS, "first"))
