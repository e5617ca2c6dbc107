import base64
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.sources import SERVICE_TOKENS
from shared.adapters.service_identity.invokers import SIGNATURE_REMOVED, ServiceInvokers
from shared.domain.errors import IdentityUnavailable, Unauthenticated
from tests.fakes.settable_clock import SettableClock
from tests.support.issuer import free_address, signed

CLOCK = SettableClock()
T = int(CLOCK.now().timestamp())
TASKS = "tasks@cbot-demo.iam.gserviceaccount.com"
CLAIMS = {
    "iss": "https://accounts.google.com",
    "aud": "https://planner-4f3kq2-du.a.run.app",
    "azp": "1234567890",
    "sub": "1234567890",
    "email": TASKS,
    "email_verified": True,
    "iat": T,
    "exp": T + 3600,
}


def invokers_of(address, *, accounts=(TASKS, "eventarc@cbot-demo.iam.gserviceaccount.com"), behind_iam=False):
    keys = PublicKeys(SERVICE_TOKENS.at(address), CLOCK)
    return ServiceInvokers(accounts, ["https://planner-*.a.run.app"], keys, CLOCK, behind_iam=behind_iam)


@pytest.fixture
def invokers(issuer):
    return invokers_of(issuer.address)


@pytest.fixture
def behind_iam(issuer):
    return invokers_of(issuer.address, behind_iam=True)


def stripped(claims):
    """A token as Cloud Run passes it on once it has checked it."""
    header, payload, _ = signed(claims, "first").split(".")
    return f"{header}.{payload}{SIGNATURE_REMOVED}"


async def test_an_account_of_ours_may_call(invokers, subtests):
    for scheme in ("Bearer", "bearer", "BEARER", "Bearer  "):
        for iss in ("https://accounts.google.com", "accounts.google.com"):
            with subtests.test(scheme=scheme, iss=iss):
                await invokers.verify(f"{scheme} {signed({**CLAIMS, 'iss': iss}, 'first')}")


async def test_a_header_without_a_token_is_refused(invokers, subtests):
    cases = [
        None, "", " ", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Bearer a b", "Bearer\ta", "Bearer é",
        "Bearer \ud800", "Bearer a\n", "Bearer, a", "a.b.c", "Bearer a.b.c", "Bearer a.b.c, Bearer d.e.f",
    ]  # fmt: skip
    for authorization in cases:
        with subtests.test(authorization=authorization), pytest.raises(Unauthenticated):
            await invokers.verify(authorization)


async def test_a_wrong_claim_is_refused(issuer, subtests):
    cases = [
        ("iss", "https://securetoken.google.com/cbot-demo"), ("iss", "https://accounts.google.com/"),
        ("iss", "http://accounts.google.com"), ("iss", ["accounts.google.com"]), ("iss", None),
        ("aud", "https://supervisor-4f3kq2-du.a.run.app"), ("aud", "https://planner-x.evil.example"),
        ("aud", ["https://planner-4f3kq2-du.a.run.app"]), ("aud", ""), ("aud", None),
        ("email", "stranger@gmail.com"), ("email", TASKS.upper()), ("email", f"{TASKS} "), ("email", [TASKS]),
        ("email", {}), ("email", ""), ("email", None), ("email_verified", False), ("email_verified", "true"),
        ("email_verified", 1), ("email_verified", None), ("exp", T), ("exp", T - 1), ("exp", None),
        ("iat", T + 61), ("iat", None),
    ]  # fmt: skip
    for claim, value in cases:
        for iam in (False, True):
            with subtests.test(claim=claim, value=value, iam=iam):
                claims = {**CLAIMS, claim: value}
                token = stripped(claims) if iam else signed(claims, "first")
                with pytest.raises(Unauthenticated) as caught:
                    await invokers_of(issuer.address, behind_iam=iam).verify(f"Bearer {token}")

                assert "\n" not in caught.value.reason
                assert not any(piece in caught.value.reason for piece in token.split("."))


async def test_every_claim_is_needed(invokers, subtests):
    for claim in ("iss", "aud", "email", "email_verified", "exp", "iat"):
        with subtests.test(claim=claim):
            claims = {name: value for name, value in CLAIMS.items() if name != claim}
            with pytest.raises(Unauthenticated):
                await invokers.verify(f"Bearer {signed(claims, 'first')}")


async def test_a_clock_a_minute_ahead_is_forgiven(invokers):
    await invokers.verify(f"Bearer {signed({**CLAIMS, 'iat': T + 60}, 'first')}")


async def test_a_wrong_audience_is_named_so_that_the_mistake_is_found(invokers):
    claims = {**CLAIMS, "aud": "https://old\n-planner.example" + "x" * 5000}
    with pytest.raises(Unauthenticated, match=r"meant for 'https://old\\n-planner") as caught:
        await invokers.verify(f"Bearer {signed(claims, 'first')}")
    assert len(caught.value.reason) < 300


async def test_a_forged_token_is_refused(invokers):
    for token in (signed(CLAIMS, "forger", "first"), signed(CLAIMS, "forger")):
        with pytest.raises(Unauthenticated):
            await invokers.verify(f"Bearer {token}")


async def test_with_nobody_named_nobody_may_call(issuer):
    with pytest.raises(Unauthenticated):
        await invokers_of(issuer.address, accounts=()).verify(f"Bearer {signed(CLAIMS, 'first')}")


async def test_without_googles_keys_nobody_is_refused_and_nobody_let_in():
    with pytest.raises(IdentityUnavailable):
        await invokers_of(free_address()).verify(f"Bearer {signed(CLAIMS, 'first')}")


async def test_a_token_without_its_signature_is_refused_with_what_to_do_about_it(invokers, issuer):
    with pytest.raises(Unauthenticated, match="IAM"):
        await invokers.verify(f"Bearer {stripped(CLAIMS)}")
    assert issuer.fetches == 0


async def test_behind_iam_a_token_that_cloud_run_checked_is_believed(behind_iam, issuer):
    await behind_iam.verify(f"Bearer {stripped(CLAIMS)}")
    assert issuer.fetches == 0


async def test_behind_iam_a_signed_token_is_still_checked(behind_iam):
    await behind_iam.verify(f"Bearer {signed(CLAIMS, 'first')}")
    with pytest.raises(Unauthenticated):
        await behind_iam.verify(f"Bearer {signed(CLAIMS, 'forger', 'first')}")


def unsigned(ending):
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({}, CLAIMS))
    return ".".join(parts) + ending


async def test_behind_iam_no_other_ending_is_believed(behind_iam, subtests):
    for ending in ("", ".", ".x", ".signature_removed_by_google", f".x{SIGNATURE_REMOVED}"):
        with subtests.test(ending=ending), pytest.raises(Unauthenticated):
            await behind_iam.verify(f"Bearer {unsigned(ending)}")


async def test_behind_iam_garbage_is_no_crash(behind_iam, subtests):
    for start in ("", ".", "a.b", "e30.W10", "e30." + "W1tb" * 1500, "e30." + "x" * 9000):
        with subtests.test(start=start), pytest.raises(Unauthenticated):
            await behind_iam.verify(f"Bearer {start}{SIGNATURE_REMOVED}")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text()
    | st.text().map("Bearer {}".format)
    | st.binary().map(lambda raw: f"Bearer e30.{base64.urlsafe_b64encode(raw).decode()}{SIGNATURE_REMOVED}")
)
async def test_no_header_is_a_surprise(behind_iam, authorization):
    with pytest.raises(Unauthenticated):
        await behind_iam.verify(authorization)
