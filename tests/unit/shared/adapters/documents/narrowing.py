"""Whether everything that fitted an older JSON schema fits a newer one.

It knows the keywords that pydantic writes for stored models; of any other that has changed it says so, so that the rule
errs on the safe side.
"""

ANNOTATIONS = {"title", "description", "default", "examples"}
NAMED = {"properties", "$defs"}
FLOORS = {"minimum", "exclusiveMinimum", "minLength", "minItems"}
CEILINGS = {"maximum", "exclusiveMaximum", "maxLength", "maxItems"}
NESTED = {"properties", "required", "additionalProperties", "items", "prefixItems", "type", "enum", "const"}


def bare(schema):
    """Return a schema without what only describes."""
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
    """Return what fits the old schema and not the new one, a line each; nothing when documents stay readable."""
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
    yield from _values(old, new, here)
    yield from _limits(old, new, here)
    if new.get("type") == "object":
        yield from _fields(old, new, defs, where)
    if new.get("type") == "array":
        yield from _items(old, new, defs, where)


def _values(old, new, here):
    was, may_be = _allowed(old), _allowed(new)
    if may_be is not None and (was is None or any(value not in may_be for value in was)):
        yield f"{here}: was {was or 'free'}, is {may_be}"


def _allowed(schema):
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _limits(old, new, here):
    for keyword, value in new.items():
        was = old.get(keyword)
        if keyword in FLOORS:
            fits = was is not None and was >= value
        elif keyword in CEILINGS:
            fits = was is not None and was <= value
        else:
            fits = keyword in NESTED or was == value
        if not fits:
            yield f"{here}: {keyword} was {was}, is {value}"


def _fields(old, new, defs, where):
    before, after = old.get("properties", {}), new.get("properties", {})
    for name in sorted(set(new.get("required", [])) - set(old.get("required", []))):
        yield f"{_at(where, name)}: is required now"
    rest = new.get("additionalProperties", {})
    for name, field in before.items():
        if name in after:
            yield from _compare(field, after[name], defs, _at(where, name))
        elif rest is False:
            yield f"{_at(where, name)}: is gone"
    was = old.get("additionalProperties", {})
    if rest is False and was is not False:
        yield f"{where or 'the document'}: had fields of any name"
    elif isinstance(rest, dict) and isinstance(was, dict):
        yield from _compare(was, rest, defs, _at(where, "*"))


def _items(old, new, defs, where):
    before, after = old.get("prefixItems", []), new.get("prefixItems", [])
    for index, (item, now) in enumerate(zip(before, after, strict=False)):
        yield from _compare(item, now, defs, _at(where, str(index)))
    yield from _compare(old.get("items", {}), new.get("items", {}), defs, _at(where, "[]"))


def _at(where, name):
    return f"{where}.{name}" if where else name
