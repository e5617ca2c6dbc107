"""Reads the beginning of a JSON object that is still arriving."""

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
