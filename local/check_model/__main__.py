"""`python -m local.check_model`: sends each agent's real prompt and schema to the configured model once."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from local.check_model.requests import NOT_SERVED, collected
from local.check_model.show import HEADER, of_models, row
from local.check_model.trial import Trial, tried
from shared.adapters.gemini import GeminiLanguageModel
from shared.config.agents import AgentModels, agent_models
from shared.config.settings import ModelAccess
from shared.domain.errors import CBotError, ConfigError, ModelError, ModelNotFound
from shared.engine.watched_model import LOOK_S, look_at
from shared.platform.language_model import language_model
from shared.ports.language_model import ModelRequest

CANNOT_WORK = 1
WRONG_CONFIG = 2
_NEEDS = (
    "no language model to check: set GEMINI_API_KEY (https://aistudio.google.com/apikey), or "
    "GOOGLE_GENAI_USE_VERTEXAI with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION"
)


@dataclass(frozen=True)
class _Wanted:
    record: Path | None
    agents: frozenset[str]


def main(arguments: Sequence[str] | None = None, environment: Mapping[str, str] | None = None) -> int:
    """Run the check.

    Returns:
        0 if every agent works, if need be by its fallback; 1 if one does not; 2 if a setting is wrong.
    """
    try:
        access = ModelAccess.read(os.environ if environment is None else environment)
        models = agent_models(access)
        wanted = _wanted(arguments, frozenset(models.by_agent) - NOT_SERVED)
        if not access.configured:
            raise ConfigError(_NEEDS)
        return asyncio.run(_check(access, models, wanted))
    except CBotError as error:
        print(f"cbot: {error}", file=sys.stderr)
        return WRONG_CONFIG
    except KeyboardInterrupt:
        return CANNOT_WORK


def _wanted(arguments: Sequence[str] | None, agents: frozenset[str]) -> _Wanted:
    parser = argparse.ArgumentParser(prog="python -m local.check_model", description=__doc__)
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the answers, as JSON")
    parser.add_argument("--agent", nargs="+", default=[], metavar="NAME", help="check these alone")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.agent) - agents)
    if unknown:
        raise ConfigError(f"unknown agents: {', '.join(unknown)}; there are {', '.join(sorted(agents))}")
    return _Wanted(given.record, frozenset(given.agent) or agents)


async def _check(access: ModelAccess, models: AgentModels, wanted: _Wanted) -> int:
    for warning in models.warnings:
        _progress(warning)
    model = language_model(access)
    trials: list[list[Trial]] = []
    try:
        _record(wanted.record, trials)  # an unwritable file is reported before any call is paid
        served = await _served(model, models)
        print(*of_models(served, models.catalogue), "", sep="\n", flush=True)
        if not any(one is None or isinstance(one, ModelNotFound) for one in served.values()):
            _progress("nothing can be checked: the API lets nobody in, or cannot be reached")
            return CANNOT_WORK
        requests = await collected(wanted.agents, _progress)
        print(HEADER, flush=True)
        for request in requests.values():
            trials.append(await _try(model, models, request))
            _record(wanted.record, trials)
    finally:
        await model.aclose()
    missing = sorted(wanted.agents - requests.keys())
    if missing:
        _progress(f"not tried, since no scripted session asked them: {', '.join(missing)}")
    return _told(wanted, trials)


async def _served(model: GeminiLanguageModel, models: AgentModels) -> dict[str, ModelError | None]:
    """Ask each configured model for one token; None is an answer."""
    asked = (look_at(model, name, LOOK_S * models.patience) for name in models.names)
    return dict(zip(models.names, await asyncio.gather(*asked), strict=True))


async def _try(model: GeminiLanguageModel, models: AgentModels, request: ModelRequest) -> list[Trial]:
    """Try an agent's model, and its fallback if that fails."""
    settings = models.by_agent[request.agent]
    trials = [await tried(model, request, settings)]
    print(row(trials[-1]), flush=True)
    if trials[-1].problem and settings.fallback is not None:
        trials.append(await tried(model, request, settings.fallback))
        print(row(trials[-1]), flush=True)
    return trials


def _told(wanted: _Wanted, trials: Sequence[Sequence[Trial]]) -> int:
    """Report which agents cannot work."""
    working = {tries[0].agent for tries in trials if not tries[-1].problem}
    failing = sorted(wanted.agents - working)
    by_fallback = sorted(tries[0].agent for tries in trials if len(tries) > 1 and not tries[-1].problem)
    won = sum(trial.won for tries in trials for trial in tries)
    print(f"\n{len(working)} of {len(wanted.agents)} agents can work; the check cost {won:.2f} won")
    if by_fallback:
        _progress(f"by their fallback alone: {', '.join(by_fallback)}")
    if failing:
        _progress(f"cannot work: {', '.join(failing)}")
    return CANNOT_WORK if failing else 0


def _record(file: Path | None, trials: Sequence[Sequence[Trial]]) -> None:
    """Write the answers so far to the file, if there is one.

    Raises:
        ConfigError: The file cannot be written.
    """
    if file is None:
        return
    answers = [
        {
            "agent": trial.agent,
            "model": trial.settings.model,
            "problem": trial.problem or None,
            "text": trial.text,
            "usage": trial.usage.model_dump(),
            "total_ms": round(trial.total_ms),
        }
        for tries in trials
        for trial in tries
    ]
    try:
        file.write_text(json.dumps(answers, ensure_ascii=False, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from None


def _progress(line: str) -> None:
    with suppress(BrokenPipeError):
        print(f"cbot: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
