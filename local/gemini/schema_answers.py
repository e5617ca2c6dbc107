"""Creates a valid value for any JSON schema that the API accepts (refusals.py), as the default answer.

The values are conservative, so that they decide nothing: null if allowed, false, the first enum member, the lower
bound, an empty list, a short string. The same schema gives the same value.
"""

import math

from local.gemini.json_types import JsonObject, JsonValue

_STRINGS = {"date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "time": "00:00:00Z"}
"""Strings by format."""
_WORD = "데모"


class Unanswerable(Exception):
    """The schema allows no value that could be found (an empty enum, or endless recursion)."""


def answer_for(schema: JsonValue, root: JsonObject | None = None, refs: tuple[str, ...] = ()) -> JsonValue:
    """Create a value.

    Args:
        schema: JSON Schema in pydantic's form, or Gemini's OpenAPI subset.
        root: The schema that contains it, if any.
        refs: References that are being resolved.

    Raises:
        Unanswerable: No value was found.
        KeyError: A reference is broken.
    """
    if not isinstance(schema, dict):
        return None
    whole = root or schema
    flat, refs = resolved(schema, whole, refs)
    members, branches = flat.get("enum"), branches_of(flat)
    if isinstance(members, list):
        if not members:
            raise Unanswerable("empty enum")
        return members[0]
    return _of_branches(branches, whole, refs) if branches else _of_kind(flat, whole, refs)


def resolved(schema: JsonObject, root: JsonObject, refs: tuple[str, ...] = ()) -> tuple[JsonObject, tuple[str, ...]]:
    """Resolve a schema's references; return it with all references followed so far.

    Raises:
        Unanswerable: It refers to itself.
        KeyError: A reference is broken.
    """
    while isinstance(ref := schema.get("$ref"), str):
        if ref in refs:
            raise Unanswerable(f"{ref} needs itself")
        refs = (*refs, ref)
        found: JsonValue = root
        for step in ref.removeprefix("#").split("/")[1:]:
            found = found[step] if isinstance(found, dict) else None
        if not isinstance(found, dict):
            raise KeyError(ref)
        schema = found
    return schema, refs


def branches_of(schema: JsonObject) -> list[JsonValue]:
    """Return the alternative schemas, or []."""
    branches = schema.get("anyOf") or schema.get("oneOf")
    return branches if isinstance(branches, list) else []


def kind_of(schema: JsonObject) -> str:
    """Return the type: null if it is an alternative, and object if there are properties."""
    named = schema.get("type", "object" if "properties" in schema else "null")
    kinds = [str(kind).lower() for kind in (named if isinstance(named, list) else [named])]
    return "null" if "null" in kinds else kinds[0]


def limit(schema: JsonObject, key: str, otherwise: float = math.inf) -> float:
    """Return the number at `key`, or the default."""
    value = schema.get(key)
    return value if isinstance(value, int | float) else otherwise


def _of_branches(branches: list[JsonValue], root: JsonObject, refs: tuple[str, ...]) -> JsonValue:
    # Null first, since it decides least and ends recursion.
    for branch in sorted(branches, key=lambda each: not (isinstance(each, dict) and each.get("type") == "null")):
        try:
            return answer_for(branch, root, refs)
        except Unanswerable:
            continue
    raise Unanswerable("no branch can be answered")


def _of_kind(flat: JsonObject, whole: JsonObject, refs: tuple[str, ...]) -> JsonValue:
    match kind_of(flat):
        case "object":
            return _object(flat, whole, refs)
        case "array":
            return _array(flat, whole, refs)
        case "string":
            return _STRINGS.get(str(flat.get("format")), _WORD)
        case "integer" | "number" as kind:
            return _number(flat, whole=kind == "integer")
        case "boolean":
            return False
        case _:
            return None


def _object(schema: JsonObject, root: JsonObject, refs: tuple[str, ...]) -> JsonObject:
    properties, required = schema.get("properties"), schema.get("required")
    made: JsonObject = {}
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        try:
            made[name] = answer_for(inner, root, refs)
        except Unanswerable:
            if isinstance(required, list) and name in required:
                raise
    return made


def _array(schema: JsonObject, root: JsonObject, refs: tuple[str, ...]) -> list[JsonValue]:
    prefix = schema.get("prefixItems")
    made = [answer_for(item, root, refs) for item in prefix] if isinstance(prefix, list) else []
    missing = int(limit(schema, "minItems", 0)) - len(made)
    return [*made, *(answer_for(schema.get("items"), root, refs) for _ in range(missing))]


def _number(schema: JsonObject, *, whole: bool) -> float:
    """Return the lower bound, else zero or a lower upper bound."""
    low, high = limit(schema, "minimum", -math.inf), min(0, limit(schema, "maximum"))
    if not whole:
        return low if low > -math.inf else high
    return math.ceil(low) if low > -math.inf else math.floor(high)
