import pytest

from shared.engine.circuit_breaker import (
    FIRST_REST_S,
    LONGEST_REST_S,
    LONGEST_TOLD_S,
    OPENS_AFTER,
    WINDOW_S,
    CircuitBreaker,
)

PATIENCE_S = 3.0


def verdict(breaker):
    permit = breaker.admit(PATIENCE_S)
    return "refused" if permit is None else "probe" if permit.probe else "free"


@pytest.fixture
def breaker(clock):
    return CircuitBreaker(clock)


@pytest.fixture
def opened(breaker):
    breaker.failed(OPENS_AFTER)
    return breaker


def test_the_breaker_opens_after_consecutive_failures(breaker):
    for _ in range(OPENS_AFTER - 1):
        breaker.failed()
    assert verdict(breaker) == "free"
    breaker.answered()
    breaker.failed()
    assert verdict(breaker) == "free"
    breaker.failed(OPENS_AFTER - 1)
    assert verdict(breaker) == "refused"


def test_failures_far_apart_do_not_open_the_breaker(breaker, clock):
    for _ in range(3 * OPENS_AFTER):
        breaker.failed()
        clock.advance(WINDOW_S / (OPENS_AFTER - 1) + 1)
    assert verdict(breaker) == "free"


def test_after_the_rest_one_probe_at_a_time_is_let_through(opened, clock):
    clock.advance(FIRST_REST_S)
    assert [verdict(opened) for _ in range(3)] == ["probe", "refused", "refused"]
    opened.answered()
    assert [verdict(opened) for _ in range(2)] == ["free"] * 2


def test_each_failed_probe_doubles_the_rest_up_to_a_limit(opened, clock):
    for rest in (FIRST_REST_S, 30, 60, LONGEST_REST_S, LONGEST_REST_S):
        clock.advance(rest - 0.1)
        assert verdict(opened) == "refused"
        clock.advance(0.1)
        probe = opened.admit(PATIENCE_S)
        assert probe.probe
        opened.failed()
        opened.failed(permit=probe)


def test_failures_of_calls_already_under_way_do_not_lengthen_the_rest(opened, clock):
    clock.advance(FIRST_REST_S - 1)
    opened.failed(5)
    clock.advance(1)
    assert verdict(opened) == "probe"


def test_the_next_probe_starts_only_when_the_newest_is_released_or_its_patience_ends(opened, clock):
    clock.advance(FIRST_REST_S)
    first = opened.admit(PATIENCE_S)
    clock.advance(PATIENCE_S)
    second = opened.admit(PATIENCE_S)
    opened.release(first)
    assert verdict(opened) == "refused"
    opened.release(second)
    assert verdict(opened) == "probe"


def test_timeouts_caused_by_our_own_deadline_count_as_one_failure(breaker, clock):
    for _ in range(3 * OPENS_AFTER):
        breaker.cut_short(breaker.admit(PATIENCE_S))
    assert verdict(breaker) == "free"
    breaker.failed(OPENS_AFTER - 1)
    for _ in range(2):
        clock.advance(FIRST_REST_S - 0.1)
        assert verdict(breaker) == "refused"
        clock.advance(0.1)
        breaker.cut_short(breaker.admit(PATIENCE_S))


@pytest.mark.parametrize(("asked_s", "rest"), [(2.0, 2.0), (58.0, 58.0), (7200.0, LONGEST_TOLD_S)])
def test_a_pause_that_the_provider_asks_for_starts_at_once_up_to_a_limit(breaker, clock, asked_s, rest):
    breaker.failed(told_s=asked_s)
    clock.advance(rest - 0.1)
    assert verdict(breaker) == "refused"
    clock.advance(0.1)
    assert verdict(breaker) == "probe"
