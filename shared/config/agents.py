"""Model settings per agent: `agents.yaml` and the catalogue of models, overridden by an operator's file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.config.models import Catalogue, ModelEntry, warnings_of
from shared.config.settings import ModelAccess
from shared.domain.errors import ConfigError
from shared.ports.model_settings import ModelSettings, ThinkingLevel

DEFAULTS = Path(__file__).with_name("agents.yaml")
CATALOGUE = Path(__file__).with_name("models.yaml")
_AS_IT_LIKES = -1
"""The thinking budget that leaves the amount to the model."""
SPEAKERS = ("counselor", "chat", "agreement_responder")
"""Agents that reply to the user: `CBOT_FALLBACK_MODEL` and second streams apply to these."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _AgentsFile(BaseModel):
    """Schema of the file; values are checked when the settings are built."""

    model_config = ConfigDict(extra="forbid")

    won_per_dollar: float | None = Field(default=None, gt=0)
    models: dict[str, dict[str, Any]] = Field(default_factory=dict)
    embedding: dict[str, Any] = Field(default_factory=dict)
    platform: dict[str, dict[str, Any]] = Field(default_factory=dict)
    defaults: dict[str, Any] = Field(default_factory=dict)
    agents: dict[str, dict[str, Any]] = Field(default_factory=dict)


@dataclass(frozen=True)
class AgentModels:
    """The model settings of all agents.

    Attributes:
        by_agent: Settings by agent name.
        catalogue: Known facts about the models.
        warnings: Warnings for the operator, one sentence each.
        patience: Factor of every deadline that waits for a model, by which the settings' own are multiplied.
    """

    by_agent: Mapping[str, ModelSettings]
    catalogue: Catalogue
    warnings: tuple[str, ...]
    patience: float = 1

    @property
    def names(self) -> tuple[str, ...]:
        """All models that may be called, fallbacks included."""
        used = {one.model for first in self.by_agent.values() for one in (first, first.fallback) if one is not None}
        return tuple(sorted(used))


def agent_models(access: ModelAccess | None = None, *, today: date | None = None) -> AgentModels:
    """Read the settings of every agent.

    Args:
        access: Names the operator's file, which overrides the defaults; a model for all agents, which overrides both
            files (an unsupported thinking level becomes the next higher one); a second model for agents that reply to
            the user, used after any failure; and the factor of all time limits.
        today: Day of the prices; by default today in UTC.

    Raises:
        ConfigError: A file is missing or wrong, or a model does not support a setting; the message names file and
            agent.
    """
    given = access or ModelAccess()
    override, model, fallback_model, patience = given.agents_file, given.model, given.fallback_model, given.patience
    files = [_read(DEFAULTS), *([_read(override)] if override else [])]
    source = override or DEFAULTS
    unknown = set(files[-1].agents) - set(files[0].agents)
    if unknown:
        raise ConfigError(f"{override}: unknown agents: {', '.join(sorted(unknown))}")
    builder = _Builder(_catalogue(files, source), today or datetime.now(UTC).date(), source, patience)
    settings: dict[str, ModelSettings] = {}
    for name in files[0].agents:
        merged = _merged(files, name)
        if model:
            merged |= {"model": model.removeprefix("models/"), "fitted": True}
        if fallback_model and name in SPEAKERS:
            merged |= {"fallback": fallback_model.removeprefix("models/"), "fallback_on_failure": True}
        settings[name] = builder.settings(name, merged)
    found = AgentModels(MappingProxyType(settings), builder.catalogue, builder.unheeded, patience)
    return replace(found, warnings=warnings_of(builder.catalogue, found.names, builder.day) + builder.unheeded)


