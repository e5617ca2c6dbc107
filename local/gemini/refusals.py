"""What the real API refuses of a well-formed request: deadlines, thinking, sampling, schemas, keys.

Each rule is Google's, as documented or as its users met it (docs/decisions/0031); read on 2026-11-23.
"""

from collections.abc import Iterator, Sequence

from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.models import ServedModel
from local.gemini.problems import ApiProblem, invalid

SHORTEST_DEADLINE_S = 10
_PENALTIES = ("frequencyPenalty", "presencePenalty")

_HARMS = frozenset(
    f"HARM_CATEGORY_{name}" for name in ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")
)
_THRESHOLDS = frozenset({"OFF", "BLOCK_NONE", "BLOCK_ONLY_HIGH", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_LOW_AND_ABOVE"})
_FORMATS = frozenset({"date-time", "date", "time"})
_KEYWORDS = frozenset(
    {"$anchor", "$defs", "$id", "$ref", "title", "description", "type", "format", "enum", "anyOf", "oneOf"}
    | {"properties", "propertyOrdering", "required", "additionalProperties"}
    | {"items", "prefixItems", "minItems", "maxItems", "minimum", "maximum"}
)
"""The keywords that the API documents for `responseJsonSchema`. It refuses some others and ignores the rest silently;
the simulator refuses all, since an ignored bound is a mistake, too."""


def check_deadline(header: str | None) -> None:
    """Refuse a deadline that is too short.

    Args:
        header: `X-Server-Timeout`, seconds; None if it was not sent.
    """
    if header is None:
        return
    try:
        seconds = float(header)
    except ValueError:
        raise invalid("Invalid value for X-Server-Timeout.") from None
    if seconds < SHORTEST_DEADLINE_S:
        raise invalid(
            f"Manually set deadline {seconds:g}s is too short. Minimum allowed deadline is {SHORTEST_DEADLINE_S}s."
        )


def thinking_level(config: JsonObject, model: str, known: ServedModel) -> str:
    """Return the model's thinking level.

    Raises:
        ApiProblem: 400, a budget, both settings at once, or an unsupported level.
    """
    thinking = config.get("thinkingConfig") or {}
    if not isinstance(thinking, dict):
        raise invalid("Invalid value at 'generation_config.thinking_config' (an object is expected).")
    level, budget = thinking.get("thinkingLevel"), thinking.get("thinkingBudget")
    if level is not None and budget is not None:
        raise invalid("You can only set only one of thinking budget and thinking level.")
    if budget is not None:
        raise invalid(f"Thinking budget is not supported for {model}. Please use thinking level.")
    if level is None:
        return known.default
    wanted = str(level).lower()
    if wanted not in known.levels:
        raise invalid(f"Thinking level {str(level).upper()} is not supported for this model.")
    return wanted


def check_sampling(config: JsonObject) -> None:
    """Refuse penalties and several candidates; temperature, topP and topK are ignored, like by the real models."""
    if any(config.get(name) is not None for name in _PENALTIES):
        raise invalid("Penalty is not enabled for this model.")
    count = config.get("candidateCount", 1)
    if count != 1:
        raise invalid("Multiple candidates is not enabled for this model.")


def check_safety(settings: JsonValue) -> None:
    """Refuse unknown harm categories and thresholds."""
    for one in settings if isinstance(settings, list) else ():
        if not isinstance(one, dict) or one.get("category") not in _HARMS or one.get("threshold") not in _THRESHOLDS:
            raise invalid(f"Invalid value at 'safety_settings': {one}")


def check_schema(schema: JsonObject) -> None:
    """Refuse undocumented keywords, and keywords next to a reference."""
    for where, node in _nodes(schema, "schema"):
        for keyword in node:
            if keyword not in _KEYWORDS:
                raise invalid(f'Invalid JSON schema: unsupported keyword "{keyword}" at {where}.')
        if node.get("format", "date") not in _FORMATS:
            raise invalid(f"Invalid JSON schema: unsupported format {node['format']} at {where}.")
        members = node.get("enum", [])
        if not isinstance(members, list) or not all(isinstance(one, str | int | float) for one in members):
            raise invalid(f"Invalid JSON schema: enum at {where} holds more than strings and numbers.")
        if "$ref" in node and any(not keyword.startswith("$") for keyword in node):
            raise invalid(f"{where} can only contain properties starting with '$' when $ref is present.")


def check_key(key: str | None) -> None:
    """Refuse a missing key; the prefix of a key selects invalid, denied or wrong location."""
    if not key:
        message = "Method doesn't allow unregistered callers. Please use API Key."
        raise ApiProblem(403, "PERMISSION_DENIED", message)
    if key.startswith("invalid"):
        message = "API key not valid. Please pass a valid API key."
        raise ApiProblem(400, "INVALID_ARGUMENT", message, reason="API_KEY_INVALID")
    if key.startswith("denied"):
        raise denied()
    if key.startswith("elsewhere"):
        raise wrong_location()


def denied() -> ApiProblem:
    """Return a 403, the key may not use the API."""
    return ApiProblem(403, "PERMISSION_DENIED", "Your project has been denied access. Please contact support.")


def wrong_location() -> ApiProblem:
    """Return a 400, the API is not served at the caller's location."""
    return ApiProblem(400, "FAILED_PRECONDITION", "User location is not supported for the API use.")


def _nodes(node: JsonValue, where: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield every sub-schema with its place."""
    if not isinstance(node, dict):
        return
    yield where, node
    for keyword in ("properties", "$defs"):
        inner = node.get(keyword)
        for name, one in inner.items() if isinstance(inner, dict) else ():
            yield from _nodes(one, f"{where} at {keyword}.{name}")
    for keyword in ("anyOf", "oneOf", "prefixItems"):
        several: Sequence[JsonValue] = branches if isinstance(branches := node.get(keyword), list) else ()
        for one in several:
            yield from _nodes(one, f"{where} at {keyword}")
    for keyword in ("items", "additionalProperties"):
        yield from _nodes(node.get(keyword), f"{where} at {keyword}")
