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


def passes(breaker):
    """Return what a call is told."""
    permit = breaker.admit(PATIENCE_S)
    return "refused" if permit is None else "probe" if permit.probe else "free"


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
    assert passes(breaker) == "free"
    breaker.answered()
    breaker.failed()
    assert passes(breaker) == "free"
    breaker.failed(OPENS_AFTER - 1)
    assert passes(breaker) == "refused"


def test_failures_far_apart_do_not_open_it(breaker, clock):
    for _ in range(3 * OPENS_AFTER):
        breaker.failed()
        clock.advance(WINDOW_S / (OPENS_AFTER - 1) + 1)
    assert passes(breaker) == "free"


def test_after_its_rest_one_call_at_a_time_tries_the_model(opened, clock):
    clock.advance(FIRST_REST_S)
    assert [passes(opened) for _ in range(3)] == ["probe", "refused", "refused"]
    opened.answered()
    assert [passes(opened) for _ in range(2)] == ["free"] * 2


def test_each_probe_that_fails_doubles_the_rest_up_to_a_bound(opened, clock):
    for rest in (FIRST_REST_S, 30, 60, LONGEST_REST_S, LONGEST_REST_S):
        clock.advance(rest - 0.1)
        assert passes(opened) == "refused"
        clock.advance(0.1)
        probe = opened.admit(PATIENCE_S)
        assert probe.probe
        opened.failed()
        opened.failed(permit=probe)


def test_calls_that_were_under_way_when_it_opened_do_not_lengthen_its_rest(opened, clock):
    clock.advance(FIRST_REST_S - 1)
    opened.failed(5)
    clock.advance(1)
    assert passes(opened) == "probe"


def test_only_the_probe_itself_or_its_patience_leaves_the_next_call_to_probe(opened, clock):
    clock.advance(FIRST_REST_S)
    first = opened.admit(PATIENCE_S)
    clock.advance(PATIENCE_S)
    second = opened.admit(PATIENCE_S)
    opened.release(first)
    assert passes(opened) == "refused"
    opened.release(second)
    assert passes(opened) == "probe"


def test_timeouts_that_our_own_deadline_caused_count_as_one_failure(breaker, clock):
    for _ in range(3 * OPENS_AFTER):
        breaker.cut_short(breaker.admit(PATIENCE_S))
    assert passes(breaker) == "free"
    breaker.failed(OPENS_AFTER - 1)
    for _ in range(2):
        clock.advance(FIRST_REST_S - 0.1)
        assert passes(breaker) == "refused"
        clock.advance(0.1)
        breaker.cut_short(breaker.admit(PATIENCE_S))


@pytest.mark.parametrize(("told", "rest"), [(2.0, 2.0), (58.0, 58.0), (7200.0, LONGEST_TOLD_S)])
def test_a_provider_that_asks_for_a_pause_gets_it_at_once(breaker, clock, told, rest):
    breaker.failed(told_s=told)
    clock.advance(rest - 0.1)
    assert passes(breaker) == "refused"
    clock.advance(0.1)
    assert passes(breaker) == "probe"
