"""A run of `make chaos` is drawn from its seed alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chaos.findings import Record, report
from tests.chaos.schedule import CHATS, DATABASE, QUEUE, WORKERS, Kind, schedule

SEEDS = st.integers(0, 2**32)
SECONDS = st.floats(5, 400)


@given(SEEDS, SECONDS)
@settings(max_examples=12, deadline=None)
def test_a_seed_and_a_length_draw_the_same_run_again(seed: int, seconds: float) -> None:
    assert schedule(seed, seconds) == schedule(seed, seconds)


@given(SEEDS, SECONDS)
@settings(max_examples=12, deadline=None)
def test_all_begins_within_the_run_and_only_what_can_be_started_again_is_killed(seed: int, seconds: float) -> None:
    plan = schedule(seed, seconds)
    assert plan.disturbances
    for disturbance in plan.disturbances:
        assert 0 <= disturbance.at_s < seconds
        assert disturbance.at_s + disturbance.for_s <= seconds * 4 / 3 + 1
        if disturbance.kind in {Kind.KILL, Kind.TERMINATE}:
            assert disturbance.target in {*CHATS, *WORKERS, QUEUE}
        if disturbance.kind is Kind.FREEZE:
            assert disturbance.target in {*CHATS, *WORKERS, QUEUE, DATABASE}


@given(SEEDS)
@settings(max_examples=5, deadline=None)
def test_another_seed_draws_another_run(seed: int) -> None:
    assert schedule(seed, 60).disturbances != schedule(seed + 1, 60).disturbances


def test_a_report_names_what_was_done_and_every_broken_promise_with_the_seed(subtests: pytest.Subtests) -> None:
    for found, said in ((0, "every promise held"), (1, "promise 4: lost: 1 ×  c1")):
        with subtests.test(found=found):
            record = Record()
            record.did("messages sent")
            for _ in range(found):
                record.broken(4, "lost", "c1")
            told = report(record, seed=7, minutes=0.5)
            assert "messages sent" in told
            assert said in told
            assert "SEED=7 MINUTES=0.5" in told or not found
