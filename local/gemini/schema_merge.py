"""Resolves references and combinations, so that a schema can be read as one flat object."""

from local.gemini.json_types import JsonObject, JsonValue

_TIGHTEST_IS_LARGEST = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_TIGHTEST_IS_SMALLEST = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def resolve(root: JsonObject, ref: str) -> JsonObject:
    """Find `#/…` in `root`.

    Raises:
        KeyError: There is no such place.
    """
    found: JsonValue = root
    for step in ref.removeprefix("#").strip("/").split("/") if ref != "#" else ():
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict):
            raise KeyError(ref)
        found = found[name]
    if not isinstance(found, dict):
        raise KeyError(ref)
    return found


def merge(first: JsonObject, second: JsonObject) -> JsonObject:
    """A schema that asks for both (as far as their keys can be put together)."""
    merged = dict(first)
    for key, value in second.items():
        merged[key] = _both(key, merged[key], value) if key in merged else value
    return merged


def _both(key: str, one: JsonValue, other: JsonValue) -> JsonValue:
    if key in {"properties", "$defs"} and isinstance(one, dict) and isinstance(other, dict):
        return {**one, **{name: _property(one.get(name), schema) for name, schema in other.items()}}
    if key == "required" and isinstance(one, list) and isinstance(other, list):
        return one + [name for name in other if name not in one]
    if key == "enum" and isinstance(one, list) and isinstance(other, list):
        return [value for value in one if value in other]
    if isinstance(one, int | float) and isinstance(other, int | float):
        if key in _TIGHTEST_IS_LARGEST:
            return max(one, other)
        if key in _TIGHTEST_IS_SMALLEST:
            return min(one, other)
    return other


def _property(one: JsonValue, other: JsonValue) -> JsonValue:
    return merge(one, other) if isinstance(one, dict) and isinstance(other, dict) else other
