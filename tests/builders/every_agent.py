"""Every agent that answers by a schema, found in the modules themselves."""

import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

import functions
from functions.session_manager.review_schema import reviewer_of
from shared.content.catalogue import content
from shared.domain.counseling.session import SessionType
from shared.engine.agent import Agent
from shared.locale import Locale

ENTRY_POINTS = (".main", ".wiring")
"""Modules that compose a function when they are imported; they define no agent."""


@cache
def every_agent() -> Mapping[str, Agent]:
    """Return them by the name of their constant; a schema narrowed for a turn has the suffix `_narrowed`."""
    found: dict[str, Agent] = {}
    for name, agent in _constants():
        taken = found.setdefault(name, agent)
        if taken is not agent:  # Two modules give two agents the same name.
            found[f"{name}_{agent.name}"] = agent
    assert found, "no agent was found"
    goals = content().goals(SessionType.FIRST_SESSION, Locale.KO)
    return found | {"REVIEWER_narrowed": reviewer_of(goals)}


def _constants() -> Iterator[tuple[str, Agent]]:
    for module in pkgutil.walk_packages(functions.__path__, "functions."):
        if not module.name.endswith(ENTRY_POINTS):
            for name, value in vars(import_module(module.name)).items():
                if isinstance(value, Agent):
                    yield name, value
