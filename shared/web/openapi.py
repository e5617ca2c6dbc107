"""The OpenAPI 3.1 document of a table of endpoints."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, get_args

from pydantic import BaseModel, JsonValue
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from shared.contracts.chat import ChatReply
from shared.contracts.events import Done, StreamEvent, TurnEvent
from shared.contracts.problem import Problem
from shared.domain.errors import (
    AppCheckFailed,
    CBotError,
    IdentityUnavailable,
    InvalidInput,
    NotFound,
    StoreUnavailable,
    TooManyRequests,
    Unauthenticated,
)
from shared.web.endpoint import Endpoint
from shared.web.errors import BodyTooLarge, FormRequired, InvalidJson, RequestTimeout, UnsupportedMediaType
from shared.web.negotiation import EVENT_STREAM
from shared.web.problems import PROBLEM_JSON, status_of
from shared.web.reference import Reference
from shared.web.requests import APP_CHECK_HEADER

Json = dict[str, JsonValue]
REFERENCE = "#/components/schemas/{model}"
TURN_EVENT: Json = {"$ref": REFERENCE.format(model="TurnEvent")}
_ID: Json = {
    "type": "string",
    "pattern": r"^\d{1,9}\.\d{1,9}$",
    "description": "`{seq}.{n}`, for `Last-Event-ID`; absent where there is nothing to go on from",
}
References = Mapping[tuple[type[BaseModel], JsonSchemaMode], Json]
_RETRY_AFTER: Json = {"description": "Seconds to wait before the next try", "schema": {"type": "integer"}}
_OF_FORMS = (FormRequired, RequestTimeout, InvalidInput)
_OF_BODIES = (InvalidJson, UnsupportedMediaType, BodyTooLarge, RequestTimeout, InvalidInput)


@dataclass(frozen=True)
class Described:
    """What is described, and how.

    Attributes:
        version: Version of the API, not of the build.
        path_patterns: Patterns of path parameters by name.
    """

    endpoints: Sequence[Endpoint[Any]]
    title: str
    version: str
    path_patterns: Mapping[str, str]
    reference: Reference


def describe(api: Described) -> Json:
    references, definitions = _schemas(api.endpoints)
    paths: dict[str, Any] = {}
    for endpoint in api.endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, references, api)
    reference = api.reference
    return {
        "openapi": "3.1.0",
        "info": {
            "title": api.title,
            "version": api.version,
            "description": reference.description,
            "license": reference.license.model_dump(),
        },
        "servers": [server.model_dump(exclude_defaults=True) for server in reference.servers],
        "tags": [tag.model_dump(exclude={"operations"}) for tag in reference.tags],
        "paths": paths,
        "components": {
            "schemas": definitions,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "Firebase ID token"}},
        },
    }


def _schemas(endpoints: Sequence[Endpoint[Any]]) -> tuple[References, Json]:
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = [(Problem, "serialization"), (ChatReply, "serialization")]
    for endpoint in endpoints:
        if endpoint.request is not None:
            models.append((endpoint.request, "validation"))
        if endpoint.form is not None:
            models.append((endpoint.form, "validation"))
        for body in (endpoint.response, *endpoint.also.values()):
            models += [(body, "serialization")] if body is not None else []
    unique = list(dict.fromkeys(models))
    found, schema = models_json_schema(unique, ref_template=REFERENCE)
    references = {(model, mode): found[model, mode] for model, mode in unique}
    definitions = schema["$defs"]
    for endpoint in endpoints:
        if endpoint.query is not None:
            definitions |= endpoint.query.model_json_schema(ref_template=REFERENCE).get("$defs", {})
    return references, definitions | event_schemas(references[ChatReply, "serialization"])


def _operation(endpoint: Endpoint[Any], references: References, api: Described) -> Json:
    told = api.reference.told_of(endpoint.name)
    described: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        **({"description": told.description} if told.description else {}),
        "tags": api.reference.tags_of(endpoint.name),
        "security": [{"bearer": []}] if endpoint.auth else [],
        "parameters": [*_path_parameters(endpoint, api), *_query_parameters(endpoint)],
        "responses": _responses(endpoint, references, api.reference),
    }
    if endpoint.stream:
        last_seen = "`{seq}.{n}` of the last event seen; the stream goes on behind it."
        described["parameters"].append(_header("Last-Event-ID", last_seen))
    if endpoint.auth:
        described["parameters"].append(_header(APP_CHECK_HEADER, "Firebase App Check token, where one is asked for."))
    for media, body in (("application/json", endpoint.request), ("multipart/form-data", endpoint.form)):
        if body is not None:
            content = {media: _with_example(references[body, "validation"], told.request)}
            described["requestBody"] = {"required": True, "content": content}
    return described


def _with_example(schema: JsonValue, example: JsonValue) -> Json:
    return {"schema": schema, **({} if example is None else {"example": example})}


def _header(name: str, description: str) -> Json:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": {"type": "string"}}


def _path_parameters(endpoint: Endpoint[Any], api: Described) -> list[Json]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": api.reference.parameters[name],
            "schema": {"type": "string", "pattern": f"^{api.path_patterns[name]}$"},
        }
        for name in _path_names(endpoint)
    ]


def _path_names(endpoint: Endpoint[Any]) -> list[str]:
    return re.findall(r"\{(\w+)\}", endpoint.path)


def _query_parameters(endpoint: Endpoint[Any]) -> list[Json]:
    if endpoint.query is None:
        return []
    properties = endpoint.query.model_json_schema(ref_template=REFERENCE)["properties"]
    return [{"name": name, "in": "query", "required": False, "schema": schema} for name, schema in properties.items()]


def _responses(endpoint: Endpoint[Any], references: References, reference: Reference) -> Json:
    responses: dict[str, Any] = {str(endpoint.status): _success(endpoint, references, reference)}
    for status, body in endpoint.also.items():
        responses[str(status)] = {"description": first_words(body), "content": _json(body, references)}
    codes: dict[int, set[str]] = {500: {CBotError.code}}
    for error in _errors(endpoint):
        codes.setdefault(status_of(error), set()).add(error.code)
    for status in sorted(codes):
        examples = {code: {"value": reference.problems[code]} for code in sorted(codes[status] & {*reference.problems})}
        problem = {"schema": references[Problem, "serialization"], **({"examples": examples} if examples else {})}
        responses[str(status)] = {
            "description": ", ".join(f"`{code}`" for code in sorted(codes[status])),
            "content": {PROBLEM_JSON: problem},
            **({"headers": {"Retry-After": _RETRY_AFTER}} if status in (429, 503) else {}),
        }
    return responses


def _errors(endpoint: Endpoint[Any]) -> list[type[CBotError]]:
    found = list(endpoint.errors)
    if endpoint.request is not None:
        found += _OF_BODIES
    if endpoint.form is not None:
        found += _OF_FORMS
    if _path_names(endpoint):
        found.append(NotFound)
    if endpoint.query is not None:
        found.append(InvalidInput)
    if endpoint.auth:
        found += [
            InvalidInput,
            *([TooManyRequests] if endpoint.method == "GET" else []),
            Unauthenticated,
            AppCheckFailed,
            IdentityUnavailable,
            StoreUnavailable,
        ]
    return found


def _success(endpoint: Endpoint[Any], references: References, reference: Reference) -> Json:
    if endpoint.media is not None:
        return {"description": endpoint.summary, "content": {endpoint.media: {"schema": {"type": "string"}}}}
    if endpoint.response is None:
        return {"description": "Done"}
    content = _json(endpoint.response, references, reference.told_of(endpoint.name).responses.get(endpoint.status))
    if endpoint.stream:
        examples: Json = {event: {"value": example} for event, example in reference.events.items()}
        content[EVENT_STREAM] = {"schema": TURN_EVENT, "examples": examples}
    return {"description": first_words(endpoint.response), "content": content}


def _json(body: type[BaseModel], references: References, example: JsonValue = None) -> Json:
    return {"application/json": _with_example(references[body, "serialization"], example)}


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
