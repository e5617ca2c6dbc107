"""Embeds texts by their character bigrams, so that similar texts get similar vectors."""

import math
import zlib

from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.problems import invalid
from local.gemini.protocol import camel_keys, text_of

_DIMENSIONS = 768


def embed(body: JsonObject) -> JsonObject:
    """Answer embedContent; the vector is deterministic and of length 1."""
    if "content" not in body:
        raise invalid("* EmbedContentRequest.content: content is not specified")
    config = camel_keys(body.get("embedContentConfig") or {}, "embed_content_config")
    wanted = body.get("outputDimensionality") or config.get("outputDimensionality")
    size = wanted if isinstance(wanted, int) and wanted > 0 else _DIMENSIONS
    return {"embedding": {"values": _vector(text_of(body["content"], "content"), size)}}


def embed_batch(body: JsonObject) -> JsonObject:
    """Answer batchEmbedContents."""
    requests = body.get("requests")
    if not isinstance(requests, list) or not requests:
        raise invalid("* BatchEmbedContentsRequest.requests: requests is not specified")
    return {"embeddings": [embed(camel_keys(item, "requests"))["embedding"] for item in requests]}


def _vector(text: str, size: int) -> list[JsonValue]:
    values = [0.0] * size
    padded = f" {text} "
    for i in range(len(padded) - 1):
        values[zlib.crc32(padded[i : i + 2].encode()) % size] += 1
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]
