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
    if flat.get("type") == "boolean" and isinstance(value, bool):
        return value
    return _KINDS.get(str(flat.get("type")), _generic_instead)(flat, value, whole)


def _generic_instead(schema: JsonObject, value: JsonValue, root: JsonObject) -> JsonValue:
    del value
    return _generic(schema, root)


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


def _object(schema: JsonObject, value: JsonValue, root: JsonObject) -> JsonValue:
    properties = schema.get("properties")
    if not isinstance(value, dict):
        return _generic(schema, root)
    if not isinstance(properties, dict):
        inner = schema.get("additionalProperties")
        return {key: fit(inner, item, root) if isinstance(inner, dict) else item for key, item in value.items()}
    required = schema.get("required")
    made: JsonObject = {}
    for name, inner in properties.items():
        if isinstance(inner, dict) and name in value:
            made[name] = fit(inner, value[name], root)
        elif isinstance(required, list) and name in required and isinstance(inner, dict):
            made[name] = _generic(inner, root)
    return made


def _array(schema: JsonObject, value: JsonValue, root: JsonObject) -> JsonValue:
    items = schema.get("items")
    if not isinstance(value, list):
        return _generic(schema, root)
    most = limit(schema, "maxItems")
    made = [fit(items, item, root) if isinstance(items, dict) else item for item in value]
    kept = made if most is None else made[: int(most)]
    return kept if len(kept) >= (limit(schema, "minItems") or 0) else _generic(schema, root)


def _string(schema: JsonObject, value: JsonValue, root: JsonObject) -> JsonValue:
    if not isinstance(value, str) or "pattern" in schema or "format" in schema:
        return _generic(schema, root)
    longest = limit(schema, "maxLength")
    cut = value if longest is None else value[: int(longest)]
    return cut if len(cut) >= (limit(schema, "minLength") or 0) else _generic(schema, root)


def _number(schema: JsonObject, value: JsonValue, root: JsonObject) -> JsonValue:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _generic(schema, root)
    low, high = limit(schema, "minimum"), limit(schema, "maximum")
    kept = value if low is None else max(value, low)
    kept = kept if high is None else min(kept, high)
    return round(kept) if schema.get("type") == "integer" else kept


_KINDS = {"object": _object, "array": _array, "string": _string, "integer": _number, "number": _number}
