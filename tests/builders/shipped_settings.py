"""The settings of the agents as shipped, read once a process."""

from functools import cache

from shared.config.agents import agent_models
from shared.config.settings import ModelAccess


def agent_settings(override=None, **named):
    """Return the settings by agent, of an operator's file and with named fields of `ModelAccess`."""
    return agent_models(ModelAccess(agents_file=override, **named)).by_agent


shipped_settings = cache(agent_settings)
