"""Reads the beginning of a JSON object that is still arriving, or that broke."""

from bisect import bisect_left
from collections.abc import Mapping

from pydantic import JsonValue
from pydantic_core import from_json


def so_far(text: str) -> Mapping[str, JsonValue]:
    """Return the fields that have arrived, the last of which may be incomplete; none if it is no JSON object."""
    try:
        fields = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def intact(text: str) -> Mapping[str, JsonValue]:
    """Return the fields of a broken object that had arrived whole, and the whole items of the list that broke.

    What stands before the object is ignored, and so is everything from where it stops being JSON.
    """
    begun = text[max(text.find("{"), 0) :]
    sound = bisect_left(range(1, len(begun) + 1), True, key=lambda end: _read(begun[:end]) is None)
    fields = _read(begun[:sound])
    return fields if isinstance(fields, dict) else {}


def _read(text: str) -> JsonValue:
    try:
        value: JsonValue = from_json(text, allow_partial=True)
    except ValueError:
        return None
    return value
