"""The OpenAPI 3.1 document of a table of endpoints."""

import re
from collections.abc import Mapping, Sequence
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
from shared.web.requests import APP_CHECK_HEADER

Json = dict[str, JsonValue]
References = Mapping[tuple[type[BaseModel], JsonSchemaMode], Json]
REFERENCE = "#/components/schemas/{model}"
_OF_FORMS = (FormRequired, RequestTimeout, InvalidInput)
_OF_BODIES = (InvalidJson, UnsupportedMediaType, BodyTooLarge, RequestTimeout, InvalidInput)


def describe(endpoints: Sequence[Endpoint], title: str, version: str, path_patterns: Mapping[str, str]) -> Json:
    """Return the document.

    Args:
        endpoints: The table of endpoints.
        title: Title of the API.
        version: Version of the API, not of the build.
        path_patterns: Patterns of path parameters by name.
    """
    references, definitions = _schemas(endpoints)
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        described = _operation(endpoint, references, path_patterns)
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version},
        "paths": paths,
        "components": {
            "schemas": definitions,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "Firebase ID token"}},
        },
    }


def _schemas(endpoints: Sequence[Endpoint]) -> tuple[References, Json]:
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
    return references, definitions


def _operation(endpoint: Endpoint, references: References, path_patterns: Mapping[str, str]) -> Json:
    described: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "security": [{"bearer": []}] if endpoint.auth else [],
        "parameters": [*_path_parameters(endpoint, path_patterns), *_query_parameters(endpoint)],
        "responses": _responses(endpoint, references),
    }
    if endpoint.stream:
        last_seen = "`{seq}.{n}` of the last event seen; the stream goes on behind it."
        described["parameters"].append(_header("Last-Event-ID", last_seen))
    if endpoint.auth:
        described["parameters"].append(_header(APP_CHECK_HEADER, "Firebase App Check token, where one is asked for."))
    if endpoint.request is not None:
        schema = references[endpoint.request, "validation"]
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if endpoint.form is not None:
        schema = references[endpoint.form, "validation"]
        described["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": schema}}}
    return described


def _header(name: str, description: str) -> Json:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": {"type": "string"}}


def _path_parameters(endpoint: Endpoint, patterns: Mapping[str, str]) -> list[Json]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "pattern": f"^{patterns[name]}$"}}
        for name in _path_names(endpoint)
    ]


def _path_names(endpoint: Endpoint) -> list[str]:
    return re.findall(r"\{(\w+)\}", endpoint.path)


def _query_parameters(endpoint: Endpoint) -> list[Json]:
    if endpoint.query is None:
        return []
    properties = endpoint.query.model_json_schema(ref_template=REFERENCE)["properties"]
    return [{"name": name, "in": "query", "required": False, "schema": schema} for name, schema in properties.items()]


def _responses(endpoint: Endpoint, references: References) -> Json:
    responses: dict[str, Any] = {str(endpoint.status): _success(endpoint, references)}
    for status, body in endpoint.also.items():
        responses[str(status)] = {"description": (body.__doc__ or "").strip(), "content": _json(body, references)}
    codes: dict[int, set[str]] = {500: {CBotError.code}}
    for error in _errors(endpoint):
        codes.setdefault(status_of(error), set()).add(error.code)
    for status in sorted(codes):
        responses[str(status)] = {
            "description": ", ".join(f"`{code}`" for code in sorted(codes[status])),
            "content": {PROBLEM_JSON: {"schema": references[Problem, "serialization"]}},
            **({"headers": {"Retry-After": {"schema": {"type": "integer"}}}} if status in (429, 503) else {}),
        }
    return responses


def _errors(endpoint: Endpoint) -> list[type[CBotError]]:
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


def _success(endpoint: Endpoint, references: References) -> Json:
    if endpoint.media is not None:
        return {"description": endpoint.summary, "content": {endpoint.media: {"schema": {"type": "string"}}}}
    if endpoint.response is None:
        return {"description": "Done"}
    content = _json(endpoint.response, references)
    if endpoint.stream:
        content[EVENT_STREAM] = {"schema": {"type": "string"}, "x-sse-events": _events(references)}
    return {"description": (endpoint.response.__doc__ or "").strip(), "content": content}


def _json(body: type[BaseModel], references: References) -> Json:
    return {"application/json": {"schema": references[body, "serialization"]}}


def _events(references: References) -> Json:
    """Return the schema of each event's `data`: OpenAPI 3.1 cannot describe event streams."""
    union, *_ = get_args(TurnEvent)
    kinds: tuple[type[StreamEvent], ...] = get_args(union)
    described: Json = {}
    for kind in kinds:
        schema = kind.model_json_schema(ref_template=REFERENCE)
        schema["properties"].pop("event")
        schema.pop("$defs", None)  # a problem and a reply contain the same definitions, which are described once
        name = kind.model_fields["event"].default
        described[name] = references[ChatReply, "serialization"] if kind is Done else schema
    return described
