"""A `ModelRequest` as the arguments of the SDK's `generate_content`."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from pydantic import BaseModel

from shared.domain.errors import ModelRejected
from shared.ports.language_model import ModelRequest

if TYPE_CHECKING:
    from google.genai import types

HarmThreshold = Literal["OFF", "BLOCK_NONE"]


class Call(TypedDict):
    """Keyword arguments of `generate_content` and `generate_content_stream`."""

    model: str
    contents: "list[types.ContentUnion]"
    config: "types.GenerateContentConfig"


def call_of(request: ModelRequest, harm_threshold: HarmThreshold) -> Call:
    """Build the call.

    Raises:
        ModelRejected: There is no message; the provider would refuse it.
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
        max_output_tokens=settings.max_output_tokens,
        thinking_config=types.ThinkingConfig(thinking_budget=settings.thinking_budget),
        safety_settings=_safety_settings(harm_threshold),
        # Both are on by default: function calling needs tools, which CBot never gives, and continuation
        # sends further billed requests that neither budget nor ledger would know of.
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
        # Also sent as X-Server-Timeout, so it is the whole call's time and not the first token's: the
        # server would cut a stream at it. Unset, the SDK waits for ever.
        http_options=types.HttpOptions(timeout=round(settings.timeout_s * 1000)),
    )
    if request.response_schema is not None:
        config.response_mime_type = "application/json"
        # Not `response_schema`: that one drops descriptions on nested fields and enums.
        config.response_json_schema = _json_schema(request.response_schema)
    return Call(model=settings.model, contents=contents, config=config)


# Bounded: some agents' schemas are made for one turn, with the ids that may be chosen in it.
@lru_cache(maxsize=128)
def _json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    return schema.model_json_schema()


def _safety_settings(threshold: HarmThreshold) -> "list[types.SafetySetting]":
    from google.genai import types  # noqa: PLC0415

    categories = (
        types.HarmCategory.HARM_CATEGORY_HARASSMENT,
        types.HarmCategory.HARM_CATEGORY_HATE_SPEECH,
        types.HarmCategory.HARM_CATEGORY_SEXUALLY_EXPLICIT,
        types.HarmCategory.HARM_CATEGORY_DANGEROUS_CONTENT,
    )
    return [
        types.SafetySetting(category=category, threshold=types.HarmBlockThreshold(threshold)) for category in categories
    ]
