"""The language model as the engine sees it: one call, one stream, typed failures."""

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
        agent: The agent's name, for traces; the provider never sees it.
        response_schema: With it the answer is JSON of this shape; without it, prose.
        attempts: Requests that it may take, retries included; None leaves that to the adapter.
        cut_short: The deadline of the turn leaves the call so little of its configured time that a timeout does not
            prove that the model fails.
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

    async def check(self, model: str) -> bool:
        """Ask whether the provider serves a model to us; costs no tokens.

        True when it says so, False when it cannot be asked. Raises what a call would meet.
        """
        ...

    async def warm(self) -> None:
        """Load what the first call needs, so that the first user does not wait for it; calls nobody."""
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...