def _merged(files: Sequence[_AgentsFile], agent: str) -> dict[str, Any]:
    """Merge an agent's settings: later files win over earlier ones, an agent's own settings over defaults.

    `chosen` says that the operator's file sets the agent's thinking.
    """
    shipped, *operators = files
    merged = _laid_over(shipped.defaults, shipped.agents[agent])
    for file in operators:
        own = _laid_over(file.defaults, file.agents.get(agent, {}))
        merged = _laid_over(merged, own)
        merged["chosen"] = bool(own.keys() & {"thinking_level", "thinking_budget"})
    return merged


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Overlay one file's values on another's; a thinking budget replaces a level and vice versa."""
    other = {"thinking_budget": "thinking_level", "thinking_level": "thinking_budget"}
    replaced = {other[name] for name in other.keys() & above.keys()}
    return {name: value for name, value in below.items() if name not in replaced} | dict(above)


class _Builder:
    def __init__(self, catalogue: Catalogue, day: date, source: Path, patience: float) -> None:
        self.catalogue = catalogue
        self._patience = patience
        self.day = day
        self.unheeded: tuple[str, ...] = ()
        self._source = source

    def settings(self, agent: str, values: Mapping[str, Any]) -> ModelSettings:
        """Return an agent's settings, with those of its fallback."""
        own = dict(values)
        wanted, fitted = own.pop("fallback", None), own.pop("fitted", False)
        first = self._of_model(agent, own, fitted=fitted)
        if own.get("temperature") is not None and first.temperature is None:
            self.unheeded += (f"agent {agent}: temperature is not sent, {first.model} does not heed it",)
        name = self._fallback_name(first.model, wanted)
        if name is None or name == first.model:
            return first
        second = self._of_model(agent, own | {"model": name, "chosen": False}, fitted=True)
        return first.model_copy(update={"fallback": second})

    def _fallback_name(self, model: str, wanted: object) -> str | None:
        """Return the fallback's name; the catalogue has none for a model that it does not name."""
        if wanted in (None, "none"):
            return None
        if wanted != "catalogue":
            return str(wanted)
        entry = self.catalogue.models.get(model)
        return entry.fallback if entry else None

    def _of_model(self, agent: str, values: dict[str, Any], *, fitted: bool) -> ModelSettings:
        """Return settings that the model supports.

        Args:
            agent: The agent, for messages.
            values: Values from the files.
            fitted: Adapt the thinking level to the model instead of refusing it, since it was not chosen for this
                model.
        """
        values = dict(values)
        chosen = values.pop("chosen", False)
        model = str(values.get("model"))
        entry = self.catalogue.models.get(model)
        price = (entry.price_on(self.day) if entry else None) or self.catalogue.dearest_on(self.day)
        won = self.catalogue.won_per_dollar
        usual = entry.first_token_p95_s if entry and agent in SPEAKERS else None
        of_model = {"price_in": price.dollars_in * won, "price_out": price.dollars_out * won, "hedge_s": usual}
        try:
            asked = ModelSettings.model_validate(of_model | values).patient(self._patience)
        except ValidationError as error:
            raise ConfigError(f"{self._source}: agent {agent}: {_first(error)}") from None
        if entry is None:
            return asked.model_copy(update=self._of_unknown(asked, chosen=chosen))
        if not entry.thinking_levels:
            return asked.model_copy(update=self._budget(agent, asked, entry))
        return asked.model_copy(update=self._level(agent, asked, entry, fitted=fitted))

    def _of_unknown(self, asked: ModelSettings, *, chosen: bool) -> dict[str, object]:
        """Return the settings of an unknown model: thinking, and room for it, only as the operator chose."""
        if not chosen:
            return {"thinking_level": None, "temperature": None, "catalogued": False}
        level, budget = asked.thinking_level, max(asked.thinking_budget or 0, 0)
        room = asked.thought_tokens or (self.catalogue.thought_tokens[level] if level else budget)
        return {"thought_tokens": room, "catalogued": False}

    def _budget(self, agent: str, asked: ModelSettings, entry: ModelEntry) -> dict[str, object]:
        """Return the thinking budget of a model, by default the least, and its token limit."""
        sent: dict[str, object] = {"thinking_level": None}
        if not entry.sampling:
            sent["temperature"] = None
        bounds = entry.thinking_budget
        if bounds is None:
            return sent | {"thinking_budget": None}
        budget = bounds.least if asked.thinking_budget is None else asked.thinking_budget
        if budget != _AS_IT_LIKES and not bounds.least <= budget <= bounds.most:
            takes = f"{bounds.least} to {bounds.most}, or {_AS_IT_LIKES}"
            raise ConfigError(f"{self._source}: agent {agent}: {asked.model} takes a thinking_budget of {takes}")
        room = max(self.catalogue.thought_tokens.values()) if budget == _AS_IT_LIKES else budget
        return sent | {"thinking_budget": budget, "thought_tokens": asked.thought_tokens or room}

    def _level(self, agent: str, asked: ModelSettings, entry: ModelEntry, *, fitted: bool) -> dict[str, object]:
        """Return the thinking level of a model and the token limit of its thoughts."""
        level, budget = asked.thinking_level, asked.thinking_budget
        if budget is not None and not fitted:
            raise ConfigError(f"{self._source}: agent {agent}: {asked.model} takes thinking_level, no thinking_budget")
        if level is not None and level not in entry.thinking_levels:
            if not fitted:
                takes = ", ".join(entry.thinking_levels)
                lacks = f"{asked.model} has no thinking level {level} (the shipped one, unless the file sets another)"
                raise ConfigError(f"{self._source}: agent {agent}: {lacks}; it takes {takes}")
            level = entry.nearest_level(level)
        room = asked.thought_tokens or self.catalogue.thought_tokens[level or ThinkingLevel.HIGH]
        sent: dict[str, object] = {"thinking_level": level, "thinking_budget": None, "thought_tokens": room}
        return sent | ({} if entry.sampling else {"temperature": None})


def _catalogue(files: Sequence[_AgentsFile], source: Path) -> Catalogue:
    raw = _parse(CATALOGUE)
    try:
        for file in files:
            for name, entry in file.models.items():
                raw["models"][name] = raw["models"].get(name, {}) | entry
            for name, prices in file.platform.items():
                raw["platform"][name] = raw["platform"].get(name, {}) | prices
            raw["embedding"] |= file.embedding
            raw["won_per_dollar"] = file.won_per_dollar or raw["won_per_dollar"]
        return Catalogue.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{source}: {_first(error)}") from None


def _read(path: Path) -> _AgentsFile:
    try:
        return _AgentsFile.model_validate(_parse(path))
    except ValidationError as error:
        raise ConfigError(f"{path}: {_first(error)}") from None


def _parse(path: Path) -> dict[str, Any]:
    try:
        content = yaml.load(path.read_text("utf-8"), Loader=_LOADER)  # noqa: S506 - a safe loader, in C where it is built
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: no YAML: {' '.join(str(error).split())}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8") from None
    except (ValueError, RecursionError) as error:  # a value that looks like a date or number but is none
        raise ConfigError(f"{path}: no YAML: {' '.join(str(error).split())}") from None
    return content or {}


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    reason = problem["msg"].removeprefix("Value error, ").replace(_AgentsFile.__name__, "a mapping")
    return f"{where}: {reason}" if where else reason
