import hashlib
import math
import subprocess
import sys
from pathlib import Path
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


@given(st.lists(st.text(max_size=40), max_size=60))
def test_what_was_put_in_is_never_denied(identifiers):
    seen = holding(identifiers)
    assert all(perhaps_in(seen, identifier) for identifier in identifiers)


@given(st.lists(st.text(max_size=40), max_size=20), st.randoms())
def test_neither_order_nor_repetition_matters(identifiers, random):
    again = identifiers * 2
    random.shuffle(again)
    assert holding(again) == holding(identifiers)


@given(st.text())
def test_the_empty_set_holds_nothing(identifier):
    assert not perhaps_in("", identifier)


def test_any_text_can_be_put_in():
    assert [
        identifier
        for identifier in ("", "m1", "\ud800", "가" * 4000)
        if not perhaps_in(with_id("", identifier), identifier)
    ] == []


def test_its_size_is_the_same_with_one_id_and_with_thousands():
    assert {len(with_id("", "m1")), len(holding(uuids(0, 3000)))} == {BITS // 6}


def expected(held):
    return (1 - math.exp(-PROBES * held / BITS)) ** PROBES


def measured(held, sets, strangers):
    """Return the share of strangers that are taken for members, over some sets of so many ids each."""
    taken = 0
    for number in range(sets):
        seen = holding(uuids(number * 100_000, held))
        taken += sum(perhaps_in(seen, stranger) for stranger in uuids(number * 100_000 + held, strangers))
    return taken / (sets * strangers)


def test_in_a_long_session_fewer_than_one_stranger_in_ten_thousand_is_taken_for_a_member():
    assert expected(500) < 1e-4
    assert measured(500, sets=10, strangers=20_000) < 1e-4


def test_beyond_that_the_share_grows_as_the_formula_says():
    assert measured(1000, sets=2, strangers=20_000) == pytest.approx(expected(1000), rel=0.1)


def test_every_process_and_every_later_version_finds_the_same_bits():
    identifiers = ["0f0ff3de-6c1e-4f6a-9a55-0b1c6f3d2a10", "안녕"]
    seen = holding(identifiers)
    assert hashlib.sha256(seen.encode()).hexdigest() == FROZEN, "what is stored would be forgotten"
    for seed in ("1", "2"):
        command = [sys.executable, "-c", PROGRAM, *identifiers]
        there = subprocess.run(
            command, env={"PYTHONHASHSEED": seed}, cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert there.stdout.strip() == seen
