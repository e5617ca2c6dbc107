"""Converts a `ModelRequest` to the arguments of the SDK's `generate_content`."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypedDict

from pydantic import BaseModel

from shared.adapters.gemini.connection import GeminiConnection, retry_options
from shared.domain.errors import ModelRejected
from shared.ports.language_model import ModelRequest
from shared.ports.model_settings import ModelSettings

if TYPE_CHECKING:
    from google.genai import types

SHORTEST_DEADLINE_S = 10
"""The Gemini API refuses a shorter deadline: 400 "Manually set deadline 5s is too short. Minimum allowed deadline is
10s." (livekit/agents #3723, googleapis/python-genai #1330; read on 2026-11-23)."""


class GenerateArguments(TypedDict):
    """Keyword arguments of `generate_content` and `generate_content_stream`."""

    model: str
    contents: "list[types.ContentUnion]"
    config: "types.GenerateContentConfig"


def call_of(request: ModelRequest, connection: GeminiConnection) -> GenerateArguments:
    """Build the arguments.

    Raises:
        ModelRejected: There are no messages; the provider would refuse that.
    """
    from google.genai import types  # noqa: PLC0415 -- with the SDK, on first use (see connection.py)

    if not request.messages:
        raise ModelRejected("no messages")
    contents: list[types.ContentUnion] = [
        types.Content(role=message.role, parts=[types.Part(text=message.text)]) for message in request.messages
    ]
    settings = request.settings
    config = types.GenerateContentConfig(
        system_instruction=request.system or None,
        temperature=settings.temperature,
        # The provider counts thoughts against the same cap.
        max_output_tokens=settings.max_output_tokens + settings.thought_tokens,
        thinking_config=_thinking(settings),
        safety_settings=_safety_settings(),
        # Both are on by default: function calling needs tools, which CBot never gives, and continuation sends further
        # billed requests that budget and ledger would not count.
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
        # Sent as X-Server-Timeout, which limits the whole call: the server would cut a stream at it. Unset, the SDK
        # waits for ever. Shorter limits are enforced on our side (language_model.py).
        http_options=types.HttpOptions(
            timeout=round(max(settings.timeout_s, SHORTEST_DEADLINE_S) * 1000),
            retry_options=None if request.attempts is None else retry_options(connection, request.attempts),
        ),
    )
    if request.response_schema is not None:
        config.response_mime_type = "application/json"
        # Not `response_schema`: it drops descriptions of nested fields and enums.
        config.response_json_schema = _json_schema(request.response_schema)
    return GenerateArguments(model=settings.model, contents=contents, config=config)


# Bounded: some schemas are created for one turn, with the ids that may be chosen in it.
@lru_cache(maxsize=128)
def _json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the schema unchanged: `Agent` has rejected what the provider does not support."""
    return schema.model_json_schema()


def _thinking(settings: ModelSettings) -> "types.ThinkingConfig | None":
    """Return the thinking setting; None leaves it to the model."""
    from google.genai import types  # noqa: PLC0415

    if settings.thinking_level is not None:
        return types.ThinkingConfig(thinking_level=types.ThinkingLevel(settings.thinking_level.upper()))
    if settings.thinking_budget is not None:
        return types.ThinkingConfig(thinking_budget=settings.thinking_budget)
    return None


def _safety_settings() -> "list[types.SafetySetting]":
    """Switch the filter off: users in need write about harm and must be answered; our guard cuts (docs/safety.md).

    Some categories cannot be switched off and still end in `ModelBlocked`.
    """
    from google.genai import types  # noqa: PLC0415

    categories = (
        types.HarmCategory.HARM_CATEGORY_HARASSMENT,
        types.HarmCategory.HARM_CATEGORY_HATE_SPEECH,
        types.HarmCategory.HARM_CATEGORY_SEXUALLY_EXPLICIT,
        types.HarmCategory.HARM_CATEGORY_DANGEROUS_CONTENT,
    )
    return [types.SafetySetting(category=one, threshold=types.HarmBlockThreshold.OFF) for one in categories]
