"""Converts document values to JSON text that SQLite can compare, and back without loss.

A datetime becomes `{"$datetime": "2026-01-31T09:00:00.000000+00:00"}`: tagged, to keep its type, and of fixed width in
UTC, so that comparing the text compares the times. A float that JSON lacks becomes `{"$float": "inf"}`, a vector
`{"$vector": [0.6, 0.8]}`. A key of the document that begins with `$` gets a second one.
"""

import json
import math
from datetime import UTC, datetime
from typing import Any

from shared.ports.document_writes import Data, Value, Vector

_DATETIME = "$datetime"
_FLOAT = "$float"
_VECTOR = "$vector"


def timestamp(moment: datetime) -> str:
    """Format a time so that text order is time order.

    Raises:
        ValueError: It has no time zone.
    """
    if moment.tzinfo is None:
        raise ValueError("a stored datetime needs a time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def to_json(value: Value) -> str:
    """Encode a value as ASCII, since SQLite refuses lone surrogates in other forms.

    Raises:
        ValueError: A datetime has no time zone.
        TypeError: A value has an unsupported type.
    """
    return json.dumps(_tagged(value), separators=(",", ":"), allow_nan=False)


def data_from_json(text: str) -> Data:
    """Decode a document's fields."""
    data: Data = json.loads(text, object_hook=_untagged)
    return data


def _tagged(value: Value) -> object:
    match value:
        case datetime():
            return {_DATETIME: timestamp(value)}
        case float() if not math.isfinite(value):
            return {_FLOAT: str(value)}
        case Vector():
            return {_VECTOR: list(value)}
        case list() | tuple():  # Firestore's client accepts tuples too, and returns lists
            return [_tagged(item) for item in value]
        case dict():
            return {_escaped(key): _tagged(item) for key, item in value.items()}
        case _:
            return value


def _escaped(key: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a field name must be a string, not {type(key).__name__}")
    return f"${key}" if key.startswith("$") else key


def _untagged(fields: dict[str, Any]) -> Value:
    if _DATETIME in fields:
        return datetime.fromisoformat(fields[_DATETIME])
    if _FLOAT in fields:
        return float(fields[_FLOAT])
    if _VECTOR in fields:
        return Vector(fields[_VECTOR])
    return {key.removeprefix("$"): item for key, item in fields.items()}
