from datetime import UTC, datetime

import pytest

from shared.adapters.google_keys.lifetime import require_current
from shared.domain.errors import Unauthenticated

NOW = datetime(2026, 11, 1, tzinfo=UTC)
T = int(NOW.timestamp())
GOOD = {"iat": T - 10, "exp": T + 3600}


def test_a_token_holds_from_a_minute_before_its_beginning_to_the_second_before_its_end(subtests):
    for changes in ({}, {"exp": T + 1}, {"iat": T + 60}, {"nbf": T}, {"nbf": T + 60}):
        with subtests.test(changes=changes):
            require_current({**GOOD, **changes}, NOW)


def test_every_other_token_does_not(subtests):
    cases = [
        {"exp": T}, {"exp": T - 1}, {"exp": None}, {"exp": True}, {"exp": f"{T + 60}"}, {"exp": T + 60.0},
        {"exp": float("inf")}, {"iat": T + 61}, {"iat": None}, {"nbf": T + 61}, {"nbf": None},
    ]  # fmt: skip
    for changes in cases:
        with subtests.test(changes=changes), pytest.raises(Unauthenticated):
            require_current({**GOOD, **changes}, NOW)


def test_both_times_are_needed(subtests):
    for claim in GOOD:
        with subtests.test(claim=claim), pytest.raises(Unauthenticated):
            require_current({name: value for name, value in GOOD.items() if name != claim}, NOW)
