import pytest

from shared.engine.circuit_breaker import (
    FIRST_REST_S,
    LONGEST_REST_S,
    LONGEST_TOLD_S,
    OPENS_AFTER,
    WINDOW_S,
    CircuitBreaker,
    Pass,
)
from tests.fakes.settable_clock import SettableClock


@pytest.fixture
def clock():
    return SettableClock()


@pytest.fixture
def breaker(clock):
    return CircuitBreaker(clock)


@pytest.fixture
def opened(breaker):
    breaker.failed(OPENS_AFTER)
    return breaker


def test_it_opens_after_failures_in_a_row(breaker):
    for _ in range(OPENS_AFTER - 1):
        breaker.failed()
    assert breaker.admit() is Pass.FREE
    breaker.answered()
    breaker.failed()
    assert breaker.admit() is Pass.FREE
    breaker.failed(OPENS_AFTER - 1)
    assert breaker.admit() is Pass.REFUSED


def test_failures_far_apart_do_not_open_it(breaker, clock):
    for _ in range(3 * OPENS_AFTER):
        breaker.failed()
        clock.advance(WINDOW_S / (OPENS_AFTER - 1) + 1)
    assert breaker.admit() is Pass.FREE


def test_after_its_rest_one_call_at_a_time_tries_the_model(opened, clock):
    clock.advance(FIRST_REST_S)
    assert [opened.admit() for _ in range(3)] == [Pass.PROBE, Pass.REFUSED, Pass.REFUSED]
    opened.answered()
    assert [opened.admit() for _ in range(2)] == [Pass.FREE] * 2


def test_each_probe_that_fails_doubles_the_rest_up_to_a_bound(opened, clock):
    for rest in (FIRST_REST_S, 30, 60, LONGEST_REST_S, LONGEST_REST_S):
        clock.advance(rest - 0.1)
        assert opened.admit() is Pass.REFUSED
        clock.advance(0.1)
        assert opened.admit() is Pass.PROBE
        opened.failed()


def test_calls_that_were_under_way_when_it_opened_do_not_lengthen_its_rest(opened, clock):
    clock.advance(FIRST_REST_S - 1)
    opened.failed(5)
    clock.advance(1)
    assert opened.admit() is Pass.PROBE


def test_a_probe_that_told_nothing_leaves_the_next_call_to_try(opened, clock):
    clock.advance(FIRST_REST_S)
    assert opened.admit() is Pass.PROBE
    opened.released()
    assert opened.admit() is Pass.PROBE


@pytest.mark.parametrize(("told", "rest"), [(2.0, 2.0), (58.0, 58.0), (7200.0, LONGEST_TOLD_S)])
def test_a_provider_that_asks_for_a_pause_gets_it_at_once(breaker, clock, told, rest):
    breaker.failed(told_s=told)
    clock.advance(rest - 0.1)
    assert breaker.admit() is Pass.REFUSED
    clock.advance(0.1)
    assert breaker.admit() is Pass.PROBE


def test_a_pause_is_asked_for_while_it_rests_already(opened, clock):
    opened.failed(told_s=50)
    clock.advance(49)
    assert opened.admit() is Pass.REFUSED
