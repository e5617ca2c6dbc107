"""Converts document values to Firestore's and back without loss.

Firestore has no array directly in an array, and no field named `__x__` or with an empty name. Such an array is stored
as the map `{"$array": [...]}`; such a name, and one that begins with `$`, gets the prefix `$`. A vector is stored as
the SDK does it, so that Firestore indexes it: a map with the type `__vector__`, which no field of ours can be named.

It uses the bare protobuf messages: their proto-plus wrappers take eight times as long, and a session has hundreds of
values. The SDK's own encoding would also convert maps with special keys (`__type__`, `__vector__`).
"""

import re
from collections.abc import Mapping, MutableMapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from shared.domain.errors import StoreError
from shared.ports.document_writes import Data, Value, Vector

PbValue: TypeAlias = Any
"""A bare `google.firestore.v1.Value`; protobuf's generated classes have no types."""
PbFields: TypeAlias = MutableMapping[str, PbValue]

_NESTED_ARRAY = "$array"
_TYPE, _VECTOR, _NUMBERS = "__type__", "__vector__", "value"
_ESCAPED = re.compile(r"|\$.*|__.*__", re.DOTALL)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PLAIN = {"boolean_value", "integer_value", "double_value", "string_value"}


def put_fields(data: Mapping[str, Value], fields: PbFields) -> None:
    """Write the fields of a document or map.

    Raises:
        ValueError: A datetime has no time zone, or an integer has over 64 bits.
        TypeError: A value has an unsupported type.
    """
    for name, value in data.items():
        put_value(value, fields[_field_name(name)])


def put_value(value: Value, target: PbValue) -> None:
    """Write one value; raises like `put_fields`."""
    match value:
        case dict():
            target.map_value.SetInParent()
            put_fields(value, target.map_value.fields)
        case Vector():
            _put_vector(value, target.map_value.fields)
        case list() | tuple():
            target.array_value.SetInParent()
            for item in value:
                _put_item(item, target.array_value.values.add())
        case datetime():
            _put_moment(value, target.timestamp_value)
        case _:
            _put_plain(value, target)


def fields_of(fields: Mapping[str, PbValue]) -> Data:
    """Read the fields of a document or map, sorted by name, since Firestore keeps no order and protobuf's varies.

    Raises:
        StoreError: A value has a type that this never writes (bytes, a place, a reference).
    """
    return {name.removeprefix("$"): value_of(fields[name]) for name in sorted(fields)}


def value_of(value: PbValue) -> Value:
    """Read one value; raises like `fields_of`."""
    kind: str | None = value.WhichOneof("value_type")
    if kind in _PLAIN:
        plain: Value = getattr(value, kind)
        return plain
    match kind:
        case "null_value":
            return None
        case "timestamp_value":
            moment = value.timestamp_value
            return _EPOCH + timedelta(seconds=moment.seconds, microseconds=moment.nanos // 1000)
        case "array_value":
            return [value_of(item) for item in value.array_value.values]
        case "map_value":
            inner = value.map_value.fields
            if _TYPE in inner and inner[_TYPE].string_value == _VECTOR:
                return Vector(number.double_value for number in inner[_NUMBERS].array_value.values)
            return value_of(inner[_NESTED_ARRAY]) if _NESTED_ARRAY in inner else fields_of(inner)
        case _:
            raise StoreError(f"a stored field is a {kind}, which is never written")


def _put_vector(vector: Vector, fields: PbFields) -> None:
    fields[_TYPE].string_value = _VECTOR
    numbers = fields[_NUMBERS].array_value.values
    for number in vector:
        numbers.add().double_value = number


def _put_item(item: Value, target: PbValue) -> None:
    if isinstance(item, list | tuple):
        put_value(item, target.map_value.fields[_NESTED_ARRAY])
    else:
        put_value(item, target)


def _put_plain(value: "bool | int | float | str | None", target: PbValue) -> None:
    match value:
        case None:
            target.null_value = 0
        case bool():  # before int, its supertype
            target.boolean_value = value
        case int():
            target.integer_value = _within_64_bits(value)
        case float():
            target.double_value = value
        case str():
            _put_text(value, target)
        case _:
            raise TypeError(f"{type(value).__name__} is no document value")


def _put_text(text: str, target: PbValue) -> None:
    try:
        target.string_value = text
    except UnicodeEncodeError:
        target.string_value = _storable(text)


def _put_moment(moment: datetime, target: Any) -> None:
    if moment.tzinfo is None:
        raise ValueError("a stored datetime needs a time zone")
    since = moment - _EPOCH
    target.SetInParent()
    target.seconds = since.days * 86_400 + since.seconds
    target.nanos = since.microseconds * 1000


def _within_64_bits(number: int) -> int:
    if not -(2**63) <= number < 2**63:
        raise ValueError("a stored integer has at most 64 bits")
    return number


def _field_name(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a field name must be a string, not {type(name).__name__}")
    storable = name if name.isascii() else _storable(name)
    return f"${storable}" if _ESCAPED.fullmatch(storable) else storable


def _storable(text: str) -> str:
    """Replace lone surrogates by U+FFFD: Firestore stores UTF-8, which cannot encode them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
