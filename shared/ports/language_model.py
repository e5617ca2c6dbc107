"""Port of the language model."""

from collections.abc import AsyncGenerator
from typing import Literal, Protocol

from pydantic import BaseModel, Field

from shared.model import Model
from shared.ports.model_answers import ModelChunk, ModelReply
from shared.ports.model_settings import ModelSettings


class ModelMessage(Model):
    """One entry of the dialogue sent to the model."""

    role: Literal["user", "model"]
    text: str


class ModelRequest(Model):
    """One request.

    Attributes:
        agent: The agent's name, for traces; not sent to the provider.
        response_schema: If set, the answer is JSON of this schema; else prose.
        attempts: Most requests of the call, retries included; None for the adapter's default.
        cut_short: The turn's deadline leaves so little of the configured time that a timeout does not prove a failure
            of the model.
    """

    agent: str
    system: str
    messages: tuple[ModelMessage, ...]
    settings: ModelSettings
    response_schema: type[BaseModel] | None = None
    attempts: int | None = Field(default=None, ge=1)
    cut_short: bool = False


class LanguageModel(Protocol):
    """Calls the model. Raises only `ModelError`s (shared/domain/errors) and lets cancellation through.

    It translates vendor errors and retries transport errors within `settings.timeout_s`; errors carry the cost of the
    call (`ModelError.billed`). It checks that an answer is complete (`ModelBlocked`, `ModelEmpty`, `ModelTruncated`);
    the runner checks the schema.
    """

    async def generate(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Yield the answer in pieces; closing the iterator ends the call."""
        ...

    async def warm(self) -> None:
        """Load what the first call needs; sends nothing."""
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...
