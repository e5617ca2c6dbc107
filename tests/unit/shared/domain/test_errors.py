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


def test_every_error_has_a_code_of_its_own_and_its_place_in_the_drawn_tree():
    assert len({error.code for error in ALL}) == len(ALL)
    assert [error for error in ALL if not re.search(rf"\b{error.__name__}\b", errors.__doc__)] == []


def test_what_may_succeed_later_and_what_a_safety_filter_stopped_say_so():
    assert {error.kind for error in RETRYABLE} == {ErrorKind.RETRYABLE}
    assert {error.kind for error in (errors.ModelBlocked, errors.ModelEmpty)} == {ErrorKind.SAFETY}
