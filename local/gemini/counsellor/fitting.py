"""Fits an answer to its schema; parts that do not fit become generic values."""

import math

from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.schema_answers import answer_for, branches_of, kind_of, limit, resolved


def fit(schema: JsonValue, value: JsonValue, root: JsonObject) -> JsonValue:
    """Return the value in the form that a schema in `root` allows.

    Raises:
        Unanswerable: Neither the value nor a generic one fits.
        KeyError: A reference is broken.
    """
    if not isinstance(schema, dict):
        return value
    flat, _ = resolved(schema, root)
    if branches := branches_of(flat):
        fitting = (made for branch in branches if (made := fit(branch, value, root)) == value)
        return next(fitting, answer_for(flat, root))
    members = flat.get("enum")
    if isinstance(members, list):
        return value if value in members else answer_for(flat, root)
    match kind_of(flat), value:
        case ("boolean", bool()) | ("string", str()) | ("null", None):
            return value
        case "integer" | "number", int() | float() if not isinstance(value, bool):
            low, high = limit(flat, "minimum", -math.inf), limit(flat, "maximum")
            kept = min(max(value, low), high)
            return round(kept) if kind_of(flat) == "integer" else kept
        case "array", list() if len(value) >= limit(flat, "minItems", 0):
            return [
                fit(flat.get("items"), item, root) for item in value[: int(min(limit(flat, "maxItems"), len(value)))]
            ]
        case "object", dict():
            return _object(flat, value, root)
        case _:
            return answer_for(flat, root)


def _object(schema: JsonObject, value: JsonObject, root: JsonObject) -> JsonObject:
    properties, required = schema.get("properties"), schema.get("required")
    given = properties.items() if isinstance(properties, dict) else ()
    needed = required if isinstance(required, list) else []
    made = {name: fit(inner, value[name], root) for name, inner in given if name in value}
    return made | {name: answer_for(inner, root) for name, inner in given if name in needed and name not in value}
