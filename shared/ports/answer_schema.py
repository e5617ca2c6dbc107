"""The subset of JSON Schema that Gemini enforces on answers.

The list is the description of `response_json_schema` in google-genai 3.4, the same in Google's API reference (read on
2026-11-23). The model may omit a field that is not required.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Node: TypeAlias = Mapping[str, Any]

KEYWORDS = frozenset(
    {
        *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum"),
        *("items", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf"),
        *("properties", "additionalProperties", "required", "propertyOrdering"),
    }
)
"""Other keywords are ignored or refused; `oneOf` is read as `anyOf`."""
FORMATS = frozenset({"date-time", "date", "time"})
"""String formats (ai.google.dev, "Structured outputs")."""


def unsupported(schema: Node) -> list[str]:
    """Return the constructs that Gemini does not support, each with its place in the schema."""
    found = []
    for place, node in _nodes(schema, schema, "answer", ()):
        found += [f"{place}: {keyword} is not supported" for keyword in node if keyword not in KEYWORDS]
        if "$ref" in node and any(not keyword.startswith("$") for keyword in node):
            found.append(f"{place}: nothing may stand beside $ref")
        if not all(isinstance(member, str | int | float) for member in node.get("enum", ())):
            found.append(f"{place}: enum holds more than strings and numbers")
        if node.get("format", "date") not in FORMATS:
            found.append(f"{place}: format {node['format']} is not supported")
        if node.get("$ref") == _CYCLE:
            found.append(f"{place}: a required field leads back to itself")
    return found


def optional(schema: Node) -> list[str]:
    """Return the optional fields, by their place in the schema."""
    return [
        f"{place}.{name}"
        for place, node in _nodes(schema, schema, "answer", ())
        for name in node.get("properties", ())
        if name not in node.get("required", ())
    ]


_CYCLE = "cycle"


def _nodes(root: Node, node: Node, place: str, refs: tuple[str, ...]) -> Iterator[tuple[str, Node]]:
    """Yield every subschema with its place; references are followed once per path."""
    ref = node.get("$ref")
    if ref in refs:
        yield place, {"$ref": _CYCLE}
        return
    yield place, node
    if ref is not None:
        yield from _nodes(root, root["$defs"][ref.rpartition("/")[2]], place, (*refs, ref))
    for name, inner in node.get("properties", {}).items():
        yield from _nodes(root, inner, f"{place}.{name}", refs)
    for keyword in ("items", "additionalProperties"):
        if isinstance(inner := node.get(keyword), Mapping):
            yield from _nodes(root, inner, f"{place}[]", refs)
    for keyword in ("prefixItems", "anyOf", "oneOf"):
        for inner in node.get(keyword, ()):
            yield from _nodes(root, inner, place, refs)
