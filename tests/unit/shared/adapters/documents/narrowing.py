"""Whether everything that fitted an older JSON schema fits a newer one.

It knows the keywords that pydantic writes for stored models, and reports a change of any other keyword.
"""

ANNOTATIONS = {"title", "description", "default", "examples"}
NAMED = {"properties", "$defs"}
FLOORS = {"minimum", "exclusiveMinimum", "minLength", "minItems"}
CEILINGS = {"maximum", "exclusiveMaximum", "maxLength", "maxItems"}
NESTED = {"properties", "required", "additionalProperties", "items", "prefixItems", "type", "enum", "const"}


def bare(schema):
    """Return a schema without its annotations."""
    if isinstance(schema, list):
        return [bare(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: bare(item) for name, item in value.items()} if key in NAMED else bare(value)
        for key, value in schema.items()
        if key not in ANNOTATIONS
    }


def narrowed(old, new):
    """Return a line for each thing that the old schema accepts and the new one does not."""
    return sorted(set(_compare(old, new, (old.get("$defs", {}), new.get("$defs", {})), "")))


def _compare(old, new, defs, where):
    options, choices = _alternatives(old, defs[0]), _alternatives(new, defs[1])
    if {} in choices:
        return
    for option in options:
        problems = [list(_option(option, choice, defs, where)) for choice in choices]
        if not any(not found for found in problems):
            yield from min(problems, key=len)


def _alternatives(schema, definitions):
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return [one for option in schema["anyOf"] for one in _alternatives(option, definitions)]
    return [{key: value for key, value in schema.items() if key not in ANNOTATIONS | {"$defs"}}]


def _option(old, new, defs, where):
    here = where or "the document"
    if old.get("type") != new.get("type") and (old.get("type"), new.get("type")) != ("integer", "number"):
        yield f"{here}: was {old.get('type', 'anything')}, is {new.get('type', 'anything')}"
        return
    was, may_be = _allowed(old), _allowed(new)
    if may_be is not None and (was is None or any(value not in may_be for value in was)):
        yield f"{here}: was {was or 'free'}, is {may_be}"
    for keyword, bound in new.items():
        if not _fits(keyword, old.get(keyword), bound):
            yield f"{here}: {keyword} was {old.get(keyword)}, is {bound}"
    if new.get("type") == "object":
        yield from _fields(old, new, defs, where)
    if new.get("type") == "array":
        for index, (item, now) in enumerate(zip(old.get("prefixItems", []), new.get("prefixItems", []), strict=False)):
            yield from _compare(item, now, defs, _at(where, str(index)))
        yield from _compare(old.get("items", {}), new.get("items", {}), defs, _at(where, "[]"))


def _allowed(schema):
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _fits(keyword, was, bound):
    if keyword in FLOORS:
        return was is not None and was >= bound
    if keyword in CEILINGS:
        return was is not None and was <= bound
    return keyword in NESTED or was == bound


def _fields(old, new, defs, where):
    after, rest = new.get("properties", {}), new.get("additionalProperties", {})
    was = old.get("additionalProperties", {})
    for name in sorted(set(new.get("required", [])) - set(old.get("required", []))):
        yield f"{_at(where, name)}: is required now"
    for name, field in old.get("properties", {}).items():
        if name in after:
            yield from _compare(field, after[name], defs, _at(where, name))
        elif rest is False:
            yield f"{_at(where, name)}: is gone"
    if rest is False and was is not False:
        yield f"{where or 'the document'}: had fields of any name"
    elif isinstance(rest, dict) and isinstance(was, dict):
        yield from _compare(was, rest, defs, _at(where, "*"))


def _at(where, name):
    return f"{where}.{name}" if where else name
