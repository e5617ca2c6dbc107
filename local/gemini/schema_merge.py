"""Resolves references and combinations, so that a schema can be read as one flat object."""

from local.gemini.json_types import JsonObject, JsonValue

_TIGHTEST_IS_LARGEST = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_TIGHTEST_IS_SMALLEST = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


class Unanswerable(Exception):
    """The schema allows no value that could be found (a contradiction, or endless recursion)."""


def flattened(schema: JsonObject, root: JsonObject, refs: tuple[str, ...] = ()) -> tuple[JsonObject, tuple[str, ...]]:
    """Put a schema, what it refers to and all its parts into one object.

    Args:
        schema: In `root`.
        root: To which references point.
        refs: Those that led here, outermost first; they come back with those met.

    Raises:
        Unanswerable: It needs itself.
        KeyError: A reference leads nowhere.
    """
    flat = dict(schema)
    while isinstance(ref := flat.pop("$ref", None), str):
        if ref in refs:
            raise Unanswerable(f"{ref} needs itself")
        refs = (*refs, ref)
        flat = merge(_resolved(root, ref), flat)
    parts = flat.pop("allOf", None)
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict):
            inner, refs = flattened(part, root, refs)
            flat = merge(inner, flat)
    return flat, refs


def _resolved(root: JsonObject, ref: str) -> JsonObject:
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
