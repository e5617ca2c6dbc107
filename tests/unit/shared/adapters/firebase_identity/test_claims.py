import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.firebase_identity.claims import caller_of
from shared.domain.errors import Unauthenticated

NOW = datetime(2026, 11, 1, tzinfo=UTC)
T = int(NOW.timestamp())
GOOD = {
    "iss": "https://securetoken.google.com/cbot",
    "aud": "cbot",
    "sub": "user-1",
    "iat": T - 10,
    "exp": T + 3600,
    "auth_time": T - 10,
}


def test_good_claims_name_the_caller():
    assert caller_of(GOOD, "cbot", NOW).user_id == "user-1"


def test_the_custom_claim_gives_the_role_and_without_it_there_is_none():
    assert caller_of({**GOOD, "role": "reviewer"}, "cbot", NOW).role == "reviewer"
    assert caller_of(GOOD, "cbot", NOW).role is None


def test_a_claim_that_is_no_name_of_a_role_gives_none_and_still_lets_the_user_in(subtests):
    cases = [
        "", "Reviewer", " reviewer", "reviewer\n", "r" * 33, "리뷰어", "ｒeviewer", 1, True, None, ["reviewer"],
        {},
    ]  # fmt: skip
    for value in cases:
        with subtests.test(value=value):
            caller = caller_of({**GOOD, "role": value}, "cbot", NOW)
            assert (caller.user_id, caller.role) == ("user-1", None)


@pytest.mark.parametrize("claims", [{"roles": ["reviewer"]}, {"firebase": {"role": "reviewer"}}, {"admin": True}])
def test_a_role_elsewhere_in_the_claims_is_none(claims):
    assert caller_of({**GOOD, **claims}, "cbot", NOW).role is None


@pytest.mark.parametrize("claim", ["iat", "auth_time"])
def test_a_clock_a_minute_ahead_is_forgiven(claim):
    assert caller_of({**GOOD, claim: T + 60}, "cbot", NOW)
    with pytest.raises(Unauthenticated):
        caller_of({**GOOD, claim: T + 61}, "cbot", NOW)


def test_a_token_may_live_a_day_and_no_longer():
    day = 24 * 3600
    issued = T - 10
    assert caller_of({**GOOD, "exp": issued + day + 60}, "cbot", NOW)
    with pytest.raises(Unauthenticated, match="lives too long"):
        caller_of({**GOOD, "exp": issued + day + 61}, "cbot", NOW)


def test_a_token_that_is_valid_from_now_on_is_taken():
    assert caller_of({**GOOD, "nbf": T}, "cbot", NOW)


def test_every_claim_is_needed(subtests):
    for claim in GOOD:
        with subtests.test(claim=claim), pytest.raises(Unauthenticated):
            caller_of({name: value for name, value in GOOD.items() if name != claim}, "cbot", NOW)


def test_a_claim_that_does_not_hold_is_refused_with_a_reason(subtests):
    cases = [
        ("iss", "https://securetoken.google.com/other"), ("iss", "https://securetoken.google.com/cbot/"),
        ("iss", ["https://securetoken.google.com/cbot"]), ("aud", "other"), ("aud", ["cbot"]), ("exp", T),
        ("exp", float("nan")), ("exp", True), ("exp", str(T + 3600)), ("exp", float("inf")), ("exp", T + 3600.5),
        ("exp", 10**30), ("exp", T + 3 * 365 * 24 * 3600), ("nbf", T + 61), ("nbf", float("inf")), ("nbf", "now"),
        ("nbf", None), ("iat", -(10**30)), ("iat", float("inf")), ("iat", float("nan")), ("auth_time", None),
        ("sub", ""), ("sub", "x" * 129), ("sub", 7), ("sub", "a/b"), ("sub", ".."), ("sub", "__x__"),
        ("sub", "a\x00"), ("sub", "\ud800"),
    ]  # fmt: skip
    for claim, value in cases:
        with subtests.test(claim=claim, value=value):
            with pytest.raises(Unauthenticated) as caught:
                caller_of({**GOOD, claim: value}, "cbot", NOW)

            assert caught.value.reason


@given(
    st.dictionaries(
        st.sampled_from(list(GOOD)),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()),
    )
)
def test_no_claims_are_a_surprise(claims):
    with contextlib.suppress(Unauthenticated):
        caller_of({**GOOD, **claims}, "cbot", NOW)
