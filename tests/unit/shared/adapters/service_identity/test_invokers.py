"""Callers of background functions: configured accounts with a token for an address of the function."""

import pytest

from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.sources import SERVICE_TOKENS
from shared.adapters.service_identity.invokers import SIGNATURE_REMOVED, Audiences, ServiceInvokers
from shared.domain.errors import Unauthenticated
from tests.builders.tokens import part
from tests.fakes.settable_clock import SettableClock
from tests.support.issuer import signed

CLOCK = SettableClock()
T = int(CLOCK.now().timestamp())
TASKS = "tasks@cbot-demo.iam.gserviceaccount.com"
GOOGLE = "https://accounts.google.com"
PLANNER = "https://planner-4f3kq2-du.a.run.app"
CLAIMS = {
    "iss": GOOGLE, "aud": PLANNER, "azp": "1234567890", "sub": "1234567890", "email": TASKS, "email_verified": True,
    "iat": T, "exp": T + 3600,
}  # fmt: skip


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
    """Return a token as Cloud Run passes it on after checking it: without its signature."""
    header, payload, _ = signed(claims, "first").split(".")
    return f"{header}.{payload}{SIGNATURE_REMOVED}"


async def test_a_configured_account_may_call(invokers, subtests):
    for scheme in ("Bearer", "bearer", "BEARER", "Bearer  "):
        for changes in ({}, {"iss": "accounts.google.com"}, {"iat": T + 60}):
            with subtests.test(scheme=scheme, changes=changes):
                await invokers.verify(f"{scheme} {signed({**CLAIMS, **changes}, 'first')}")


async def test_a_header_without_a_valid_token_is_refused(invokers, subtests):
    cases = [
        None, "", " ", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Bearer a b", "Bearer\ta", "Bearer é",
        "Bearer \ud800", "Bearer a\n", "Bearer, a", "a.b.c", "Bearer a.b.c", "Bearer a.b.c, Bearer d.e.f",
    ]  # fmt: skip
    for authorization in cases:
        with subtests.test(authorization=authorization), pytest.raises(Unauthenticated):
            await invokers.verify(authorization)


async def test_a_wrong_or_missing_claim_is_refused_and_not_quoted(invokers, behind_iam, subtests):
    cases = {
        "iss": [f"{GOOGLE}/", "http://accounts.google.com", "https://securetoken.google.com/cbot-demo", ["x"], None],
        "aud": ["https://supervisor-4f3kq2-du.a.run.app", "https://planner-x.evil.example", [PLANNER], "", None],
        "email": ["stranger@gmail.com", TASKS.upper(), f"{TASKS} ", [TASKS], {}, "", None],
        "email_verified": [False, "true", 1, None],
        "exp": [T, T - 1, None],
        "iat": [T + 61, None],
    }
    wrong = [{**CLAIMS, claim: value} for claim, values in cases.items() for value in values]
    lacking = [{name: value for name, value in CLAIMS.items() if name != claim} for claim in cases]
    for claims in (*wrong, *lacking):
        for entrance, token in ((invokers, signed(claims, "first")), (behind_iam, stripped(claims))):
            with subtests.test(claims=claims, behind_iam=entrance is behind_iam):
                with pytest.raises(Unauthenticated) as caught:
                    await entrance.verify(f"Bearer {token}")
                assert "\n" not in caught.value.reason
                assert not any(piece in caught.value.reason for piece in token.split("."))


async def test_a_forged_token_is_refused_and_every_token_if_no_account_is_configured(invokers, issuer):
    without_accounts, good = invokers_of(issuer.address, accounts=()), signed(CLAIMS, "first")
    forged = (signed(CLAIMS, "forger", "first"), signed(CLAIMS, "forger"))
    for entrance, token in ((without_accounts, good), *((invokers, token) for token in forged)):
        with pytest.raises(Unauthenticated):
            await entrance.verify(f"Bearer {token}")


class TestBehindIam:
    async def test_a_token_stripped_by_cloud_run_is_accepted_and_elsewhere_refused(self, invokers, behind_iam, issuer):
        await behind_iam.verify(f"Bearer {stripped(CLAIMS)}")
        with pytest.raises(Unauthenticated, match="IAM"):
            await invokers.verify(f"Bearer {stripped(CLAIMS)}")
        assert issuer.fetches == 0

    async def test_the_signature_of_a_signed_token_is_still_checked(self, behind_iam):
        await behind_iam.verify(f"Bearer {signed(CLAIMS, 'first')}")
        with pytest.raises(Unauthenticated):
            await behind_iam.verify(f"Bearer {signed(CLAIMS, 'forger', 'first')}")

    async def test_another_ending_and_garbage_are_refused(self, behind_iam, subtests):
        endings = ("", ".", ".x", ".signature_removed_by_google", f".x{SIGNATURE_REMOVED}")
        starts = ("", ".", "a.b", "e30.W10", "e30." + "W1tb" * 1500, "e30." + "x" * 9000)
        tokens = [f"{part({})}.{part(CLAIMS)}{ending}" for ending in endings]
        for token in (*tokens, *(f"{start}{SIGNATURE_REMOVED}" for start in starts)):
            with subtests.test(token=token), pytest.raises(Unauthenticated):
                await behind_iam.verify(f"Bearer {token}")


def test_audiences_contain_only_the_configured_addresses():
    functions = "https://asia-northeast3-cbot.cloudfunctions.net/planner"
    audiences = Audiences(["https://planner-*.a.run.app", functions, "http://127.0.0.1:81/*"])
    ours = [
        PLANNER, f"{PLANNER}/", f"{PLANNER}/on_part_transition", f"{PLANNER}?__GCP_CloudEventsMode=CE_PUBSUB_BINDING",
        functions, "http://127.0.0.1:81/on_part_transition",
    ]  # fmt: skip
    others = [
        "", "*", "https://planner-*.a.run.app", "https://planner-.a.run.app", "http://planner-x.a.run.app",
        "https://planner-x.a.run.app.evil.example", "https://planner-x.evil.example/.a.run.app",
        "https://planner-x.evil.a.run.app", "https://planner-x@evil.a.run.app", "https://planner-x#.a.run.app",
        "https://planner-x:1.a.run.app", "https://planner-x.a.run.app\n", "xhttps://planner-x.a.run.app",
        "https://planner-xXaXrunXapp", f"{functions}/", "http://127.0.0.1:81", "http://127.0.0.1:81/a/b",
        "http://127.0.0.1:82/plan", None, 7, [PLANNER],
    ]  # fmt: skip
    assert [audience for audience in ours if audience not in audiences] == []
    assert [audience for audience in others if audience in audiences] == []
    assert [audience for audience in (PLANNER, "") if audience in Audiences([])] == []
