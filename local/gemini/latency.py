"""Latency of the simulated model."""

import asyncio
import random
from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field


class Latency(BaseModel):
    """Time to the first token and per further token, milliseconds.

    The defaults are those of a small, fast model: 250 ms, then about 125 tokens per second.

    Attributes:
        jitter: Each wait varies by ± this share.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ttft_ms: float = Field(default=250, ge=0)
    token_ms: float = Field(default=8, ge=0)
    jitter: float = Field(default=0, ge=0, le=1)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read CBOT_SIMULATOR_TTFT_MS and CBOT_SIMULATOR_TOKEN_MS, if set."""
        names = {"ttft_ms": "CBOT_SIMULATOR_TTFT_MS", "token_ms": "CBOT_SIMULATOR_TOKEN_MS"}
        return cls.model_validate({k: environment[name] for k, name in names.items() if name in environment})

    async def first(self, chance: random.Random, factor: float = 1) -> None:
        """Wait for the first token of a model that is `factor` times slower than the fastest."""
        await self._wait(self.ttft_ms * factor, chance)

    async def tokens(self, count: int, chance: random.Random) -> None:
        """Wait for `count` tokens."""
        await self._wait(self.token_ms * count, chance)

    async def _wait(self, milliseconds: float, chance: random.Random) -> None:
        share = 1 + self.jitter * chance.uniform(-1, 1)
        await asyncio.sleep(milliseconds * share / 1000)


INSTANT = Latency(ttft_ms=0, token_ms=0)
