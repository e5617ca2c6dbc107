"""Settings of an agent's model: name, timeouts, token limits and prices."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from shared.domain.errors import ModelError, ModelNotFound, ModelRateLimited, ModelResting
from shared.model import Model

PROVING_SHARE = 2 / 3
"""Share of the configured time after which silence proves a failure of the model: analysers have 5 s of their 6 in a
turn, and first tokens after 3 s of 6 came from healthy models."""
_SHORTEST_S = 0.05
"""Shortest timeout of a call that starts at its deadline, seconds."""


class ThinkingLevel(StrEnum):
    """Thinking levels of Gemini 3; models support different ones."""

    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ModelSettings(Model):
    """Settings of one agent's model, from config (shared/config/agents.py).

    Attributes:
        catalogued: The catalogue of models names the model; of another nothing is known.
        fallback: Settings of the fallback model.
        fallback_on_failure: Use the fallback after any failure that another model may not have.
        temperature: Set only for models that use it.
        max_output_tokens: Limit of the answer without thoughts.
        thinking_level, thinking_budget: At most one is set; None leaves it to the model.
        thought_tokens: Additional limit for thoughts; the provider counts them against the same cap as the answer.
        timeout_s: Whole call, seconds; for a stream: to its last token.
        first_token_s: A stream's first token, seconds.
        idle_s: Between two tokens of a stream, seconds.
        hedge_s: Seconds without a first token after which a second stream is opened; None for never.
        price_in, price_out: Korean won per million prompt and output tokens, for the ledger.
    """

    model: str
    catalogued: bool = True
    fallback: "ModelSettings | None" = None
    fallback_on_failure: bool = False
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_output_tokens: int = Field(default=512, gt=0)
    thinking_level: ThinkingLevel | None = None
    thinking_budget: int | None = Field(default=None, ge=-1)
    thought_tokens: int = Field(default=0, ge=0)
    timeout_s: float = Field(default=20, gt=0)
    first_token_s: float = Field(default=10, gt=0)
    idle_s: float = Field(default=6, gt=0)
    hedge_s: float | None = Field(default=None, gt=0)
    price_in: float = Field(default=0, ge=0)
    price_out: float = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _thinks_one_way(self) -> Self:
        if self.thinking_level is not None and self.thinking_budget is not None:
            raise ValueError("thinking_level and thinking_budget exclude each other: the provider refuses both")
        return self

    def patient(self, patience: float) -> "ModelSettings":
        """Return the settings with all time limits multiplied."""
        limits = self.model_dump(include={"timeout_s", "first_token_s", "idle_s", "hedge_s"}, exclude_none=True)
        return self.model_copy(update={name: limit * patience for name, limit in limits.items()})

    def within(self, seconds: float) -> "ModelSettings":
        """Return the settings, fallback included, with timeouts cut to the time left."""
        if seconds >= self.timeout_s:
            return self
        brief = max(seconds, _SHORTEST_S)
        fallback = self.fallback and self.fallback.within(seconds)
        shorter = {"timeout_s": brief, "first_token_s": min(self.first_token_s, brief), "fallback": fallback}
        return self.model_copy(update=shorter)

    def fallback_after(self, error: ModelError) -> "ModelSettings | None":
        """Return the settings of the fallback after a failure, if there is one and it may help.

        It helps every agent if the model is gone or its circuit breaker is open, and after a 429: quotas are per model.
        """
        elsewhere = isinstance(error, ModelNotFound | ModelResting | ModelRateLimited)
        helps = elsewhere or (self.fallback_on_failure and error.another_model_may_help)
        return self.fallback if helps else None
