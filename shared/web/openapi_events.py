"""The events of a turn's stream as schemas: OpenAPI 3.1 has no words for event streams, but generators keep these."""

from inspect import cleandoc
from typing import get_args

from pydantic import BaseModel, JsonValue

from shared.contracts.events import Done, StreamEvent, TurnEvent

Json = dict[str, JsonValue]
REFERENCE = "#/components/schemas/{model}"
TURN_EVENT: Json = {"$ref": REFERENCE.format(model="TurnEvent")}
_ID: Json = {
    "type": "string",
    "pattern": r"^\d{1,9}\.\d{1,9}$",
    "description": "`{seq}.{n}`, for `Last-Event-ID`; absent where there is nothing to go on from",
}


def event_schemas(done: JsonValue) -> Json:
    """Return `TurnEvent`, which is one of the events, with each event and its data; `done` refers to a reply.

    An event is an object of the fields of server-sent events, with `data` as the JSON that stands in it.
    """
    union, *_ = get_args(TurnEvent)
    kinds: tuple[type[StreamEvent], ...] = get_args(union)
    definitions: Json = {}
    mapping: dict[str, JsonValue] = {}
    for kind in kinds:
        event = str(kind.model_fields["event"].default)
        name = "".join(part.capitalize() for part in event.split("_"))
        data = done
        if kind is not Done:
            definitions[f"{name}Data"] = _data(kind, f"{name}Data")
            data = {"$ref": REFERENCE.format(model=f"{name}Data")}
        definitions[f"{name}Event"] = {
            "type": "object",
            "description": first_words(kind),
            "properties": {"id": _ID, "event": {"type": "string", "const": event}, "data": data},
            "required": ["event", "data"],
        }
        mapping[event] = REFERENCE.format(model=f"{name}Event")
    return definitions | {
        "TurnEvent": {
            "description": "One event of a turn's stream; the last one is `done` or `error`",
            "oneOf": [{"$ref": reference} for reference in mapping.values()],
            "discriminator": {"propertyName": "event", "mapping": mapping},
        }
    }


def _data(kind: type[StreamEvent], title: str) -> Json:
    schema = kind.model_json_schema(ref_template=REFERENCE)
    schema["properties"].pop("event")
    schema.pop("$defs", None)  # a problem and a reply contain the same definitions, which are described once
    return {**schema, "title": title, "description": f"The data of `{kind.model_fields['event'].default}`"}


def first_words(model: type[BaseModel]) -> str:
    """Return the first paragraph of a model's docstring."""
    return cleandoc(model.__doc__ or "").partition("\n\n")[0]
