"""The models that the simulator serves (`models.yaml`)."""

import zlib
from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field

from local.gemini.problems import ApiProblem

_FILE = Path(__file__).with_name("models.yaml")


class ServedModel(BaseModel):
    """Thinking levels and speed of one model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    levels: tuple[str, ...]
    default: str
    ttft_factor: float = 1
    thoughts: dict[str, int] = Field(default_factory=dict)


class _Models(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    served: dict[str, ServedModel]
    beta_only: tuple[str, ...]
    retired: tuple[str, ...]
    thoughts: dict[str, int]


@cache
def _models() -> _Models:
    return _Models.model_validate(yaml.safe_load(_FILE.read_text("utf-8")))


def served(model: str, version: str) -> ServedModel:
    """Return what is known of a model.

    Raises:
        ApiProblem: 404, the model is unknown, retired, or not on this version of the API.
    """
    known = _models()
    if model in known.retired:
        message = (
            f"This model models/{model} is no longer available. Please update your code to use a newer model for the "
            f"latest features and improvements."
        )
        raise ApiProblem(404, "NOT_FOUND", message)
    if model in known.beta_only and version == "v1beta":
        return known.served["gemini-3.8-flash"]
    if model not in known.served:
        message = f"models/{model} is not found for API version {version}, or is not supported for generateContent."
        raise ApiProblem(404, "NOT_FOUND", message)
    return known.served[model]


def thoughts_of(known: ServedModel, level: str, prompt: str) -> int:
    """Return the number of thought tokens for a prompt; deterministic."""
    usual = (_models().thoughts | known.thoughts)[level]
    return usual // 2 + zlib.crc32(prompt.encode()) % (usual + 1) if usual else 0
