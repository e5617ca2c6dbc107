"""Failures of a language model."""

from enum import StrEnum
from typing import ClassVar, Self

from shared.domain.errors.root import CBotError, ErrorKind


class ModelError(CBotError):
    """A language model failed; `reason` holds no text of the user.

    Attributes:
        prompt_tokens, output_tokens: Tokens that the provider counted and bills.
        thought_tokens: Thought tokens among the output tokens.
        sends: Requests that the call took, retries included; 0 if nothing was sent.
        arrived: The beginning of the answer that arrived before the failure. It may quote the user: it is never logged.
        another_model_may_help: False if any other model of the provider would fail too.
        poison: The model answered uselessly. The same text will probably fail again, while all other failures pass with
            the outage, quota or setting.
    """

    code = "model_error"
    another_model_may_help: bool = True
    poison: ClassVar[bool] = False

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.prompt_tokens = 0
        self.output_tokens = 0
        self.thought_tokens = 0
        self.sends = 1
        self.arrived = ""

    def billed(
        self, *, prompt_tokens: int = 0, output_tokens: int = 0, thought_tokens: int = 0, sends: int = 1
    ) -> Self:
        """Record what the failed call cost, and return the error."""
        self.prompt_tokens, self.output_tokens = prompt_tokens, output_tokens
        self.thought_tokens, self.sends = thought_tokens, sends
        return self


class ModelTimeout(ModelError):
    """No answer, or no next token, in time."""

    code = "model_timeout"
    kind = ErrorKind.RETRYABLE


class ModelRateLimited(ModelError):
    """429 from the provider.

    Attributes:
        retry_after_s: Pause that the provider asks for, seconds; None if unknown.
    """

    code = "model_rate_limited"
    kind = ErrorKind.RETRYABLE

    def __init__(self, reason: str, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class ModelUnavailable(ModelError):
    """5xx from the provider, or no connection."""

    code = "model_unavailable"
    kind = ErrorKind.RETRYABLE


class ModelResting(ModelUnavailable):
    """Nothing was sent: the model's circuit breaker is open."""

    code = "model_resting"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.sends = 0


class ModelStreamBroken(ModelError):
    """The stream ended early; the text before that was delivered."""

    code = "model_stream_broken"
    kind = ErrorKind.RETRYABLE


class ModelRejected(ModelError):
    """4xx other than 429: the provider refuses the request. A setting or the code must change."""

    code = "model_rejected"


class ModelNotFound(ModelRejected):
    """404: the provider does not serve the model."""

    code = "model_not_found"


class Refusal(StrEnum):
    """Why the provider, or a gateway, refuses our access."""

    KEY = "key"
    """The API key is invalid."""
    CREDENTIALS = "credentials"
    """There are no valid credentials (Vertex AI)."""
    PERMISSION = "permission"
    """The key or account may not use the API: not enabled, no billing or no role."""
    LOCATION = "location"
    """The provider does not serve the caller's location."""
    ADDRESS = "address"
    """The address does not serve the model under this version of the API."""

    @property
    def of_one_model(self) -> bool:
        """Whether other models may be served; key, credentials and location hold for all."""
        return self in {Refusal.PERMISSION, Refusal.ADDRESS}


class ModelAccessDenied(ModelRejected):
    """The provider refuses our key, account or location, or does not know the address."""

    code = "model_access_denied"

    def __init__(self, reason: str, refusal: Refusal) -> None:
        super().__init__(reason)
        self.refusal = refusal
        self.another_model_may_help = refusal.of_one_model


class ModelBlocked(ModelError):
    """A safety filter of the provider stopped the prompt or the answer."""

    code = "model_blocked"
    kind = ErrorKind.SAFETY
    poison = True


class ModelEmpty(ModelError):
    """An answer without text: for some self-harm messages Gemini sends this with finish reason STOP."""

    code = "model_empty"
    kind = ErrorKind.SAFETY
    poison = True


class ModelTruncated(ModelError):
    """MAX_TOKENS was reached before the answer was complete."""

    code = "model_truncated"
    poison = True


class ModelSchemaMismatch(ModelError):
    """The answer does not fit the schema; `problems` may be shown to the model."""

    code = "model_schema_mismatch"
    poison = True

    def __init__(self, problems: str) -> None:
        super().__init__(f"answer does not fit the schema: {problems}")
        self.problems = problems


class ModelNotAllowed(ModelError):
    """Nothing was sent: the text may not go to a model, because a consent was withdrawn or it was erased."""

    code = "model_not_allowed"
    another_model_may_help = False
