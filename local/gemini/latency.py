"""Latency of the simulated model."""

import asyncio
from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field


class Latency(BaseModel):
    """Time to the first token and per further token, milliseconds.

    The defaults are a small fast model's, as the demo should feel: 250 ms, then some 125 tokens a second.

    Attributes:
        chunk_tokens: Tokens of each event of a stream but the first. Gemini sends many in one
            (github.com/stanfordnlp/dspy/pull/8235, 2025-05-17); one is the worst case for who reads the stream.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ttft_ms: float = Field(default=250, ge=0)
    token_ms: float = Field(default=8, ge=0)
    chunk_tokens: int = Field(default=1, ge=1)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read CBOT_SIMULATOR_TTFT_MS and CBOT_SIMULATOR_TOKEN_MS, if set."""
        names = {"ttft_ms": "CBOT_SIMULATOR_TTFT_MS", "token_ms": "CBOT_SIMULATOR_TOKEN_MS"}
        return cls.model_validate({k: environment[name] for k, name in names.items() if name in environment})

    async def first(self, factor: float = 1) -> None:
        """Wait for the first token of a model that is `factor` times slower than the fastest."""
        await asyncio.sleep(self.ttft_ms * factor / 1000)

    async def tokens(self, count: int) -> None:
        """Wait for `count` tokens."""
        await asyncio.sleep(self.token_ms * count / 1000)


INSTANT = Latency(ttft_ms=0, token_ms=0)
"""For tests."""
