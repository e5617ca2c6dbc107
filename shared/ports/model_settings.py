"""How an agent uses a language model: which one, how long, how many tokens, at which price."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from shared.domain.errors import ModelError, ModelNotFound, ModelRateLimited, ModelResting
from shared.model import Model

PROVING_SHARE = 2 / 3
"""Share of the configured time after which silence proves that a model fails: analysers have 5 s of their 6 in a turn,
a first token that came after 3 s of 6 was healthy."""
_SHORTEST_S = 0.05
"""A call that begins at its deadline still gets so long, seconds: it ends as late, not as a wrong setting."""


class ThinkingLevel(StrEnum):
    """How much a model thinks before it answers, as Gemini 3 names it; which levels a model has differs."""

    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ModelSettings(Model):
    """How one agent uses the model; comes from config (shared/config/agents.py).

    Attributes:
        fallback: The settings for the model that is asked when this one is gone.
        fallback_on_failure: Ask the fallback after any failure that another model may not have.
        temperature: Sent where it is set; config sets it only for models that heed it.
        max_output_tokens: Of the answer, without thoughts.
        thinking_level, thinking_budget: At most one is set; None leaves it to the model.
        thought_tokens: Room for thoughts; the provider counts them against the same cap as the answer.
        timeout_s: Whole call, seconds; for a stream: to its last token.
        first_token_s: A stream's first token, seconds.
        idle_s: Between two tokens of a stream, seconds.
        hedge_s: A stream without a first token after so long, seconds, gets a second one beside it; None is never.
        price_in, price_out: Korean won per million prompt and output tokens, for the ledger.
    """

    model: str
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

    def within(self, seconds: float) -> "ModelSettings":
        """Return the settings with their times cut to what is left; the fallback's as well."""
        if seconds >= self.timeout_s:
            return self
        brief = max(seconds, _SHORTEST_S)
        fallback = self.fallback and self.fallback.within(seconds)
        shorter = {"timeout_s": brief, "first_token_s": min(self.first_token_s, brief), "fallback": fallback}
        return self.model_copy(update=shorter)

    def fallback_after(self, error: ModelError) -> "ModelSettings | None":
        """Return the settings to ask again with after a failure, if a fallback is there and may help.

        It helps every agent where the model is gone or rests, and after a 429: quotas are counted by model.
        """
        elsewhere = isinstance(error, ModelNotFound | ModelResting | ModelRateLimited)
        helps = elsewhere or (self.fallback_on_failure and error.another_model_may_help)
        return self.fallback if helps else None
