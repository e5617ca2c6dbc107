"""The starts of hits, followed letter by letter."""

import pytest

from shared.safety.output_guard.starts import Starts, goes_on


def found(begins, text):
    step = Starts(begins)
    for letter in text:
        step = step.behind(letter)
        if step is None:
            return None
    return step.found, step.joined


def test_a_start_is_found_where_it_ends_and_those_that_go_on_behind_it():
    begins = [(("약", "약을"), "drug", False), (("약",), "other", True)]
    assert found(begins, "약") == (["drug"], ["other"])
    assert found(begins, "약을") == (["drug"], [])
    assert found(begins, "약은") is None
    assert found(begins, "병") is None


@pytest.mark.parametrize(("start", "texts"), [("목을 매", ("목을 매", "목을매")), ("저는 ai", ("저는 ai", "저는ai"))])
def test_a_blank_next_to_a_korean_letter_may_be_missing(start, texts):
    assert [found([((start,), 1, False)], text) for text in texts] == [([1], [])] * 2


def test_a_blank_between_other_letters_may_not_and_none_comes_in():
    assert found([(("im a",), 1, False)], "ima") is None
    assert found([(("저는",), 1, False), (("저 는",), 2, False)], "저 는") == ([2], [])


@pytest.mark.parametrize(("before", "here", "expected"), [("는", "약", True), ("a", "약", False), ("a", "b", True)])
def test_particles_join_korean_to_anything_else(before, here, expected):
    assert goes_on(before, here) is expected
