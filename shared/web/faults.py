"""What does not fit in a request, without a word of what the caller wrote: the content words it per language.

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
    """One thing that does not fit.

    Attributes:
        kind: Pydantic's error type, or one of the edge's own.
        field: Where, as `consents.terms`; empty for the request as a whole.
        expected: What the model would take instead, if it is a choice or a pattern.
        limit: The bound that was passed, if there is one.
    """

    kind: str
    field: str = ""
    expected: str = ""
    limit: str = ""


class DoesNotFit(InvalidInput):
    """The request does not fit what the endpoint takes; `detail` is for the log, `faults` are for the caller."""

    def __init__(self, faults: tuple[FieldFault, ...]) -> None:
        super().__init__("; ".join(f"{fault.field or 'request'}: {fault.kind}" for fault in faults))
        self.faults = faults


def misfit(error: ValidationError) -> DoesNotFit:
    """Return pydantic's findings as an error of ours."""
    found = error.errors(include_url=False, include_input=False)[:MOST_FAULTS]
    return DoesNotFit(tuple(_fault(one["type"], one["loc"], one.get("ctx", {})) for one in found))


def _fault(kind: str, location: Sequence[int | str], context: Mapping[str, object]) -> FieldFault:
    # An unknown field is not named: its name is the caller's own text.
    where = location[:-1] if kind == "extra_forbidden" else location
    return FieldFault(
        kind=kind,
        field=".".join(map(str, where)),
        # Only these of the context: others quote the input.
        expected=_first(context, _EXPECTED).replace(" or ", ", "),
        limit=_first(context, _LIMITS),
    )


def _first(context: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((str(context[name]) for name in names if name in context), "")
