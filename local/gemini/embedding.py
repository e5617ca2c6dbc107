"""Embeddings: what the API refuses, and vectors that are near each other where texts share pairs of letters."""

import math
import re
import zlib

from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.problems import ApiProblem, invalid
from local.gemini.protocol import parse_object, text_of
from local.gemini.tokens import count_tokens

MODELS = ("gemini-embedding-001", "gemini-embedding-2")
NORMALISED = "gemini-embedding-2"
"""It reads no `taskType`, but a prefix of the text, and returns every vector with length 1."""
MOST_TEXTS = 100
MOST_BYTES = 4 * 1024 * 1024
LEAST, WHOLE = 128, 3072
_PREFIX = re.compile(r"(?:task: [^|]{1,40} \| query: |title: (?:none|[^|]{0,200}) \| text: )")
_TASKS = frozenset(
    {
        "SEMANTIC_SIMILARITY",
        "CLASSIFICATION",
        "CLUSTERING",
        "RETRIEVAL_DOCUMENT",
        "RETRIEVAL_QUERY",
        "CODE_RETRIEVAL_QUERY",
        "QUESTION_ANSWERING",
        "FACT_VERIFICATION",
    }
)


def embeds(method: str) -> bool:
    """Tell whether a method embeds."""
    return method in ("embedContent", "batchEmbedContents")


def embed(model: str, method: str, body: JsonObject) -> JsonObject:
    """Return the API's answer.

    Raises:
        ApiProblem: The API would refuse the request.
    """
    if model not in MODELS:
        raise ApiProblem(404, "NOT_FOUND", f"models/{model} is not found, or is not supported for {method}.")
    if method == "embedContent":
        return {"embedding": {"values": _vector(model, body)}}
    asked = body.get("requests")
    if not isinstance(asked, list) or not asked:
        raise invalid("* BatchEmbedContentsRequest.requests: must not be empty")
    if len(asked) > MOST_TEXTS:
        raise invalid(f"* BatchEmbedContentsRequest.requests: at most {MOST_TEXTS} requests can be in one batch")
    return {"embeddings": [{"values": _of_batch(model, one)} for one in asked]}


def body_of(raw: bytes) -> JsonObject:
    """Return a request's body; raises `ApiProblem` if it is too large or no JSON object."""
    if len(raw) > MOST_BYTES:
        raise invalid(f"Request payload size exceeds the limit: {MOST_BYTES} bytes.")
    return parse_object(raw)


def _of_batch(model: str, asked: JsonValue) -> JsonValue:
    if isinstance(asked, dict) and asked.get("model") != f"models/{model}":
        raise invalid("* BatchEmbedContentsRequest.requests: model must be the same as in the path")
    return _vector(model, asked)


def _vector(model: str, asked: JsonValue) -> JsonValue:
    if not isinstance(asked, dict):
        raise invalid("Invalid value at 'requests' (an object is expected).")
    task, size = asked.get("taskType"), asked.get("outputDimensionality", WHOLE)
    if task is not None and task not in _TASKS:
        raise invalid(f"Invalid value at 'task_type': {task}")
    if not isinstance(size, int) or not LEAST <= size <= WHOLE:
        raise invalid(f"output_dimensionality must be in the range [{LEAST}, {WHOLE}]")
    text = text_of(asked.get("content"), "content")
    if not text.strip() or not count_tokens(text):
        raise invalid("* EmbedContentRequest.content: contains an empty Part.")
    letters = "".join(_PREFIX.sub("", text, count=1).split()).lower()
    values = [0.0] * size
    for one, other in zip(letters, letters[1:] + " ", strict=True):
        values[zlib.crc32((one + other).encode()) % size] += 1.0
    length = math.hypot(*values) if model == NORMALISED or size == WHOLE else 1.0
    return [value / length for value in values]
