"""Language-model settings per agent: `agents.yaml` beside this module, and a file of the operator's over it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.domain.errors import ConfigError
from shared.ports.language_model import ModelSettings

DEFAULTS = Path(__file__).with_name("agents.yaml")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _AgentsFile(BaseModel):
    """The file's shape; values are checked when the settings are built from them."""

    model_config = ConfigDict(extra="forbid")

    models: dict[str, dict[str, float]] = Field(default_factory=dict)
    defaults: dict[str, Any] = Field(default_factory=dict)
    agents: dict[str, dict[str, Any]] = Field(default_factory=dict)


def agent_settings(
    override: Path | None = None, *, model: str | None = None, fallback_model: str | None = None
) -> Mapping[str, ModelSettings]:
    """Return the settings of every agent by name.

    Args:
        override: A file of the same shape; what it names wins.
        model: A model for all agents, above both files.
        fallback_model: A second model for the agents that speak to the user.

    Raises:
        ConfigError: A file is missing or wrong; the message names it.
    """
    files = [_read(DEFAULTS), *([_read(override)] if override else [])]
    known = set(files[0].agents)
    settings: dict[str, ModelSettings] = {}
    for name in known:
        merged: dict[str, Any] = {}
        for source in files:
            merged |= source.defaults | source.agents.get(name, {})
        if model:
            merged["model"] = model
        if fallback_model and name in ("counselor", "chat"):
            merged["fallback_model"] = fallback_model
        of_fallback = _of_model(files, merged.get("fallback_model"))
        priced = {f"fallback_{field}": value for field, value in of_fallback.items()}
        settings[name] = _settings(name, priced | _of_model(files, merged.get("model")) | merged, override or DEFAULTS)
    unknown = set(files[-1].agents) - known
    if unknown:
        raise ConfigError(f"{override}: unknown agents: {', '.join(sorted(unknown))}")
    return MappingProxyType(settings)


def _of_model(files: Sequence[_AgentsFile], model: object) -> dict[str, float]:
    """Return what the files say of a model, the last one above the others."""
    found: dict[str, float] = {}
    for source in files:
        found |= source.models.get(str(model), {})
    return found


def _settings(name: str, values: dict[str, Any], source: Path) -> ModelSettings:
    try:
        return ModelSettings.model_validate(values)
    except ValidationError as error:
        raise ConfigError(f"{source}: agent {name}: {_first(error)}") from None


def _read(path: Path) -> _AgentsFile:
    try:
        content = yaml.load(path.read_text("utf-8"), Loader=_LOADER)  # noqa: S506 - a safe loader, in C where it is built
        return _AgentsFile.model_validate(content or {})
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: no YAML: {' '.join(str(error).split())}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8") from None
    except ValidationError as error:
        raise ConfigError(f"{path}: {_first(error)}") from None
    except (ValueError, RecursionError) as error:  # what YAML takes for a date or a number and cannot build
        raise ConfigError(f"{path}: no YAML: {' '.join(str(error).split())}") from None


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
