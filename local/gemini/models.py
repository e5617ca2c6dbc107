"""The models that the simulator knows: any name that looks like Gemini's."""

from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.problems import ApiProblem

_LISTED = ("gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro", "gemini-embedding-001")


def listing() -> JsonObject:
    """The body of a list of models."""
    models: list[JsonValue] = [describe(name, "v1") for name in _LISTED]
    return {"models": models}


def describe(model: str, version: str) -> JsonObject:
    """One model's entry.

    Raises:
        ApiProblem: 404, the name is not one of Gemini's.
    """
    if not model.startswith(("gemini-", "text-embedding-", "embedding-")):
        message = f"models/{model} is not found for API version {version}, or is not supported for this method."
        raise ApiProblem(404, "NOT_FOUND", message)
    embeds = "embedding" in model
    methods: list[JsonValue] = ["embedContent", "batchEmbedContents"] if embeds else ["generateContent", "countTokens"]
    return {
        "name": f"models/{model}",
        "version": "simulator",
        "displayName": f"{model} (simulator)",
        "description": "CBot's demo: no real model behind it",
        "inputTokenLimit": 1048576,
        "outputTokenLimit": 1 if embeds else 65536,
        "supportedGenerationMethods": methods,
    }
