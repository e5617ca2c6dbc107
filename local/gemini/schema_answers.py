"""Makes a valid value for any JSON schema: the simulator's answer when nobody knows better.

The values are conservative, so that an agent which gets them decides nothing: null where allowed, false, the
first enum member, the lower bound, an empty list, a short string. The same schema gives the same value.
"""

from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.schema_merge import Unanswerable, flattened, merge
from local.gemini.schema_scalars import limit, number_for, string_for


def answer_for(schema: JsonObject) -> JsonValue:
    """Make a value of `schema` (JSON Schema as pydantic writes it, or Gemini's OpenAPI subset).

    Raises:
        Unanswerable: No value was found.
    """
    return _Answerer(schema).value(schema, 0, ())


class _Answerer:
    """Answers below one root, to which references point.

    `variant` asks for the n-th different value, for items of a list that must differ; `refs` are the
    references being answered, outermost first.
    """

    def __init__(self, root: JsonObject) -> None:
        self._root = root

    def value(self, schema: JsonValue, variant: int, refs: tuple[str, ...]) -> JsonValue:
        if schema is False:
            raise Unanswerable("schema is false")
        if not isinstance(schema, dict):
            return None
        flat, refs = flattened(schema, self._root, refs)
        if "const" in flat:
            return flat["const"]
        members = flat.get("enum")
        if isinstance(members, list):
            return _pick(members, variant)
        kinds = _kinds(flat)
        if "null" in kinds or flat.get("nullable") is True:
            return None
        for key in ("anyOf", "oneOf"):
            branches = flat.get(key)
            if isinstance(branches, list) and branches:
                base = {k: v for k, v in flat.items() if k not in {"anyOf", "oneOf"}}
                return self._first_branch(branches, base, variant, refs)
        return self._of_kind(kinds[0] if kinds else "null", flat, variant, refs)

    def _first_branch(
        self, branches: list[JsonValue], base: JsonObject, variant: int, refs: tuple[str, ...]
    ) -> JsonValue:
        # Null first: an absent value decides least, and it ends recursion.
        ordered = sorted(branches, key=lambda branch: not (isinstance(branch, dict) and "null" in _kinds(branch)))
        for branch in ordered:
            try:
                asked = merge(base, branch) if isinstance(branch, dict) else branch
                return self.value(asked, variant, refs)
            except Unanswerable:
                continue
        raise Unanswerable("no branch can be answered")

    def _of_kind(self, kind: str, schema: JsonObject, variant: int, refs: tuple[str, ...]) -> JsonValue:
        match kind:
            case "object":
                return self._object(schema, variant, refs)
            case "array":
                return self._array(schema, refs)
            case "string":
                return string_for(schema, variant)
            case "integer" | "number":
                return number_for(schema, variant, whole=kind == "integer")
            case "boolean":
                return variant % 2 == 1
            case _:
                return None

    def _object(self, schema: JsonObject, variant: int, refs: tuple[str, ...]) -> JsonValue:
        properties = schema.get("properties")
        required = schema.get("required")
        needed = required if isinstance(required, list) else []
        made: JsonObject = {}
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            try:
                made[name] = self.value(inner, variant, refs)
            except Unanswerable:
                if name in needed:
                    raise
        minimum = limit(schema, "minProperties") or 0
        for i in range(int(minimum) - len(made)):
            key = self.value(schema.get("propertyNames", {"type": "string"}), i, refs)
            made[str(key)] = self.value(schema.get("additionalProperties", {}), variant, refs)
        return made

    def _array(self, schema: JsonObject, refs: tuple[str, ...]) -> JsonValue:
        prefix = schema.get("prefixItems")
        made = [self.value(item, 0, refs) for item in prefix] if isinstance(prefix, list) else []
        minimum = limit(schema, "minItems") or 0
        unique = schema.get("uniqueItems") is True
        variant = 0
        while len(made) < minimum:
            item = self.value(schema.get("items", {}), variant, refs)
            if not unique or item not in made:
                made.append(item)
            elif variant > minimum + 100:
                raise Unanswerable("not enough different items")
            variant += 1
        return made


def _pick(members: list[JsonValue], variant: int) -> JsonValue:
    if not members:
        raise Unanswerable("empty enum")
    return members[variant % len(members)]


def _kinds(schema: JsonObject) -> list[str]:
    """The types that the schema names (lower case), or the one that its other keys imply."""
    named = schema.get("type")
    if isinstance(named, str):
        return [named.lower()]
    if isinstance(named, list):
        return [str(kind).lower() for kind in named]
    implied = {
        "object": {"properties", "required", "additionalProperties", "minProperties"},
        "array": {"items", "prefixItems", "minItems"},
        "string": {"pattern", "minLength", "maxLength", "format"},
        "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    }
    return [kind for kind, keys in implied.items() if keys & schema.keys()][:1]
