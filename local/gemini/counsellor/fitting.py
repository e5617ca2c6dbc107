"""Makes an answer fit its schema: what does not fit gives way to the generic value."""

from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.schema_answers import answer_for
from local.gemini.schema_merge import flattened
from local.gemini.schema_scalars import limit


def fit(schema: JsonObject, value: JsonValue, root: JsonObject | None = None) -> JsonValue:
    """Return the value as the schema allows it.

    Raises:
        Unanswerable: Neither the value nor a generic one fits.
    """
    whole = root or schema
    flat, _ = flattened(schema, whole)
    branches = flat.get("anyOf") or flat.get("oneOf")
    if isinstance(branches, list):
        return _branch(branches, value, whole)
    allowed = flat.get("enum", [flat["const"]] if "const" in flat else None)
    if isinstance(allowed, list):
        return value if value in allowed else _generic(flat, whole)
    match flat.get("type"), value:
        case "boolean", bool():
            return value
        case "integer" | "number", int() | float() if not isinstance(value, bool):
            return _number(flat, value)
        case "string", str() if not {"pattern", "format"} & flat.keys():
            longest = limit(flat, "maxLength")
            made: JsonValue = value if longest is None else value[: int(longest)]
            fits = len(value) >= (limit(flat, "minLength") or 0)
        case "array", list():
            made = _array(flat, value, whole)
            fits = len(made) >= (limit(flat, "minItems") or 0)
        case "object", dict() if isinstance(flat.get("properties"), dict):
            return _object(flat, value, whole)
        case _:
            return _generic(flat, whole)
    return made if fits else _generic(flat, whole)


def _generic(schema: JsonObject, root: JsonObject) -> JsonValue:
    definitions: JsonObject = {key: root[key] for key in ("$defs", "definitions") if key in root}
    return answer_for({**schema, **definitions})


def _branch(branches: list[JsonValue], value: JsonValue, root: JsonObject) -> JsonValue:
    options = [branch for branch in branches if isinstance(branch, dict)]
    for branch in options:
        if (made := fit(branch, value, root)) == value:
            return made
    for branch in options:
        if value is not None and flattened(branch, root)[0].get("type") != "null":
            return fit(branch, value, root)
    return _generic({"anyOf": branches}, root)


def _object(schema: JsonObject, value: JsonObject, root: JsonObject) -> JsonObject:
    properties, required = schema["properties"], schema.get("required")
    made: JsonObject = {}
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        if isinstance(inner, dict) and name in value:
            made[name] = fit(inner, value[name], root)
        elif isinstance(required, list) and name in required and isinstance(inner, dict):
            made[name] = _generic(inner, root)
    return made


def _array(schema: JsonObject, value: list[JsonValue], root: JsonObject) -> list[JsonValue]:
    items, most = schema.get("items"), limit(schema, "maxItems")
    made = [fit(items, item, root) if isinstance(items, dict) else item for item in value]
    return made if most is None else made[: int(most)]


def _number(schema: JsonObject, value: float) -> float:
    low, high = limit(schema, "minimum"), limit(schema, "maximum")
    kept = value if low is None else max(value, low)
    kept = kept if high is None else min(kept, high)
    return round(kept) if schema.get("type") == "integer" else kept
