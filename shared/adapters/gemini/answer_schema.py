"""An answer's pydantic model as the JSON schema that Gemini takes.

The API documents which keywords `responseJsonSchema` may have; of others it ignores some and refuses some, and a
sub-schema with `$ref` may hold nothing beside it (400 "schema at properties.draft can only contain properties starting
with '$' when $ref is present", google-gemini/gemini-cli #4758). So references are written out, and what the API does
not know is left out: pydantic checks it when the answer comes. Read on 2026-11-23:
https://ai.google.dev/api/generate-content#v1beta.GenerationConfig
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

KEYWORDS = frozenset(
    {
        "type",
        "format",
        "title",
        "description",
        "enum",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
        "properties",
        "additionalProperties",
        "required",
    }
)


# Bounded: some agents' schemas are made for one turn, with the ids that may be chosen in it.
@lru_cache(maxsize=128)
def answer_schema(answers: type[BaseModel]) -> dict[str, Any]:
    """Return the schema to send.

    Raises:
        ValueError: The model refers to itself, or a field has no type that the API knows.
    """
    raw = answers.model_json_schema()
    return _plain(raw, raw.get("$defs", {}), ())


def _plain(node: Mapping[str, Any], definitions: Mapping[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
    """Return a sub-schema without references and unknown keywords."""
    if "$ref" in node:
        name = str(node["$ref"]).rsplit("/", 1)[-1]
        if name in inside:
            raise ValueError(f"{name} refers to itself: an answer's schema is written out whole")
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _plain({**definitions[name], **beside}, definitions, (*inside, name))
    plain = {key: _value(key, value, definitions, inside) for key, value in node.items() if key in KEYWORDS}
    if "const" in node:
        plain["enum"] = [node["const"]]
    if "oneOf" in node:
        plain["anyOf"] = [_plain(one, definitions, inside) for one in node["oneOf"]]
    if not plain.keys() & {"type", "anyOf", "enum"}:
        raise ValueError(f"no type that the provider knows: {sorted(node)}")
    return plain


def _value(key: str, value: Any, definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Any:
    match key:
        case "properties":
            return {name: _plain(one, definitions, inside) for name, one in value.items()}
        case "anyOf" | "prefixItems":
            return [_plain(one, definitions, inside) for one in value]
        case "items" | "additionalProperties" if isinstance(value, Mapping):
            return _plain(value, definitions, inside)
        case _:
            return value
