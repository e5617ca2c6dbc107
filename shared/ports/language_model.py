"""The language model as the engine sees it: one call, one stream, typed failures."""

from collections.abc import AsyncGenerator
from typing import Literal, Protocol

from pydantic import BaseModel, Field

from shared.domain.model import Model


class ModelMessage(Model):
    """One entry of the dialogue sent to the model."""

    role: Literal["user", "model"]
    text: str


class ModelSettings(Model):
    """How one agent uses the model; comes from config.

    Attributes:
        timeout_s: Whole call, seconds; for a stream: to its last token.
        first_token_s: A stream's first token, seconds.
        idle_s: Between two tokens of a stream, seconds.
        price_in, price_out: Korean won per million prompt and output tokens, for the ledger.
    """

    model: str
    fallback_model: str | None = None
    temperature: float = Field(default=0.7, ge=0, le=2)
    max_output_tokens: int = Field(default=512, gt=0)
    thinking_budget: int = Field(default=0, ge=-1)
    timeout_s: float = Field(default=20, gt=0)
    first_token_s: float = Field(default=10, gt=0)
    idle_s: float = Field(default=6, gt=0)
    price_in: float = Field(default=0, ge=0)
    price_out: float = Field(default=0, ge=0)
    fallback_price_in: float = Field(default=0, ge=0)
    fallback_price_out: float = Field(default=0, ge=0)

    def fallback(self) -> "ModelSettings | None":
        """Return the settings for the fallback model, if one is configured."""
        if self.fallback_model is None:
            return None
        return self.model_copy(
            update={
                "model": self.fallback_model,
                "fallback_model": None,
                "price_in": self.fallback_price_in,
                "price_out": self.fallback_price_out,
            }
        )


class ModelRequest(Model):
    """One request.

    Attributes:
        agent: The agent's name, for traces; the provider never sees it.
        response_schema: With it the answer is JSON of this shape; without it, prose.
    """

    agent: str
    system: str
    messages: tuple[ModelMessage, ...]
    settings: ModelSettings
    response_schema: type[BaseModel] | None = None


class Usage(Model):
    """Tokens of one call, as the provider counts them."""

    prompt_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


class ModelReply(Model):
    """A whole answer; `text` is never blank.

    Attributes:
        sends: Requests that it took, retries included.
    """

    text: str
    usage: Usage = Usage()
    sends: int = Field(default=1, ge=0)


class ModelChunk(Model):
    """A piece of a stream; the last one may have an empty text.

    Attributes:
        usage: What the call has used up so far, as far as the provider said: who closes a stream early knows it too.
        sends: Requests that the call took, retries included.
    """

    text: str
    usage: Usage | None = None
    sends: int = Field(default=1, ge=0)


class LanguageModel(Protocol):
    """Calls the model. Raises only `ModelError`s (shared/domain/errors) and lets cancellation through.

    It translates the vendor's failures and retries transport errors inside `settings.timeout_s`; an error bears what
    the call took all the same (`ModelError.billed`). It checks that the answer is complete (`ModelBlocked`,
    `ModelEmpty`, `ModelTruncated`), not that it fits the schema: that is the runner's.
    """

    async def generate(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Yield the answer as it comes; closing the iterator ends the call."""
        ...

    async def warm(self) -> None:
        """Load what the first call needs, so that the first user does not wait for it; calls nobody."""
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...
