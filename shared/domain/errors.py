"""The one tree of errors: each carries its fields, words itself, and says what may be done about it.

```
CBotError
├── InvalidInput                 the caller's request is wrong; never stored, never retried as it is
│   └── TextTooLong, EmptyText
├── Refused                      the request is understood and not allowed (consent, age, identity, limits)
│   └── ConsentRequired, GuardianRequired, Unauthenticated, NotFound, MessageIdConflict, SessionEnded, SessionOpen,
│       TooManyRequests, BudgetSpent
├── TurnPending                  the turn is still under way                            (retryable)
├── StoreError                   the store could not do it
│   ├── VersionConflict          somebody wrote first: read again, apply again      (retryable)
│   ├── DocumentExists           a create met an existing document
│   ├── LeaseLost                the turn's fencing token is stale: it may not commit  (retryable)
│   └── StoreUnavailable                                                             (retryable)
├── ModelError                   the language model did not answer as asked
│   ├── ModelTimeout, ModelRateLimited, ModelUnavailable, ModelStreamBroken          (retryable)
│   ├── ModelRejected            the request itself was refused (4xx)
│   ├── ModelBlocked             a safety filter stopped prompt or answer            (safety)
│   ├── ModelEmpty, ModelTruncated
│   └── ModelSchemaMismatch      text came, but not what the schema asks
├── ContentError                 a content file is wrong: file, line, reason
└── ConfigError                  the environment is wrong: one clear line, exit 2
```
"""

from enum import StrEnum
from typing import ClassVar, Self


class Kind(StrEnum):
    """What a caller may do about an error."""

    RETRYABLE = "retryable"
    """The same request may succeed later."""
    FINAL = "final"
    """The same request will fail again."""
    SAFETY = "safety"
    """A safety rule or filter stopped it: never retried blindly, never hidden."""


class CBotError(Exception):
    """Root of every error that CBot raises itself.

    Attributes:
        code: Stable identifier; API clients and logs rely on it.
        kind: What may be done about it.
    """

    code: ClassVar[str] = "internal"
    kind: ClassVar[Kind] = Kind.FINAL


class InvalidInput(CBotError):
    """The request is malformed; `detail` names the field and the reason."""

    code = "invalid_request"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class EmptyText(InvalidInput):
    """The message holds nothing a person could have meant."""

    code = "empty_text"

    def __init__(self) -> None:
        super().__init__("text is empty")


class TextTooLong(InvalidInput):
    """The message is longer than the limit (both in characters)."""

    code = "text_too_long"

    def __init__(self, length: int, limit: int) -> None:
        super().__init__(f"text has {length} characters, the limit is {limit}")
        self.length = length
        self.limit = limit


class Refused(CBotError):
    """The request is understood and not allowed."""

    code = "refused"


class Unauthenticated(Refused):
    """No identity, or one that does not hold; `reason` is for the log and the detail, never the token."""

    code = "unauthenticated"

    def __init__(self, reason: str) -> None:
        super().__init__(f"not authenticated: {reason}")
        self.reason = reason


class ConsentRequired(Refused):
    """Consents are missing: without them no text is stored or sent to a model."""

    code = "consent_required"

    def __init__(self, missing: tuple[str, ...]) -> None:
        super().__init__(f"consent missing: {', '.join(missing)}")
        self.missing = missing


class GuardianRequired(Refused):
    """Under 14: a guardian's consent is needed (PIPA art. 22-2)."""

    code = "guardian_required"


class NotFound(Refused):
    """It does not exist, or is not the caller's: the two are never told apart."""

    code = "not_found"

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} not found")
        self.what = what


class MessageIdConflict(Refused):
    """The message id was used with another text."""

    code = "message_id_conflict"

    def __init__(self, message_id: str) -> None:
        super().__init__(f"message id {message_id} was used with another text")
        self.message_id = message_id


class SessionEnded(Refused):
    """The conversation is over: its history can be read, but it takes no new message."""

    code = "session_ended"


class SessionOpen(Refused):
    """The conversation is not over yet; only an ended one can be rated."""

    code = "session_open"


class TooManyRequests(Refused):
    """Refused politely; `retry_after` in seconds."""

    code = "too_many_requests"
    kind = Kind.RETRYABLE

    def __init__(self, retry_after: int, what: str) -> None:
        super().__init__(f"too many {what}; try again in {retry_after} s")
        self.retry_after = retry_after
        self.what = what


class BudgetSpent(Refused):
    """The conversation has used up its budget of model calls."""

    code = "budget_spent"


class TurnPending(CBotError):
    """The turn is still under way and did not finish while the caller waited."""

    code = "turn_pending"
    kind = Kind.RETRYABLE

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"the turn is still under way; try again in {retry_after} s")
        self.retry_after = retry_after


class StoreError(CBotError):
    """The store could not do what was asked."""

    code = "store_error"


class VersionConflict(StoreError):
    """Somebody wrote `path` first."""

    code = "version_conflict"
    kind = Kind.RETRYABLE

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was changed by somebody else")
        self.path = path


class DocumentExists(StoreError):
    """A create met an existing document at `path`."""

    code = "document_exists"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} exists already")
        self.path = path


class LeaseLost(StoreError):
    """The turn's lease was taken over: its fencing token is stale and it may not commit."""

    code = "lease_lost"
    kind = Kind.RETRYABLE

    def __init__(self, conversation_id: str, token: int) -> None:
        super().__init__(f"lease {token} of {conversation_id} was taken over")
        self.conversation_id = conversation_id
        self.token = token


class StoreUnavailable(StoreError):
    """The store does not answer."""

    code = "store_unavailable"
    kind = Kind.RETRYABLE


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


class ContentError(CBotError):
    """A content file is wrong."""

    code = "content_error"

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {problem}")
        self.file = file
        self.line = line
        self.problem = problem


class ConfigError(CBotError):
    """The environment is wrong; the message is the one line that the operator reads."""

    code = "config_error"
