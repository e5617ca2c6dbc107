"""How a language model can fail to answer as asked."""

from typing import Self

from shared.domain.errors.root import CBotError, Kind


class ModelError(CBotError):
    """The language model did not answer as asked; `reason` holds no text of the user.

    Attributes:
        prompt_tokens, output_tokens: What the provider counted for the call all the same; it bills a cut answer too.
        sends: Requests that the call took, retries included; 0 when nothing was sent.
    """

    code = "model_error"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.prompt_tokens = 0
        self.output_tokens = 0
        self.sends = 1

    def billed(self, *, prompt_tokens: int = 0, output_tokens: int = 0, sends: int = 1) -> Self:
        """Note what the failed call took, and return the error."""
        self.prompt_tokens, self.output_tokens, self.sends = prompt_tokens, output_tokens, sends
        return self


class ModelTimeout(ModelError):
    """No answer, or no next token, in time."""

    code = "model_timeout"
    kind = Kind.RETRYABLE


class ModelRateLimited(ModelError):
    """429 from the provider."""

    code = "model_rate_limited"
    kind = Kind.RETRYABLE


class ModelUnavailable(ModelError):
    """5xx from the provider, or no connection."""

    code = "model_unavailable"
    kind = Kind.RETRYABLE


class ModelStreamBroken(ModelError):
    """The stream ended in the middle; what came before it was delivered."""

    code = "model_stream_broken"
    kind = Kind.RETRYABLE


class ModelRejected(ModelError):
    """4xx other than 429: key, model name or request are wrong."""

    code = "model_rejected"


class ModelBlocked(ModelError):
    """A safety filter of the provider stopped the prompt or the answer."""

    code = "model_blocked"
    kind = Kind.SAFETY


class ModelEmpty(ModelError):
    """An answer without text: on some self-harm messages Gemini does this with finish reason STOP."""

    code = "model_empty"
    kind = Kind.SAFETY


class ModelTruncated(ModelError):
    """MAX_TOKENS before the answer was whole."""

    code = "model_truncated"


class ModelSchemaMismatch(ModelError):
    """Text came, but not what the schema asks; `problems` is safe to show to the model."""

    code = "model_schema_mismatch"

    def __init__(self, problems: str) -> None:
        super().__init__(f"answer does not fit the schema: {problems}")
        self.problems = problems


class ModelNotAllowed(ModelError):
    """Nothing was sent: the words may not go to a model any more; a consent was withdrawn, or they were erased."""

    code = "model_not_allowed"
