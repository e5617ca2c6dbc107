import hashlib
import math
import subprocess
import sys
from pathlib import Path
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.bloom_filter import BITS, PROBES, perhaps_in, with_id

ROOT = Path(__file__).resolve().parents[4]
FROZEN = "c14e6962cad15ff8230ff783fedfd4da0eab37a6779b5ffd66220057ae3152b8"
"""SHA-256 of a stored set of two ids."""
PROGRAM = (
    "import sys; from shared.domain.bloom_filter import with_id; print(with_id(with_id('', sys.argv[1]), sys.argv[2]))"
)


def uuids(start, count):
    """Return ids as clients make them, the same ones in every run."""
    digests = (hashlib.sha256(str(number).encode()).digest() for number in range(start, start + count))
    return [str(UUID(bytes=digest[:16], version=4)) for digest in digests]


def holding(identifiers):
    seen = ""
    for identifier in identifiers:
        seen = with_id(seen, identifier)
    return seen


@given(st.lists(st.text(max_size=40) | st.sampled_from(["", "\ud800", "가" * 4000]), max_size=60))
def test_what_was_put_in_is_never_denied_in_whatever_order_and_however_often(identifiers):
    seen = holding(identifiers)
    assert all(perhaps_in(seen, identifier) for identifier in identifiers)
    assert not any(perhaps_in("", identifier) for identifier in identifiers)
    assert holding(Random(0).sample(identifiers * 2, k=2 * len(identifiers))) == seen


def test_its_size_is_the_same_with_one_id_and_with_thousands():
    assert {len(with_id("", "m1")), len(holding(uuids(0, 3000)))} == {BITS // 6}


@pytest.mark.parametrize(("held", "sets"), [(500, 10), (1000, 2)])
def test_the_share_of_strangers_that_are_taken_for_members_is_what_the_formula_says(held, sets):
    expected = (1 - math.exp(-PROBES * held / BITS)) ** PROBES
    taken = 0
    for number in range(sets):
        seen = holding(uuids(number * 100_000, held))
        taken += sum(perhaps_in(seen, stranger) for stranger in uuids(number * 100_000 + held, 20_000))
    share = taken / (sets * 20_000)
    if held == 500:
        assert max(expected, share) < 1e-4, "in a long session fewer than one in ten thousand"
    else:
        assert share == pytest.approx(expected, rel=0.1)


def test_every_process_and_every_later_version_finds_the_same_bits():
    identifiers = ["0f0ff3de-6c1e-4f6a-9a55-0b1c6f3d2a10", "안녕"]
    seen = holding(identifiers)
    assert hashlib.sha256(seen.encode()).hexdigest() == FROZEN, "what is stored would be forgotten"
    for seed in ("1", "2"):
        command, given = [sys.executable, "-c", PROGRAM, *identifiers], {"PYTHONHASHSEED": seed}
        there = subprocess.run(command, env=given, cwd=ROOT, capture_output=True, text=True, check=True)
        assert there.stdout.strip() == seen
