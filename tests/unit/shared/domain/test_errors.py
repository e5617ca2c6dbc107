import inspect
import re

from shared.domain import errors
from shared.domain.errors import CBotError, ErrorKind

ALL = [one for _, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, CBotError) and one != CBotError]
RETRYABLE = (
    errors.VersionConflict, errors.StoreUnavailable, errors.ModelTimeout, errors.ModelRateLimited,
    errors.ModelUnavailable, errors.ModelStreamBroken, errors.TooManyRequests, errors.Overloaded,
    errors.ShuttingDown, errors.TurnPending, errors.LeaseLost,
)  # fmt: skip


def test_every_error_has_a_unique_code_and_stands_in_the_documented_tree():
    assert len({error.code for error in ALL}) == len(ALL)
    assert [error for error in ALL if not re.search(rf"\b{error.__name__}\b", errors.__doc__)] == []


def test_errors_that_may_pass_are_retryable_and_those_of_the_safety_filter_are_safety():
    assert {error.kind for error in RETRYABLE} == {ErrorKind.RETRYABLE}
    assert {error.kind for error in (errors.ModelBlocked, errors.ModelEmpty)} == {ErrorKind.SAFETY}
