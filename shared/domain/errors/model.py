"""How a language model can fail to answer as asked."""

from enum import StrEnum
from typing import ClassVar, Self

from shared.domain.errors.root import CBotError, ErrorKind


class ModelError(CBotError):
    """The language model did not answer as asked; `reason` holds no text of the user.

    Attributes:
        prompt_tokens, output_tokens: What the provider counted for the call all the same; it bills a cut answer too.
        thought_tokens: The thoughts among the output tokens.
        sends: Requests that the call took, retries included; 0 when nothing was sent.
        another_model_may_help: False where any other model of the same provider would fail as well.
        poison: The model answered and the answer is of no use. The same words will most likely fail again, while every
            other failure passes: with the outage, the quota or the wrong setting.
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

    def billed(
        self, *, prompt_tokens: int = 0, output_tokens: int = 0, thought_tokens: int = 0, sends: int = 1
    ) -> Self:
        """Note what the failed call took, and return the error."""
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
        retry_after_s: For how long it asks to be left alone, seconds; None where it does not say.
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
    """Nothing was sent: the model has failed too often of late, and is left alone for a while."""

    code = "model_resting"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.sends = 0


class ModelStreamBroken(ModelError):
    """The stream ended in the middle; what came before it was delivered."""

    code = "model_stream_broken"
    kind = ErrorKind.RETRYABLE


class ModelRejected(ModelError):
    """4xx other than 429: the provider refuses the request as it is. Somebody must change a setting, or the code."""

    code = "model_rejected"


class ModelNotFound(ModelRejected):
    """404: the provider does not know the model, or serves it no longer."""

    code = "model_not_found"


class Refusal(StrEnum):
    """Why the provider lets nobody in with our access, whatever model is named."""

    KEY = "key"
    """It does not accept the API key."""
    CREDENTIALS = "credentials"
    """There are no valid credentials (Vertex AI)."""
    PERMISSION = "permission"
    """Key or account may not use the API: not enabled, no billing, no role."""
    LOCATION = "location"
    """It does not serve the place that the call came from."""


class ModelAccessDenied(ModelRejected):
    """The provider refuses our key, our account or our location."""

    code = "model_access_denied"

    def __init__(self, reason: str, refusal: Refusal) -> None:
        super().__init__(reason)
        self.refusal = refusal
        # A permission may be for some models only; a key, an account or a place is the same for all.
        self.another_model_may_help = refusal is Refusal.PERMISSION


class ModelBlocked(ModelError):
    """A safety filter of the provider stopped the prompt or the answer."""

    code = "model_blocked"
    kind = ErrorKind.SAFETY
    poison = True


class ModelEmpty(ModelError):
    """An answer without text: on some self-harm messages Gemini does this with finish reason STOP."""

    code = "model_empty"
    kind = ErrorKind.SAFETY
    poison = True


class ModelTruncated(ModelError):
    """MAX_TOKENS before the answer was whole."""

    code = "model_truncated"
    poison = True


class ModelSchemaMismatch(ModelError):
    """Text came, but not what the schema asks; `problems` is safe to show to the model."""

    code = "model_schema_mismatch"
    poison = True

    def __init__(self, problems: str) -> None:
        super().__init__(f"answer does not fit the schema: {problems}")
        self.problems = problems


class ModelNotAllowed(ModelError):
    """Nothing was sent: the words may not go to a model any more; a consent was withdrawn, or they were erased."""

    code = "model_not_allowed"
    another_model_may_help = False
