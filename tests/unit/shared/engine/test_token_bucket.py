import pytest

from shared.engine.token_bucket import TokenBucket
from tests.fakes.settable_clock import SettableClock


@pytest.fixture
def clock():
    return SettableClock()


def test_a_full_bucket_gives_its_burst_at_once_and_then_its_rate(clock):
    bucket = TokenBucket(rate=2, burst=3, clock=clock)
    for _ in range(3):
        assert bucket.wait_s() == 0
        bucket.take()
    assert bucket.wait_s() == 0.5
    clock.advance(0.25)
    assert bucket.wait_s() == 0.25
    clock.advance(0.25)
    assert bucket.wait_s() == 0


def test_a_quiet_time_gains_no_more_than_the_burst(clock):
    bucket = TokenBucket(rate=2, burst=3, clock=clock)
    clock.advance(3600)
    for _ in range(3):
        bucket.take()
    assert bucket.wait_s() == 0.5


def test_a_token_taken_too_early_is_owed(clock):
    bucket = TokenBucket(rate=1, burst=1, clock=clock)
    bucket.take()
    bucket.take()
    assert bucket.wait_s() == 2
