"""Faults of a request without the caller's text; the content holds their texts per language.

Kinds: https://docs.pydantic.dev/latest/errors/validation_errors/
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from shared.domain.errors import InvalidInput

MOST_FAULTS = 5
_LIMITS = ("ge", "gt", "le", "lt", "min_length", "max_length")
_EXPECTED = ("expected", "pattern")


@dataclass(frozen=True)
class FieldFault:
    """One fault.

    Attributes:
        kind: Pydantic's error type, or one of this layer.
        field: The field, such as `consents.terms`; "" for the whole request.
        expected: Accepted values, if it is a choice or a pattern.
        limit: The violated bound, if any.
    """

    kind: str
    field: str = ""
    expected: str = ""
    limit: str = ""


class DoesNotFit(InvalidInput):
    """The request does not fit the endpoint's model; `detail` is for the log, `faults` are for the caller."""

    def __init__(self, faults: tuple[FieldFault, ...]) -> None:
        super().__init__("; ".join(f"{fault.field or 'request'}: {fault.kind}" for fault in faults))
        self.faults = faults


def misfit(error: ValidationError) -> DoesNotFit:
    """Convert pydantic's error."""
    found = error.errors(include_url=False, include_input=False)[:MOST_FAULTS]
    return DoesNotFit(tuple(_fault(one["type"], one["loc"], one.get("ctx", {})) for one in found))


def _fault(kind: str, location: Sequence[int | str], context: Mapping[str, object]) -> FieldFault:
    # An unknown field is not named, since its name is the caller's text.
    where = location[:-1] if kind == "extra_forbidden" else location
    return FieldFault(
        kind=kind,
        field=".".join(map(str, where)),
        # Other entries of the context quote the input.
        expected=_first(context, _EXPECTED).replace(" or ", ", "),
        limit=_first(context, _LIMITS),
    )


def _first(context: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((str(context[name]) for name in names if name in context), "")
