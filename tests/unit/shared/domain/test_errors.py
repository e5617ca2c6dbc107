import inspect
import re

import pytest

from shared.domain import errors
from shared.domain.errors import CBotError, ErrorKind, LeaseLost, ModelSchemaMismatch, TooManyRequests

ALL = [
    error
    for _, error in inspect.getmembers(errors, inspect.isclass)
    if issubclass(error, CBotError) and error is not CBotError
]


def test_every_error_has_a_code_of_its_own():
    assert {
        error: got for error in ALL if (got := [other for other in ALL if other.code == error.code]) != [error]
    } == {}


def test_the_drawn_tree_names_every_error():
    assert [error for error in ALL if not re.search(rf"\b{error.__name__}\b", errors.__doc__)] == []


def test_what_may_succeed_later_says_so():
    cases = [
        errors.VersionConflict, errors.StoreUnavailable, errors.ModelTimeout, errors.ModelRateLimited,
        errors.ModelUnavailable, errors.ModelStreamBroken, errors.TooManyRequests, errors.Overloaded,
        errors.ShuttingDown, errors.TurnPending, errors.LeaseLost,
    ]  # fmt: skip
    assert {error: got for error in cases if (got := error.kind) is not ErrorKind.RETRYABLE} == {}


@pytest.mark.parametrize("error", [errors.ModelBlocked, errors.ModelEmpty])
def test_what_a_safety_filter_stopped_says_so(error):
    assert error.kind is ErrorKind.SAFETY


def test_errors_word_themselves_from_their_fields():
    assert str(TooManyRequests(retry_after=5, what="messages")) == "too many messages; try again in 5 s"
    assert str(LeaseLost("c1", 3)) == "lease 3 of c1 was taken over"
    assert ModelSchemaMismatch("x: missing").reason == "answer does not fit the schema: x: missing"
    assert str(errors.ContentError("a.yaml", 3, "wrong")) == "a.yaml:3: wrong"
    assert str(errors.ContentError("a.yaml", None, "wrong")) == "a.yaml: wrong"
