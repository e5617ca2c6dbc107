"""Parses requests of the Gemini REST API: either spelling of keys, otherwise as strict as Google."""

import json
import re
from dataclasses import dataclass, field
from typing import cast

from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.models import served, thoughts_of
from local.gemini.problems import invalid
from local.gemini.refusals import check_safety, check_sampling, check_schema, thinking_level

JSON_MIME = "application/json"
DEFAULT_MAX_TOKENS = 8192

_TOP = (
    "cachedContent contents continuationToken enableEnhancedCivicAnswers generationConfig labels model "
    "modelArmorConfig outputConfig safetySettings serviceTier store systemInstruction toolConfig tools"
)
_CONFIG = (
    "audioTimestamp audioTranscriptionConfig candidateCount frequencyPenalty imageConfig logprobs "
    "maxOutputTokens mediaResolution modelConfig presencePenalty responseJsonSchema responseLogprobs "
    "responseMimeType responseModalities responseSchema routingConfig seed speechConfig stopSequences "
    "temperature thinkingConfig topK topP"
)


@dataclass(frozen=True)
class Content:
    """One entry of the dialogue; `role` is "user" or "model"."""

    role: str
    text: str


@dataclass(frozen=True)
class GenerateRequest:
    """A validated request for text.

    Attributes:
        schema: JSON schema of the answer, if any.
        wants_json: The answer's MIME type is JSON.
        thought_tokens: Thought tokens, which count against `max_output_tokens`.
        ttft_factor: Factor on the time to the first token of the fastest model.
        raw: The raw body, for the call log.
    """

    model: str
    system: str
    contents: tuple[Content, ...]
    schema: JsonObject | None
    wants_json: bool
    max_output_tokens: int
    thought_tokens: int
    ttft_factor: float
    raw: JsonObject = field(repr=False)


def parse_object(body: bytes) -> JsonObject:
    """Parse a body that must be a JSON object; its top-level keys become camelCase."""
    try:
        value = json.loads(body)
    except ValueError:
        raise invalid("Invalid JSON payload received. Unexpected token.") from None
    return camel_keys(value, "request")


def camel_keys(value: object, where: str) -> JsonObject:
    """Return the object with camelCase keys: the API accepts both spellings, and the SDK mixes them."""
    if not isinstance(value, dict):
        raise invalid(f"Invalid value at '{where}' (an object is expected).")
    return {re.sub(r"_([a-z])", lambda m: m[1].upper(), key): item for key, item in value.items()}


def parse_generate(model: str, body: bytes, version: str = "v1") -> GenerateRequest:
    """Parse a generateContent body.

    Raises:
        ApiProblem: 400 or 404, like the API.
    """
    known = served(model, version)
    raw = parse_object(body)
    _known(raw, _TOP, "")
    config = camel_keys(raw.get("generationConfig") or {}, "generation_config")
    _known(config, _CONFIG, " at 'generation_config'")
    mime = config.get("responseMimeType")
    schema = _schema(config, wants_json=mime == JSON_MIME)
    check_sampling(config)
    check_safety(raw.get("safetySettings"))
    level = thinking_level(camel_thinking(config), model, known)
    temperature = config.get("temperature", 1)
    if not isinstance(temperature, int | float) or not 0 <= temperature <= 2:
        raise invalid("* GenerateContentRequest.generation_config.temperature: must be in the range [0.0, 2.0]")
    limit = config.get("maxOutputTokens", DEFAULT_MAX_TOKENS)
    if not isinstance(limit, int) or limit < 1:
        raise invalid("max_output_tokens must be positive.")
    given = raw.get("systemInstruction")
    system = "" if given is None else text_of(given, "system_instruction")
    contents = parse_contents(raw.get("contents"))
    return GenerateRequest(
        model=model,
        system=system,
        contents=contents,
        schema=schema,
        wants_json=mime == JSON_MIME,
        max_output_tokens=limit,
        thought_tokens=thoughts_of(known, level, system + "".join(content.text for content in contents)),
        ttft_factor=known.ttft_factor,
        raw=raw,
    )


def parse_contents(value: JsonValue) -> tuple[Content, ...]:
    """Parse `contents`; at least one is required, each with a known role and text."""
    items = [value] if isinstance(value, dict) else value
    if not isinstance(items, list) or not items:
        raise invalid("* GenerateContentRequest.contents: contents is not specified")
    return tuple(_content(item, f"contents[{i}]") for i, item in enumerate(items))


def _content(value: JsonValue, where: str) -> Content:
    role = camel_keys(value, where).get("role") or "user"
    if role not in {"user", "model"}:
        raise invalid("Please use a valid role: user, model.")
    return Content(role=str(role), text=text_of(value, where))


def text_of(value: JsonValue, where: str) -> str:
    """Return the joined text of a content object's parts."""
    parts = camel_keys(value, where).get("parts")
    if isinstance(parts, dict):
        parts = [parts]
    if not isinstance(parts, list) or not parts:
        raise invalid(f"* GenerateContentRequest.{where}.parts: contents.parts must not be empty.")
    texts = [camel_keys(part, f"{where}.parts").get("text") for part in parts]
    if not all(isinstance(text, str) for text in texts):
        problem = "required oneof field 'data' must have one initialized field"
        raise invalid(f"* GenerateContentRequest.{where}.parts[0].data: {problem}")
    return "".join(cast("list[str]", texts))


def camel_thinking(config: JsonObject) -> JsonObject:
    """Return the settings with the keys of `thinkingConfig` in camelCase."""
    thinking = config.get("thinkingConfig")
    return {**config, "thinkingConfig": camel_keys(thinking, "thinking_config")} if thinking else config


def _schema(config: JsonObject, *, wants_json: bool) -> JsonObject | None:
    given = [config[key] for key in ("responseJsonSchema", "responseSchema") if config.get(key) is not None]
    if not given:
        return None
    if len(given) > 1:
        raise invalid("Only one of response_schema and response_json_schema can be set.")
    if not wants_json:
        raise invalid("response_schema is only supported with response_mime_type: application/json")
    if not isinstance(given[0], dict):
        raise invalid("Invalid value at 'generation_config.response_json_schema' (an object is expected).")
    check_schema(given[0])
    return given[0]


def _known(value: JsonObject, names: str, where: str) -> None:
    for key in value.keys() - set(names.split()):
        raise invalid(f'Invalid JSON payload received. Unknown name "{key}"{where}: Cannot find field.')
