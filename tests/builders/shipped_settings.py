"""The settings of the agents as shipped, read once a process."""

from functools import cache

from shared.config.agents import agent_settings

shipped_settings = cache(agent_settings)
