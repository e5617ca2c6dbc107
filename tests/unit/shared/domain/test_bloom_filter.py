import hashlib
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.mailbox import BITS, perhaps_in, with_id

FROZEN = "c14e6962cad15ff8230ff783fedfd4da0eab37a6779b5ffd66220057ae3152b8"
"""SHA-256 of a stored set of two ids."""


def holding(identifiers):
    seen = ""
    for identifier in identifiers:
        seen = with_id(seen, identifier)
    return seen


@given(st.lists(st.text(max_size=40) | st.sampled_from(["", "\ud800", "가" * 4000]), max_size=60))
def test_an_added_id_is_always_found_and_order_and_repetition_change_nothing(identifiers):
    seen = holding(identifiers)
    assert all(perhaps_in(seen, identifier) for identifier in identifiers)
    assert not any(perhaps_in("", identifier) for identifier in identifiers)
    assert holding(Random(0).sample(identifiers * 2, k=2 * len(identifiers))) == seen


def test_the_stored_bits_stay_the_same_across_versions_and_false_positives_are_rare():
    seen = holding(["0f0ff3de-6c1e-4f6a-9a55-0b1c6f3d2a10", "안녕"])
    assert hashlib.sha256(seen.encode()).hexdigest() == FROZEN, "stored filters would lose their ids"
    assert len(seen) == BITS // 6
    long_session = holding(f"m{number}" for number in range(500))
    assert sum(perhaps_in(long_session, f"stranger {number}") for number in range(20_000)) <= 5
