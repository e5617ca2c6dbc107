"""The interval is Wilson's."""

import pytest

from local.safety_report.wilson import Share


def test_the_bounds_are_those_of_the_literature():
    cases = [(37, 40, 0.801, 0.974), (0, 18, 0.0, 0.176), (24, 24, 0.862, 1.0), (81, 263, 0.255, 0.366)]
    assert {
        hits: got
        for hits, of, low, high in cases
        if (got := Share(hits, of).interval) != pytest.approx((low, high), abs=0.0006)
    } == {}
